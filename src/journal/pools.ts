/**
 * The pools of a store (semantics.md ER10, J10): budgets that runs share. A pool has one limit, one sum of what was
 * spent, and a row for each call that has something reserved. The commit of an intent reserves in the same
 * transaction, so neither is there without the other.
 */

/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/** What a commit changes of a call in a pool. */
export interface PoolChange {
  readonly pool: string;
  /** The key of the call, or the number of its actor. */
  readonly call: string;
  /** What the call has reserved from now on. More than before is reserved only where the pool has room for it; else nothing is changed. */
  readonly amount: number;
  /** What the run has spent in addition: a fact, which no limit refuses. */
  readonly spent: number;
  /** True while the call is under way: others wait for what it may give back. */
  readonly open: boolean;
}

/** What a call has reserved. */
export interface Reserved {
  readonly run: string;
  readonly call: string;
  readonly amount: number;
  readonly open: boolean;
}

/** A pool at one moment. */
export interface Pool {
  readonly name: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: readonly Reserved[];
}

/** A pool, and what each run has spent of it. */
export interface PoolListed extends Pool {
  readonly spentBy: readonly { readonly run: string; readonly spent: number }[];
}

/** The pools of a store. */
export interface PoolDesk {
  /** The time between two looks of a call that waits, in milliseconds. */
  readonly pollMs: number;
  /** Makes a pool, unless there is one of that name. @returns the limit that the pool has. */
  join(name: string, limit: number): Awaitable<number>;
  /** A pool by its name; null where no run has joined it. */
  pool(name: string): Awaitable<Pool | null>;
  /** Every pool, by name. */
  list(): Awaitable<readonly PoolListed[]>;
  /** Gives a pool another limit. What is spent or reserved above it stays. @returns false where there is no such pool. */
  limit(name: string, limit: number): Awaitable<boolean>;
  /** Calls a function when something may have been given back, as far as this process hears of it. @returns what ends it. */
  onFreed(listener: () => void): () => void;
}

/** True where a pool has room for a call that has `before` reserved and wants `amount`. */
export function hasRoom(
  { limit, spent, held }: { readonly limit: number; readonly spent: number; readonly held: number },
  before: number,
  amount: number,
): boolean {
  return amount <= before || spent + held - before + amount <= limit;
}

/** The sum of what is reserved. */
export function heldIn(reserved: readonly Pick<Reserved, 'amount'>[]): number {
  return reserved.reduce((sum, { amount }) => sum + amount, 0);
}
