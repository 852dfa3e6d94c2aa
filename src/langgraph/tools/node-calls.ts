/** The calls of one node as it runs: those that were made before answer from the notes or are taken up, and the others leave. */
import { CallUnderWay, never, whileItCounts } from '../../runtime/calls-under-way.ts';
import type { Act } from '../../runtime/tool-call.ts';
import type { AnsweredCall } from '../checkpoint/memory.ts';
import type { Caller } from './tool.ts';

/** A call under way: the id of its actor is its lane, its number and its tool. */
export class UnderWay extends CallUnderWay {
  readonly lane: string;
  readonly nth: number;
  /** The digest of its input, from before it acted: a tool may change what it is handed. Null until it is asked for. */
  is: string | null = null;
  protected override readonly ofNode = true;

  constructor(id: string, tool: string, input: unknown) {
    super(id, tool, input);
    const [lane = '', nth = '0'] = id.split(':', 2);
    this.lane = lane;
    this.nth = Number(nth);
  }
}

/** The run, as the calls of a node ask it. */
export interface CallPort {
  /** True once the node is not the one that counts any more. */
  isStale(): boolean;
  /** The calls of the lane that are answered, by their numbers. */
  answered(): Readonly<Record<string, AnsweredCall>>;
  underWay(): readonly UnderWay[];
  digest(input: unknown): string;
  /** True for a tool that changes the world. */
  isAct(tool: string): boolean;
  /** False where it is known that a call did not happen. */
  mayStand(call: UnderWay): boolean;
  /** Gives up a call that did not happen. */
  giveUp(call: UnderWay): Promise<void>;
  /** Has a call leave. @param is the digest of its input. */
  begin(call: Pick<UnderWay, 'nth' | 'tool' | 'input'> & { readonly is: string }, act: Act): Promise<unknown>;
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

  call(tool: string, input: unknown, act: Act): Promise<unknown> {
    const isStale = () => this.#port.isStale();
    return whileItCounts(isStale, async () => this.#call(tool, input, act));
  }

  async #call(tool: string, input: unknown, act: Act): Promise<unknown> {
    this.#refuseOver(tool);
    const is = this.#port.digest(input);
    const known = this.#untaken((call) => call.tool === tool);
    const same = known.find((each) => each.is() === is);
    if (same !== undefined) return this.#again(same.nth, same.call, act);
    const owed = this.#owed(tool);
    if (owed.length > 0) await this.#settleOwed(tool);
    return this.#begin(tool, input, is, act);
  }

  /** The calls of before that have to be made again before a new call of a tool: before an act each act, before any other call those of its tool. */
  #owed(tool: string) {
    const { isAct } = this.#port;
    return this.#untaken((call) => call.tool === tool || (isAct(tool) && isAct(call.tool)));
  }

  /** Sees to it that no call of before may stand beside a new one (C8). @throws Error where one does. */
  async #settleOwed(tool: string): Promise<void> {
    // Calls that the node makes beside this one come in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#port.isStale()) return never();
    for (const { call } of this.#owed(tool))
      if (call instanceof UnderWay && !this.#port.mayStand(call)) await this.#port.giveUp(call);
    this.#refuseOver(tool);
    const [owed] = this.#owed(tool);
    if (owed === undefined) return;
    this.#breaks(
      owed.call.tool === tool
        ? `it calls ${tool} with other arguments than before`
        : `it calls ${tool}, and has not made its call of ${owed.call.tool} again`,
    );
  }

  #refuseOver(tool: string): void {
    if (this.#isOver) throw new Error(`the node has ended, and calls ${tool} after that: await its calls`);
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

  /** The calls that were made before and that this execution has not made again, in their order. */
  #untaken(
    isMeant: (call: { readonly tool: string }) => boolean,
  ): { readonly nth: number; readonly call: AnsweredCall | UnderWay; is(): string }[] {
    const port = this.#port;
    const isOpen = (nth: number, call: { readonly tool: string }) => isMeant(call) && !this.#taken.has(nth);
    const answered = Object.entries(port.answered()).flatMap(([key, call]) => {
      const nth = Number(key);
      return isOpen(nth, call) ? [{ nth, call, is: () => call.is }] : [];
    });
    const underWay = port.underWay().flatMap((call) => {
      if (!isOpen(call.nth, call)) return [];
      const is = () => {
        call.is ??= port.digest(call.input);
        return call.is;
      };
      return [{ nth: call.nth, call, is }];
    });
    return [...answered, ...underWay].sort((a, b) => a.nth - b.nth);
  }

  #begin(tool: string, input: unknown, is: string, act: Act): Promise<unknown> {
    const { answered, underWay } = this.#port;
    let nth = 0;
    for (const taken of this.#taken) nth = Math.max(nth, taken + 1);
    for (const known of Object.keys(answered())) nth = Math.max(nth, Number(known) + 1);
    for (const call of underWay()) nth = Math.max(nth, call.nth + 1);
    this.#taken.add(nth);
    return this.#port.begin({ nth, tool, input, is }, act);
  }

  #again(nth: number, call: AnsweredCall | UnderWay, act: Act): unknown {
    this.#taken.add(nth);
    return call instanceof UnderWay ? this.#port.goOn(call, act) : call.output;
  }

  #breaks(why: string): never {
    this.broken ??= diverged(why);
    throw this.broken;
  }
}

function diverged(why: string): Error {
  return new Error(`the node was run again, and does not do what its journal has: ${why}`);
}
