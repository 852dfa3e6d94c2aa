/** The obligations that calls have taken on, and what was said of them (semantics.md OB1 to OB7). */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { ObligationAnswer, ObligationEntry } from '../model/obligation-entries.ts';

type Owed = Extract<ObligationEntry, { is: 'owed' }>;

/** A person's word for an obligation. */
export interface AnsweredObligation {
  readonly as: ObligationAnswer;
  readonly by: string;
  readonly why: string | null;
}

/** What a base holds of obligations. */
export interface SavedObligations {
  readonly taken: readonly (readonly [Owed, number, number])[];
  readonly answers: readonly (readonly [string, AnsweredObligation])[];
  readonly overdue: readonly string[];
  readonly unkept: readonly (readonly [string, string])[];
  readonly orders: readonly (readonly [string, number])[];
}

/** The obligations of one run. */
export class Obligations {
  /** By the key of the call: what it has taken on, its place among the intents of calls that keep, and its time. */
  readonly #taken = new Map<string, { readonly entry: Owed; readonly order: number; readonly since: number }>();
  readonly #answers = new Map<string, AnsweredObligation>();
  readonly #overdue = new Set<string>();
  readonly #unkept = new Map<string, string>();
  /** The places of the intents of calls that may keep an obligation which was taken on before them. */
  readonly #orders = new Map<string, number>();
  readonly #keepers = new Set<string>();
  #count = 0;

  get isEmpty(): boolean {
    return this.#taken.size === 0;
  }

  /** The calls that have taken obligations on, in the order of their intents. */
  get taken(): readonly { readonly entry: Owed; readonly order: number; readonly since: number }[] {
    return [...this.#taken.values()];
  }

  take(entry: ObligationEntry, time: number): void {
    switch (entry.is) {
      case 'owed':
        // The same sentence is said anew: nothing that was said of the one that failed is about it.
        for (const index of entry.due.keys()) this.#forget(nameOf(entry.key, index));
        this.#count += 1;
        this.#keepers.add(entry.keptBy);
        this.#taken.delete(entry.key);
        this.#taken.set(entry.key, { entry, order: this.#count, since: time });
        return;
      case 'answered':
        this.#answers.set(entry.name, { as: entry.as, by: entry.by, why: entry.why });
        return;
      case 'overdue':
        this.#overdue.add(entry.name);
        return;
      case 'unkept':
        if (entry.why === null) this.#unkept.delete(entry.name);
        else this.#unkept.set(entry.name, entry.why);
    }
  }

  #forget(name: string): void {
    this.#answers.delete(name);
    this.#overdue.delete(name);
    this.#unkept.delete(name);
  }

  /** A call has an intent. One that a replay takes over keeps the place of its first time. */
  intend({ key, tool, status }: LedgerCall): void {
    if (!this.#keepers.has(tool) || status === 'confirmed') return;
    this.#count += 1;
    this.#orders.set(key, this.#count);
  }

  /** The place of the intent of a call; 0 for one before all obligations. */
  orderOf(key: string): number {
    return this.#orders.get(key) ?? 0;
  }

  answer(name: string): AnsweredObligation | undefined {
    return this.#answers.get(name);
  }

  isOverdue(name: string): boolean {
    return this.#overdue.has(name);
  }

  /** Why no call that keeps an obligation may leave, as the journal has it; undefined where one may. */
  unkept(name: string): string | undefined {
    return this.#unkept.get(name);
  }

  /** What the run that this one was forked from has taken on is that run's to keep. */
  fork(): void {
    this.#taken.clear();
    for (const names of [this.#answers, this.#overdue, this.#unkept, this.#orders, this.#keepers]) names.clear();
  }

  get saved(): SavedObligations {
    return {
      taken: this.taken.map(({ entry, order, since }) => [entry, order, since] as const),
      answers: [...this.#answers],
      overdue: [...this.#overdue],
      unkept: [...this.#unkept],
      orders: [...this.#orders],
    };
  }

  /** Takes over what a base has. */
  resumeAt({ taken, answers, overdue, unkept, orders }: SavedObligations): void {
    for (const [entry, order, since] of taken) {
      this.#taken.set(entry.key, { entry, order, since });
      this.#keepers.add(entry.keptBy);
    }
    for (const [name, answer] of answers) this.#answers.set(name, answer);
    for (const name of overdue) this.#overdue.add(name);
    for (const [name, why] of unkept) this.#unkept.set(name, why);
    for (const [key, order] of orders) this.#orders.set(key, order);
    this.#count = Math.max(0, ...taken.map(([, order]) => order), ...orders.map(([, order]) => order));
  }
}

/** The obligations of a run, counted (semantics.md OB1 to OB6). */
export interface OwedCounts {
  readonly open: number;
  /** Of the open ones: those that were due. */
  readonly overdue: number;
  readonly broken: number;
}

/** The name of an obligation: the key of its call, and its number. */
export function nameOf(key: string, index: number): string {
  return `${key}#${index + 1}`;
}
