/**
 * The claims of the runs of a store: the keys of each run, and the calls that wait for them. A claim belongs to its
 * run, and neither to its lease nor to its process: the process that takes the run up next has it. It ends with the
 * run, or by a person. A waiting call stands in line while its process has the run; the place of a call whose process
 * is gone counts for nothing.
 */
import type { Key } from '../model/key.ts';
import type { PassedOn } from '../model/passed-on.ts';

/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/** The thing that a run wants to have to itself; `shared`: with others who want it shared. */
export interface Claim {
  readonly key: Key;
  readonly shared: boolean;
  /** For a key that the common past of a fork has touched: the run that touched it first. Its grant is the fork's, too (FK6). */
  readonly from?: string;
}

/** A call of a run that wants claims, all of them at once. */
export interface ClaimCall {
  /** Names the call among all of the store, a UUID. Asked again under it, it keeps its place in line. */
  readonly id: string;
  readonly run: string;
  /** Each key once. */
  readonly wanted: readonly Claim[];
}

/** The state of a call that was asked for. */
export type ClaimAnswer =
  /** Its run has what it wants. */
  | { readonly is: 'held' }
  /** It stands in line, until it asks again or leaves. `why` names a run and a key. */
  | { readonly is: 'waits'; readonly why: string }
  /** It would wait for a run that waits for its own, and does not stand in line. */
  | { readonly is: 'refused'; readonly why: string }
  /** The run is not open in this store any more, or never was: another process may have it. */
  | { readonly is: 'lost' };

/** A claim that a run has. */
export interface HeldClaim {
  readonly run: string;
  readonly key: string;
  readonly shared: boolean;
  /** For a grant that a fork shares: the run that was given it first (FK6). */
  readonly from?: string;
  /** The number of its grant: of two claims that overlap, the older one has the smaller. */
  readonly epoch: number;
  /** The wall clock of its grant, in milliseconds. */
  readonly since: number;
  /** True where the run has released the key and goes on (ER1). */
  readonly released?: true;
  /** The run that was given a released key first. */
  readonly passed?: string;
}

/** A call that stands in line. */
export interface WaitingClaim {
  readonly run: string;
  readonly wanted: readonly { readonly key: string; readonly shared: boolean }[];
  /** The wall clock of its asking, in milliseconds. */
  readonly since: number;
  /** The runs that the call waits for: the runs that have any of its keys, or else the runs that asked first. */
  readonly waitsFor: readonly string[];
}

/** Claims that a person has freed. */
export interface FreedClaims {
  readonly run: string;
  readonly by: string | null;
  /** The reason that the person gave; null for none. */
  readonly why: string | null;
  readonly keys: readonly string[];
  /** The wall clock, in milliseconds. */
  readonly time: number;
}

/** The claims of a store at one moment. */
export interface ClaimsListed {
  readonly held: readonly HeldClaim[];
  /** In the order of their asking. */
  readonly waiting: readonly WaitingClaim[];
  /** In the order of their freeing. */
  readonly freed: readonly FreedClaims[];
}

/** The claims of the runs of one store. */
export interface ClaimDesk {
  /** The time after which calls that wait are asked for again, in milliseconds, where nothing was told of a freeing. */
  readonly pollMs: number;
  /**
   * Asks for claims, one call after the other: each is granted, stands in line, or is refused. Durable on return. Calls that wait ask again,
   * in the order in which they began to wait. What a run has it is given again at no cost.
   */
  ask(calls: readonly ClaimCall[]): Awaitable<readonly ClaimAnswer[]>;
  /** Takes calls out of the line. */
  leave(calls: readonly ClaimCall[]): Awaitable<void>;
  /** Frees everything that a run has which is open in this store: it is over. */
  release(run: string): Awaitable<void>;
  /** Releases keys of a run that goes on, by their texts: others may be given them. Nothing is released while a call of the run stands in line (ER2). */
  letGo(run: string, keys: readonly string[]): Awaitable<void>;
  /** Takes back the released keys of a run that no other run has been given. @returns the others, which it never has again (ER3). */
  takeBack(run: string): Awaitable<readonly PassedOn[]>;
  /**
   * Frees what a run has by the word of a person, and fences off a process that may still believe to have it. The keys stay noted: a process
   * that takes the run up has those of them again that no other run was given (ER8).
   * @param head the end of the run, as the person saw it.
   * @returns the keys; null where the run has gone on since.
   * @throws JournalError `run_unknown`; `lease_held` while a living process has it.
   */
  free(run: string, head: number, by: string | null, why?: string): Awaitable<readonly string[] | null>;
  /** The keys of a run that a person has freed and that the run has not taken back since, by their texts (ER8). */
  freed(run: string): Awaitable<readonly string[]>;
  list(): Awaitable<ClaimsListed>;
  /** Calls a function when something may have been freed, as far as this process hears of it. @returns what ends it. */
  onFreed(listener: () => void): () => void;
}

/** Tells those who wait for claims that something may have been freed. */
export class Freed {
  readonly #listeners = new Set<() => void>();

  /** Calls a function from now on. @returns what ends it. */
  onFreed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something may have been freed. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
