/**
 * The abort of a run as its journal tells it: the undos that are owed, and the standing calls with their reasons
 * (semantics.md AB4, AB7).
 */
import type { OutcomeEntry } from '../model/call-entries.ts';
import type { Entry } from '../model/entry.ts';

/** A call that is not undone. */
export interface StandingCall {
  readonly why: string;
  /** The keys of the calls that it rests on. */
  readonly on: readonly string[];
  /** The person who says that it stands; null where its class or its undo says so. */
  readonly by: string | null;
}

/** A call that stands, with what it rested on and is undone. */
export interface StandingAct extends StandingCall {
  readonly key: string;
  readonly gone: readonly string[];
}

/** The abort of one run. */
export class Aborted {
  /** The errors of the undos that failed as often as they are tried, by the keys of their calls. */
  readonly owed = new Map<string, string>();
  /** The calls that stand, by their keys. */
  readonly stands = new Map<string, StandingCall>();

  /** Takes the beginning or the end of an undo in. */
  phase({ phase, effect = '', error = '' }: Extract<Entry, { do: 'phase' }>): void {
    if (phase === 'STUCK') this.owed.set(effect, error);
    else this.owed.delete(effect);
  }

  settle({ key, status }: OutcomeEntry): void {
    if (status === 'compensated' || status === 'failed') this.owed.delete(key);
  }

  stand({ key, why, on = [], by }: Extract<Entry, { do: 'stands' }>): void {
    this.owed.delete(key);
    this.stands.set(key, { why, on, by: by ?? null });
  }

  /** The abort takes the place of a restore: what that owed is not owed any more. */
  begin(): void {
    this.owed.clear();
  }
}
