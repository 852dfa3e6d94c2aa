/** The world of little programs: what was done to it, by key, what was wrong about that, and the calls that wait for their answers. */
import { tool } from '../../src/xstate/index.ts';
import { type CallNode, callsIn, isActing, outputOf, type Program, toolOf } from './programs.ts';

interface Waiting {
  readonly name: string;
  answer(): void;
}

/** What a counterparty knows of a key. */
interface Known {
  readonly output: string;
  readonly class: CallNode['class'];
}

/** The world of a scenario. */
export class Counterparties {
  readonly waiting: Waiting[] = [];
  readonly #acts = new Map<string, Known>();
  readonly #undone = new Set<string>();
  /** The keys that have left for an act that needs an approval, by the act. */
  readonly #asked = new Map<string, Set<string>>();
  /** The approvals that a person has given, by what they are for. */
  readonly approved = new Map<string, number>();
  /** How often a deciding tool has answered each question. */
  readonly decided = new Map<string, number>();
  /** What no run may do to a world, as it happened. */
  readonly faults: string[] = [];
  /** Calls, acts and undos, in their order. */
  readonly deeds: string[] = [];
  readonly undo = { un: ({ key }: { key: string }) => this.#undo(key) };
  readonly reconcilers = {
    ask: ({ key }: { key: string }) => {
      const known = this.#acts.get(key);
      return known === undefined || this.#undone.has(key)
        ? ({ is: 'not_applied' } as const)
        : ({ is: 'applied', output: known.output } as const);
    },
  };

  /** The acts that stand. */
  get standing(): string[] {
    return this.#standing.map(([, { output }]) => output);
  }

  /** The acts that stand, but for those of some keys. */
  besides(keys: readonly string[]): string[] {
    return this.#standing.filter(([key]) => !keys.includes(key)).map(([, { output }]) => output);
  }

  /** The keys of the acts that stand, with their classes. */
  get keys(): ReadonlyMap<string, CallNode['class']> {
    return new Map(this.#standing.map(([key, known]) => [key, known.class]));
  }

  get #standing() {
    return [...this.#acts].filter(([key]) => !this.#undone.has(key));
  }

  #undo(key: string): void {
    const known = this.#acts.get(key);
    if (known === undefined) this.faults.push(`${key} was undone, and was never done`);
    else if (!this.#undone.has(key)) this.deeds.push(`undoes ${known.output}`);
    this.#undone.add(key);
  }

  tools({ program, actsAtOnce }: { readonly program: Program; readonly actsAtOnce: boolean }) {
    const calls = [...callsIn(program)].map(([name, node]): [string, CallNode] => [toolOf(name, node), node]);
    return Object.fromEntries(calls.map(([name, node]) => [name, this.#tool(name, node, actsAtOnce)]));
  }

  #decides(output: string): string {
    const nth = (this.decided.get(output) ?? 0) + 1;
    this.decided.set(output, nth);
    return `${output}#${nth}`;
  }

  #does(key: string, output: string, kind: CallNode['class']): void {
    const known = this.#acts.get(key);
    if (known !== undefined && known.output !== output) this.faults.push(`${key} is ${known.output} and ${output}`);
    if (this.#undone.has(key)) this.faults.push(`${output} was done under ${key}, which was undone`);
    if (known === undefined) this.deeds.push(`does ${output}`);
    this.#acts.set(key, { output, class: kind });
  }

  /** Each key is let through by an approval of its own. */
  #leaves(key: string, output: string): void {
    const keys = this.#asked.get(output) ?? new Set();
    this.#asked.set(output, keys.add(key));
    if (keys.size > (this.approved.get(output) ?? 0)) this.faults.push(`${output} left, and nobody has approved it`);
  }

  #tool(name: string, { class: kind, gate }: CallNode, actsAtOnce: boolean) {
    return tool(({ input, key, signal }: { input: unknown; key: string | undefined; signal: AbortSignal }) => {
      const output = outputOf(name, input);
      this.deeds.push(`calls ${output}`);
      if (gate === true) this.#leaves(key ?? '', output);
      const does = () => {
        if (isActing(kind)) this.#does(key ?? '', output, kind);
        if (!isActing(kind) && key !== undefined) throw new Error(`${name} was given a key`);
      };
      if (actsAtOnce) does();
      return new Promise<unknown>((resolve, reject) => {
        const answer = () => {
          does();
          resolve(kind === 'deciding' ? this.#decides(output) : output);
        };
        const one = { name, answer };
        this.waiting.push(one);
        signal.addEventListener('abort', () => {
          if (this.waiting.includes(one)) this.waiting.splice(this.waiting.indexOf(one), 1);
          reject(new Error('aborted'));
        });
      });
    });
  }

  /** Has one of the calls that wait answer. */
  answer(chosen: number): void {
    this.waiting.sort((a, b) => (a.name < b.name ? -1 : 1));
    const [one] = this.waiting.splice(Math.min(chosen, this.waiting.length - 1), 1);
    one?.answer();
  }
}
