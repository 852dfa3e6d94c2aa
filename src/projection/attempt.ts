/** The attempt that a run is, as its journal tells it: its terms, where it stands, and the choice (semantics.md FK7 to FK9). */
import { type AttemptTerms, attemptNamed, type KeptEntry, type TriedEntry } from '../model/attempt-entries.ts';
import type { Entry } from '../model/entry.ts';

/** The place at which an attempt waits for the choice, and since when, in milliseconds. */
type Tried = Omit<TriedEntry, 'do'> & { readonly since: number };

/** The attempt that a run is. */
export interface AttemptState {
  /** Null for a run that is no attempt. */
  readonly terms: AttemptTerms | null;
  /** The place at which the attempt waits; null while the attempt is under way. */
  readonly tried: Tried | null;
  /** The run that was kept; null before this attempt has read of a choice. */
  readonly kept: string | null;
  /** True once a person ends it. */
  readonly isEnding: boolean;
}

const NONE: AttemptState = { terms: null, tried: null, kept: null, isEnding: false };

/** Follows the attempt that one run is. */
export class Attempt {
  #now = NONE;

  get now(): AttemptState {
    return this.#now;
  }

  /** True until the attempt has read of the choice. */
  get isTrying(): boolean {
    return this.#now.terms !== null && this.#now.kept === null;
  }

  /** The name of this attempt; empty for a run that is none. */
  get name(): string {
    const { terms } = this.#now;
    return terms === null ? '' : attemptNamed(terms.of, terms.number);
  }

  /** A fork begins here. @param terms those of an attempt; undefined for a fork that is none, also for a fork of an attempt. */
  fork(terms: AttemptTerms | undefined): void {
    this.#now = terms === undefined ? NONE : { ...NONE, terms };
  }

  try({ do: _, ...tried }: TriedEntry, since: number): void {
    this.#now = { ...this.#now, tried: { ...tried, since } };
  }

  keep({ run, refused }: KeptEntry): void {
    if (refused === null) this.#now = { ...this.#now, kept: run };
  }

  /** A person ends it. */
  end(): void {
    if (this.#now.terms !== null) this.#now = { ...this.#now, isEnding: true };
  }

  /** The attempt waits no more: a restore has put the run elsewhere, or the claim that the run waited for was granted. */
  passed(by: Extract<Entry['do'], 'restored' | 'step' | 'intent'>): void {
    const { tried } = this.#now;
    if (tried !== null && (by === 'restored' || tried.at === 'key')) this.#now = { ...this.#now, tried: null };
  }

  resumeAt(saved: AttemptState): void {
    this.#now = saved;
  }
}
