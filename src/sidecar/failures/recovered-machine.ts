/** The machine of a run, as its recoveries see it. */
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import type { DismissalReason } from '../../model/entry.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { WorkRecord } from '../../projection/set-aside/records.ts';

/** The machine, as a recovery acts on it. */
export interface RecoveredMachine {
  /** Undoes context and, in place, control. */
  restore(parts: RestoredParts, inPlace: boolean): void;
  /** Puts the context of a machine that goes on where its journal has it. */
  putContext(actor: number): void;
  /** Sends again what restores took back. */
  offer(): void;
  /** Has the journal have the turns that wait and were left before an act (RC12). @param post the number of its message; null for the program's own. */
  holdTurns(post: number | null): void;
  /** Sends an event from outside, as soon as the machine can be sent it. @param post the number of the message that brought it, if one did. */
  receive(post: number | null, sent: SentEvent): void;
  /** Gives a record up. */
  dismiss(record: WorkRecord, why: DismissalReason, wrong?: readonly string[]): void;
  /** Begins a run again whose first macrostep threw; false where there is none. */
  beginAgain(): boolean;
  /** The run has ended: every complaint that was left until now is refused in the journal. */
  refuseComplaints(): Promise<void>;
  /** A recovery is over, with any result. */
  settled(): void;
}

/** The work that a restore keeps, sets aside, and does not believe any more. */
export interface RestoredParts {
  readonly kept: readonly Kept[];
  readonly aside: readonly InstanceId[];
  /** The keys of calls whose recorded answers were found wrong (C10). */
  readonly wrong: readonly string[];
  /** The keys in `wrong` whose recorded answer is certainly the wrong one. */
  readonly sure: readonly string[];
}
