/** The mandates that a run was given, and whether it acts under one now (semantics.md MD1 to MD5). */
import type { Entry, ForkedEntry } from '../model/entry.ts';
import type { MandateEntry, MandateOver, MandateTerms } from '../model/mandate-entries.ts';

/** A mandate that was given. */
export interface GivenMandate {
  readonly id: string;
  readonly terms: MandateTerms;
  /** The wall clock at which it was given, in milliseconds. */
  readonly since: number;
}

/** The reason why a run has no mandate. */
export interface NoMandate {
  readonly why: MandateOver;
  /** The person who has withdrawn the mandate, with the reason; null if no person has. */
  readonly by: string | null;
  readonly said: string | null;
  readonly since: number;
}

/** What a base holds of mandates. */
export interface SavedMandates {
  readonly ids: readonly string[];
  readonly now: GivenMandate | null;
  readonly over: NoMandate | null;
  readonly wanted: string | null;
}

/** The mandates of one run. */
export class Mandates {
  /** The names of all that were given: none is given twice, so that a withdrawn one never comes back. */
  readonly #ids = new Set<string>();
  #now: GivenMandate | null = null;
  #over: NoMandate | null = null;
  #wanted: string | null = null;

  /** The mandate that the run was given last; null for none. */
  get last(): GivenMandate | null {
    return this.#now;
  }

  /** Why the run has no mandate; null where it has one, or needs none. */
  get over(): NoMandate | null {
    return this.#over;
  }

  /** The mandate under which calls leave; null where the run needs none, or has none. */
  get valid(): GivenMandate | null {
    return this.#over === null ? this.#now : null;
  }

  /** The tool of the first call that waits for another mandate; null where none waits. */
  get wanted(): string | null {
    return this.#wanted;
  }

  /** True where the run was ever given a mandate, or needs one. */
  get isUsed(): boolean {
    return this.#now !== null || this.#over !== null;
  }

  get standing(): 'stands' | 'over' | 'wanted' {
    if (this.#over === null) return 'stands';
    return this.#wanted === null ? 'over' : 'wanted';
  }

  /** True for a mandate that the run was given before. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Takes an entry in, whichever it is. */
  fold(entry: Pick<Entry, 'do'> | Entry, time: number): void {
    switch (entry.do) {
      case 'mandate':
        this.#take(entry as MandateEntry, time);
        return;
      case 'forked':
        this.#fork((entry as ForkedEntry).revoked, time);
        return;
      case 'restored':
        // What waited is asked for again, or is not wanted any more.
        this.#wanted = null;
        return;
      default:
    }
  }

  #take(entry: MandateEntry, time: number): void {
    if ('refused' in entry && entry.refused !== null) return;
    switch (entry.is) {
      case 'given':
        this.#ids.add(entry.id);
        this.#now = { id: entry.id, terms: entry.terms, since: time };
        this.#over = null;
        this.#wanted = null;
        return;
      case 'revoked':
        this.#over = { why: 'revoked', by: entry.by, said: entry.why, since: time };
        return;
      case 'over':
        this.#over = { why: entry.why, by: null, said: null, since: time };
        return;
      case 'wanted':
        this.#wanted = entry.tool;
    }
  }

  /** A fork has the mandate of the common past, unless that was withdrawn by then (MD6). */
  #fork(revoked: { readonly by: string; readonly why: string | null } | undefined, time: number): void {
    this.#wanted = null;
    if (revoked !== undefined) this.#over = { why: 'revoked', by: revoked.by, said: revoked.why, since: time };
  }

  get saved(): SavedMandates {
    return { ids: [...this.#ids], now: this.#now, over: this.#over, wanted: this.#wanted };
  }

  /** Takes over what a base has. */
  resumeAt({ ids, now, over, wanted }: SavedMandates): void {
    for (const id of ids) this.#ids.add(id);
    this.#now = now;
    this.#over = over;
    this.#wanted = wanted;
  }
}
