/** The world around the workshop: it logs what is done to it, and answers as it was told beforehand. */
import type { Reconciler, Undo } from '../../src/effects/counterparty.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { entriesOf } from '../journal/entries-of.ts';

/** The tools that act, by what they do to the world. */
export const ACTS = ['idempotent', 'compensable', 'irreversible'] as const;
export type ActName = (typeof ACTS)[number];

/** How the first try of a call goes wrong. */
export const FAULTS = ['none', 'before', 'after', 'refused', 'silence', 'nonsense'] as const;
export type Fault = (typeof FAULTS)[number];

/** What is done to the world, and what it was told beforehand. */
export class Workworld {
  /** Every act that took effect, with its key, as often as it did. */
  readonly acts: { readonly name: string; readonly key: string }[] = [];
  readonly undone: string[] = [];
  /** What a person took back by hand. */
  readonly takenBack: string[] = [];
  /** What was found to be against the rules while it happened. */
  readonly wrong: string[] = [];
  /** How a call with a tag goes wrong at its first try. */
  readonly faults = new Map<string, Fault>();
  /** Whether the counterparties answer when they are asked. */
  answering = true;
  /** Asked at every act, for what is durable by then. */
  durable: () => Iterable<StoredRow> = () => [];
  #busy = 0;
  readonly #applied = new Map<string, string>();
  /** How often it was said of a call that it had not happened. */
  readonly #denied = new Map<string, number>();
  readonly #silent: (() => void)[] = [];
  #tripping = false;

  /** How many calls are under way whose answer, or whose deadline, is still to come. */
  get busyNow(): number {
    return this.#busy;
  }

  /** Lets the next assign of a `break` throw. */
  tripNext(): void {
    this.#tripping = true;
  }

  trip(): void {
    if (!this.#tripping) return;
    this.#tripping = false;
    throw new Error('tripped');
  }

  async act(name: ActName, key: string | undefined, tag: string): Promise<unknown> {
    this.#busy += 1;
    const asked = this.#denied.get(key ?? '') ?? 0;
    try {
      await new Promise((resolve) => setImmediate(resolve));
      // Who has said that a call did not happen sees to it that it does not happen later either.
      if ((this.#denied.get(key ?? '') ?? 0) > asked) throw new NotApplied('denied meanwhile');
      return await this.#act(name, key, tag);
    } finally {
      this.#busy -= 1;
    }
  }

  async #act(name: ActName, key: string | undefined, tag: string): Promise<unknown> {
    const fault = this.faults.get(tag) ?? 'none';
    this.faults.delete(tag);
    if (key === undefined) {
      this.wrong.push(`${name} ${tag} came without a key`);
      return '';
    }
    if (!this.#hasIntent(key)) this.wrong.push(`${name} acts under ${key}, and its intent is not durable`);
    if (fault === 'before') throw new Error('connection refused');
    if (fault === 'refused') throw new NotApplied('refused');
    const answer = `${name} ${tag}`;
    // An idempotent counterparty answers from memory; the others would act again.
    if (name !== 'idempotent' || !this.#applied.has(key)) this.acts.push({ name, key });
    this.#applied.set(key, answer);
    if (fault === 'after') throw new Error('connection reset');
    if (fault === 'nonsense') return 7;
    if (fault === 'silence') await this.#keepBack();
    return answer;
  }

  /** Nobody waits for an answer that is kept back, once its deadline is over. */
  async #keepBack(): Promise<void> {
    const spoken = new Promise<void>((resolve) => this.#silent.push(resolve));
    await new Promise((resolve) => setTimeout(resolve, 60));
    this.#busy -= 1;
    await spoken;
    this.#busy += 1;
  }

  #hasIntent(key: string): boolean {
    return entriesOf(this.durable()).some((entry) => entry.do === 'intent' && entry.key === key);
  }

  /** Lets the answers come that were kept back: late, all of them. */
  speak(): void {
    for (const resolve of this.#silent.splice(0)) resolve();
  }

  readonly ask: Reconciler = ({ key }) => {
    if (!this.answering) return { is: 'unknown' };
    return this.#has(key) ? { is: 'applied', output: this.#applied.get(key) } : { is: 'not_applied' };
  };

  /** What became of a call, for a person who looks. */
  truth(key: string): { status: 'confirmed' | 'failed'; output?: unknown } {
    return this.#has(key) ? { status: 'confirmed', output: this.#applied.get(key) } : { status: 'failed' };
  }

  #has(key: string): boolean {
    if (this.#applied.has(key)) return true;
    this.#denied.set(key, (this.#denied.get(key) ?? 0) + 1);
    return false;
  }

  readonly takeBack: Undo = ({ undoKey }) => {
    if (!this.undone.includes(undoKey)) this.undone.push(undoKey);
  };

  /** The keys under which something irrevocable happened more than once. */
  repeated(): string[] {
    const keys = this.acts.map(({ key }) => key);
    return keys.filter((key, index) => keys.indexOf(key) !== index);
  }
}
