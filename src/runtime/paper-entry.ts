/** One entry of a program on paper: it makes no call, and is answered from its past as far as that meets the same (semantics.md PA12). */
import { never } from './calls-under-way.ts';
import type { PaperChange } from './runtime.ts';

/** The turns of the event loop in which a program has to come to its next call once it is answered. */
const PATIENCE = 100;

/** What the past has for a call: its answer, nothing yet, or another call. */
export type Past = { readonly answer: unknown } | 'open' | 'other';

/** One entry on paper. */
export class PaperEntry {
  /** The names of the calls that it has come to with the same arguments. */
  readonly met = new Set<string>();
  readonly #taken = new Set<string>();
  #asked = 0;
  #isOver = false;

  /** Asks for a call as the program does. @param past says what the past has for it. */
  ask(name: string, past: Past): Promise<unknown> {
    this.#asked += 1;
    if (this.#isOver || this.#taken.has(name) || past === 'other') return never();
    this.#taken.add(name);
    this.met.add(name);
    return past === 'open' ? never() : Promise.resolve(past.answer);
  }

  /** Asks for the next input. @param inputs those that the past has. */
  receive(inputs: readonly unknown[], nth: number): Promise<unknown> {
    this.#asked += 1;
    return this.#isOver || nth > inputs.length ? never() : Promise.resolve(inputs[nth - 1]);
  }

  /** Ends the entry: the program goes no further. */
  ends(): void {
    this.#isOver = true;
  }

  /** Runs the program up to the first answer that is not in the past. @param numbers those of the calls behind the change. @returns the numbers of the calls that meet the same. */
  async whole(
    run: () => Promise<unknown>,
    numbers: ReadonlyMap<string, number> = new Map(),
  ): Promise<ReadonlySet<number>> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    // A program that throws on paper goes no further there.
    run().then(done, done);
    let [waited, asked] = [0, this.#asked];
    while (!isDone && !this.#isOver && waited < PATIENCE) {
      await new Promise((resolve) => setImmediate(resolve));
      waited = this.#asked === asked ? waited + 1 : 0;
      asked = this.#asked;
    }
    this.#isOver = true;
    return new Set([...numbers].flatMap(([name, number]) => (this.met.has(name) ? [number] : [])));
  }
}

/** The inputs of the turns up to the changed one: the end of that turn leaves nothing aside (RC2), so no later call meets the same. */
export function inputsOnPaper(
  turns: Readonly<Record<string, unknown>>,
  { turn, input }: Pick<PaperChange, 'turn' | 'input'>,
): readonly unknown[] {
  const before = Object.keys(turns).flatMap((nth) => (Number(nth) < turn ? [turns[nth]] : []));
  const own = turn === 0 || input === null ? [] : [input.is];
  return [...before, ...own];
}
