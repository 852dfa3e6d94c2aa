/** The calls of one node as it runs: those that were made before answer from the notes or are taken up, and the others leave. */
import type { AnsweredCall } from '../checkpoint/memory.ts';
import type { Act, Caller } from './tool.ts';

/** A call under way, which is the handle of its actor. */
export interface UnderWay {
  /** The id of its actor: its lane, its number and its tool. */
  readonly id: string;
  readonly lane: string;
  readonly nth: number;
  readonly tool: string;
  readonly input: unknown;
  readonly stop: AbortController;
  answer: Promise<unknown> | null;
}

/** The run, as the calls of a node ask it. */
export interface CallPort {
  /** True once the node is not the one that counts any more. */
  isStale(): boolean;
  /** The calls of the lane that are answered, by their numbers. */
  answered(): Readonly<Record<string, AnsweredCall>>;
  underWay(): readonly UnderWay[];
  digest(input: unknown): string;
  /** Has a call leave. */
  begin(nth: number, tool: string, input: unknown, act: Act): Promise<unknown>;
  /** Takes up a call that is under way. */
  goOn(call: UnderWay, act: Act): Promise<unknown>;
}

/** The calls of one node, in one execution of it. */
export class NodeCalls implements Caller {
  readonly #port: CallPort;
  readonly #taken = new Set<number>();
  #isOver = false;
  /** The reason why this execution cannot count: it is not the one that the journal has. A node may swallow the error of a call. */
  broken: Error | null = null;

  constructor(port: CallPort) {
    this.#port = port;
  }

  async call(tool: string, input: unknown, act: Act): Promise<unknown> {
    const port = this.#port;
    if (port.isStale()) return never();
    if (this.#isOver) throw new Error(`the node has ended, and calls ${tool} after that: await its calls`);
    const is = port.digest(input);
    const known = [
      ...Object.entries(port.answered()).map(([nth, call]) => ({
        nth: Number(nth),
        tool: call.tool,
        is: call.is,
        call,
      })),
      ...port.underWay().map((call) => ({ nth: call.nth, tool: call.tool, is: port.digest(call.input), call })),
    ]
      .filter((each) => each.tool === tool && !this.#taken.has(each.nth))
      .sort((a, b) => a.nth - b.nth);
    const same = known.find((each) => each.is === is);
    if (same === undefined && known.length > 0)
      return this.#breaks(`it calls ${tool} with other arguments than before`);
    const output = same === undefined ? this.#begin(tool, input, act) : this.#again(same.nth, same.call, act);
    const answer = await output;
    return port.isStale() ? never() : answer;
  }

  /** The node has ended. @throws Error where a call of before was not made again, or one is still under way. */
  end(): void {
    const { answered, underWay } = this.#port;
    this.#isOver = true;
    const known = [...Object.keys(answered()).map(Number), ...underWay().map(({ nth }) => nth)];
    const left = known.filter((nth) => !this.#taken.has(nth));
    if (this.broken === null && left.length > 0)
      this.broken = diverged('it has ended without a call that it made before');
    const [open] = underWay();
    if (this.broken === null && open !== undefined)
      this.broken = new Error(`the node has ended beside its call of ${open.tool}: await its calls`);
    if (this.broken !== null) throw this.broken;
  }

  #begin(tool: string, input: unknown, act: Act): Promise<unknown> {
    const numbers = [...this.#taken, ...Object.keys(this.#port.answered()).map(Number)];
    const nth = Math.max(-1, ...numbers, ...this.#port.underWay().map((call) => call.nth)) + 1;
    this.#taken.add(nth);
    return this.#port.begin(nth, tool, input, act);
  }

  #again(nth: number, call: AnsweredCall | UnderWay, act: Act): unknown {
    this.#taken.add(nth);
    return 'output' in call ? call.output : this.#port.goOn(call, act);
  }

  #breaks(why: string): never {
    this.broken ??= diverged(why);
    throw this.broken;
  }
}

function diverged(why: string): Error {
  return new Error(`the node was run again, and does not do what its journal has: ${why}`);
}

/** Waits for ever: so does a node that does not count any more. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
