/**
 * Complaints from outside the run: which may be made, and which take the place of complaints that the run is parked on
 * (semantics.md C12).
 */

import { JournalError } from '../../journal/journal.ts';
import type { DecisionEntry, Entry } from '../../model/entry.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import { questionOf } from '../../projection/open-decisions.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Raised, Suspect } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Writing } from '../writing.ts';
import type { FailureQueue } from './failure-queue.ts';
import { type OpenFailures, stuckError } from './open-failures.ts';
import type { RecoveryParts } from './recovery-parts.ts';

/** The complaints of one run. */
export class Complaints {
  readonly #open: OpenFailures;
  readonly #queue: FailureQueue;
  readonly #write: Writing;
  readonly #runState: RunState;
  readonly #lifecycle: Lifecycle;
  /** The complaints of callers that have no answer in the journal yet. */
  readonly #unanswered = new Set<Raised>();
  /** The complaints that are not looked at yet. */
  readonly #fresh = new Set<Raised>();
  /** The complaints that were refused, until their callers are told why. */
  readonly #refused = new Map<Raised, SidecarError>();
  /** The parked complaints that a complaint takes the place of, until the journal has it. */
  readonly #replaced = new Map<Raised, readonly Raised[]>();

  constructor({ open, queue, write, parts }: Pick<RecoveryParts, 'open' | 'queue' | 'write' | 'parts'>) {
    this.#runState = parts.runState;
    this.#lifecycle = parts.lifecycle;
    this.#open = open;
    this.#queue = queue;
    this.#write = write;
  }

  /**
   * Takes in a failure that a caller has seen: the instance, and the key that was found wrong, if any.
   * @throws SidecarError `stuck`; `bad_failure` if the failure is to replace a complaint and none waits; `run_finished`
   * if the run was cancelled before the answer; JournalError `journal_closed` if the run was given back before.
   */
  async fail(complaint: Omit<Raised, 'actor' | 'call' | 'suspect'>): Promise<void> {
    const raised: Raised = { ...complaint, actor: 0, call: null, suspect: true };
    this.#fresh.add(raised);
    this.#unanswered.add(raised);
    await this.#queue.raise(raised);
    const why = this.#refused.get(raised);
    this.#refused.delete(raised);
    const isLeft = this.#unanswered.delete(raised);
    if (why !== undefined) throw why;
    if (!isLeft) return;
    if (this.#runState.asked.cancelled !== null) throw cancelledBefore();
    if (this.#lifecycle.isLeft) throw leftBefore();
  }

  /**
   * Takes back the complaints that one takes the place of which is about work that is undone already, and needs no other answer.
   * @throws SidecarError `stuck`, or `bad_failure` where it is to take the place of a complaint and none waits.
   */
  async retract(complaint: Suspect, instead: boolean): Promise<void> {
    const takesPlaceOf = (other: Raised) => isReplaced(other, { failure: null, complaint, instead });
    if (!instead && !this.#open.parked.some(takesPlaceOf)) return;
    await this.#queue.add(() => {
      this.#open.refuseIfStuck();
      const replaced = this.#open.parked.filter(takesPlaceOf);
      if (instead && replaced.length === 0) throw noneWaits();
      if (replaced.length > 0) this.#write.append([retractionOf(replaced)]);
      this.#open.unask(replaced);
    });
  }

  /** @throws SidecarError `bad_failure` where no complaint waits that another one could take the place of. */
  refuseUnlessParked(): void {
    refuseUnlessParked(this.#open.parked);
  }

  /** Refuses a new complaint where a plan is stuck. Any other failure is left alone. */
  refuseOverStuck(raised: Raised): void {
    if (this.#fresh.delete(raised) && this.#open.stuck !== null) this.#refused.set(raised, stuckError());
  }

  /**
   * Replaces parked complaints that have moved nothing by a new one. With `instead`, the new complaint replaces every
   * such complaint; otherwise the complaint about the same instance and key, and one about the same entity that names
   * no occurrence. Other complaints stay suspects.
   * @returns false if there is nothing to replace: the new complaint is refused.
   */
  admits(raised: Raised): boolean {
    if (!this.#fresh.delete(raised)) return true;
    const replaced = this.#open.parked.filter((other) => isReplaced(other, raised));
    if (raised.instead === true && replaced.length === 0) {
      this.#refused.set(raised, noneWaits());
      return false;
    }
    if (replaced.length > 0) this.#replaced.set(raised, replaced);
    this.#open.unask(replaced);
    return true;
  }

  /** Makes the entries that belong to the answer to a complaint, once: the message that brought it, and what it has taken the place of. */
  answered(raised: Raised): Entry[] {
    const replaced = this.#replaced.get(raised);
    this.#replaced.delete(raised);
    this.#unanswered.delete(raised);
    const { heard } = raised;
    const isOwed = heard !== undefined && (heard.post === null || !this.#runState.asked.sent.has(heard.post));
    const isNew = isOwed && !this.#refused.has(raised);
    return [...(isNew ? [heard] : []), ...(replaced === undefined ? [] : [retractionOf(replaced)])];
  }
}

/** A question that a run is parked on, as far as a complaint may take its place. */
export type ParkedQuestion = Pick<Raised, 'failure' | 'complaint'>;

/**
 * A complaint, as needed to replace another one. Its failure is null if the work that it is about is undone already.
 */
interface Successor extends Pick<Raised, 'complaint' | 'instead'> {
  readonly failure: Failure | null;
}

/** True where a new complaint takes the place of a question that the run is parked on. */
export function isReplaced(
  { failure: old, complaint: meant }: ParkedQuestion,
  { failure, complaint, instead }: Successor,
): boolean {
  if (meant === undefined) return false;
  if (instead === true) return true;
  if (old.in === null) return meant.skeleton === complaint?.skeleton && meant.entity === complaint.entity;
  if (failure === null || failure.in === null || instanceName(old.in) !== instanceName(failure.in)) return false;
  return old.key?.text === failure.key?.text;
}

function retractionOf(replaced: readonly Raised[]): Entry {
  const questions = replaced.map(({ failure, complaint }) =>
    questionOf({
      failed: failure.in,
      key: failure.key?.text ?? null,
      call: null,
      ...(complaint !== undefined && { complaint: complaint as NonNullable<DecisionEntry['complaint']> }),
    }),
  );
  return { do: 'retracted', questions };
}

function cancelledBefore(): SidecarError {
  return new SidecarError('run_finished', 'the run was cancelled before the complaint was answered: nothing is redone');
}

/** The error of a complaint that has no answer as the run is given back: no process reads it again. */
export function leftBefore(): JournalError {
  const text = 'the run is given back, and the complaint was not taken: make it again once the run is taken up';
  return new JournalError('journal_closed', text);
}

/** @throws SidecarError `bad_failure` where no complaint waits that another one could take the place of. */
export function refuseUnlessParked(parked: readonly ParkedQuestion[]): void {
  if (!parked.some(({ complaint }) => complaint !== undefined)) throw noneWaits();
}

function noneWaits(): SidecarError {
  return new SidecarError(
    'bad_failure',
    'no complaint waits that this one could take the place of: leave `instead` out',
  );
}
