/**
 * Claims keep runs apart that touch the same external keys: a run keeps the keys that it has touched until its end, or
 * until a person frees them. Another run that wants such a key waits in line; if two runs would wait for each other,
 * one of them is refused.
 */
import type { Claim } from '../../journal/claims.ts';
import { CodedError } from '../../model/coded-error.ts';
import type { PassedOn } from '../../model/passed-on.ts';

/** The claims of runs. One for all runs that may meet. */
export interface Claims {
  /**
   * Takes claims for a run, all at once, and waits where others have them. A run takes what it has once more at no cost.
   * @param waits told once, with the reason, where it has to wait.
   * @param longest the longest wait, in milliseconds; left out, as long as these claims allow.
   * @returns null once the run has them, or why it does not get them; null as well where `signal` has ended the wait.
   * @throws JournalError where they are kept in a store that fails, or that does not have the run; ClaimsClosed.
   */
  take(
    run: string,
    wanted: readonly Claim[],
    signal: AbortSignal,
    waits: (reason: string) => void,
    longest?: number,
  ): Promise<string | null>;
  /** Frees all claims of a run that is over. Claims that the run gave up stay in the way until this call. */
  release(run: string): void | Promise<void>;
  /** Releases keys of a run that goes on, by their texts (ER1). Claims without it keep all keys to the end. */
  letGo?(run: string, keys: readonly string[]): void | Promise<void>;
  /** Takes back the released keys of a run that no other run has been given. @returns the others (ER3). */
  takeBack?(run: string): readonly PassedOn[] | Promise<readonly PassedOn[]>;
  /** The keys of a run that a person has freed and that the run has not taken back since (ER8). */
  freed?(run: string): readonly string[] | Promise<readonly string[]>;
}

/** Claims that are kept in a store. */
export interface StoreClaims extends Claims {
  /** Ends every wait, with ClaimsClosed: this process gives its runs back. */
  close(): void;
}

/** Thrown to a machine for a call that did not get its claims: the call has not happened. */
export class ClaimRefused extends CodedError<'claim_refused' | 'late_touch'> {
  override readonly name = 'ClaimRefused';
}

/** Thrown for a wait that the process has ended: the call waits again in the process that takes its run up. */
export class ClaimsClosed extends CodedError<'claims_closed'> {
  override readonly name = 'ClaimsClosed';
}
