/** Reads the answers that other processes leave for a run, and wakes the calls that wait for them (semantics.md R4). */
import { setAlarm } from '../../clock/alarm.ts';
import { type Alarm, type Beat, PROCESS } from '../../clock/clock.ts';
import type { Refusal } from '../../effects/gates.ts';
import { answerIn } from '../../effects/messages/answers.ts';
import { cancelIn, type SentCancel } from '../../effects/messages/cancels.ts';
import { complaintIn, type SentComplaint } from '../../effects/messages/complaints.ts';
import { keepIn, type SentKeep } from '../../effects/messages/keeps.ts';
import { mandateIn, revokeIn, type SentMandate, type SentRevoke } from '../../effects/messages/mandates.ts';
import { outcomeIn, type SentOutcome } from '../../effects/messages/outcomes.ts';
import { pauseIn, type SentPause } from '../../effects/messages/pauses.ts';
import { retryIn, type SentRetry } from '../../effects/messages/retries.ts';
import { type SentEvent, sentIn } from '../../effects/messages/sent-events.ts';
import { type SentSteer, steerIn } from '../../effects/messages/steers.ts';
import type { AnswerEntry } from '../../model/call-entries.ts';
import type { RunParts, Writer } from '../parts.ts';
import { askedFor, refusalOf, refusedEdit, unlikelyOutcome } from './refusals.ts';

/** The time between two looks into the inbox while a call waits, in milliseconds. */
const POLL = 200;

/** The age of a look that several runs of a process share, in milliseconds. */
const SHARED = 25;

/** The parts of a run that messages are for; each may receive the same message again. */
export interface Hearers {
  /** A person has said what became of a call. */
  settled(key: string): void;
  /** A person has answered a request, or none has in time. */
  said(): void;
  event(post: number, sent: SentEvent): void;
  complaint(post: number, sent: SentComplaint): void;
  cancel(post: number, sent: SentCancel): void;
  pause(post: number, sent: SentPause): void;
  retry(post: number, sent: SentRetry): void;
  outcome(post: number, sent: SentOutcome): void;
  steer(post: number, sent: SentSteer): void;
  keep(post: number, sent: SentKeep): void;
  mandate(post: number, sent: SentMandate | SentRevoke): void;
}

/** The inbox of one run. */
export class Inbox {
  readonly #parts: RunParts;
  readonly #write: Writer;
  readonly #hearers: () => Hearers;
  /** The number of the last message that this process has looked at. */
  #looked = 0;
  #waking: (() => void)[] = [];
  #timer: Beat | null = null;
  /** Set for the first time at which an approval expires. */
  #expiry: Alarm | null = null;

  constructor(parts: RunParts, write: Writer, hearers: () => Hearers) {
    this.#parts = parts;
    this.#write = write;
    this.#hearers = hearers;
  }

  /** The number of messages that were looked at. */
  get looked(): number {
    return this.#looked;
  }

  /** True where a message was left that this process has not looked at. */
  get hasMail(): boolean {
    return this.#parts.journal.posted(this.#looked).length > 0;
  }

  /**
   * Reads the messages that were left for the run, and expires requests that have waited too long.
   * @param late the age in milliseconds that the look at the store may have, which the runs of a process share.
   */
  poll(late = 0): void {
    const { lifecycle, runState } = this.#parts;
    if (!lifecycle.may('receive')) return;
    const { asked } = runState;
    const posted = this.#parts.journal.posted(this.#looked, late);
    let taken = 0;
    for (const { number, body } of posted) {
      this.#looked = number;
      if (this.#hear(number, body) || number <= asked.read) continue;
      this.#take(number, body);
      taken += 1;
    }
    const now = this.#parts.now();
    const expired = asked.pending().filter(({ expires }) => expires !== null && expires <= now);
    for (const { gate } of expired)
      this.#write.append([{ do: 'answer', gate, verdict: 'expired', by: null, why: null, post: null }]);
    if (taken === 0 && expired.length === 0) return;
    // The sender of a message looks into the journal for its outcome.
    void this.#write.durable().catch(() => {});
    this.wake();
  }

  /** Hands a message on that is no answer. @returns false where it is one, or nothing at all. */
  #hear(post: number, body: string): boolean {
    const hearers = this.#hearers();
    return (
      handedOn(sentIn(body), (event) => hearers.event(post, event)) ||
      handedOn(complaintIn(body), (complaint) => hearers.complaint(post, complaint)) ||
      handedOn(cancelIn(body), (cancel) => hearers.cancel(post, cancel)) ||
      handedOn(pauseIn(body), (pause) => hearers.pause(post, pause)) ||
      handedOn(retryIn(body), (retry) => hearers.retry(post, retry)) ||
      handedOn(outcomeIn(body), (outcome) => hearers.outcome(post, outcome)) ||
      handedOn(steerIn(body), (steer) => hearers.steer(post, steer)) ||
      handedOn(keepIn(body), (keep) => hearers.keep(post, keep)) ||
      handedOn(mandateIn(body) ?? revokeIn(body), (word) => hearers.mandate(post, word))
    );
  }

  #take(post: number, body: string): void {
    const answer = answerIn(body);
    if (answer === null) {
      this.#write.append([refusedEntry('', null, { code: 'bad_answer', why: 'it is no answer' }, post)]);
      return;
    }
    const { gate, digest, epoch, by, why, verdict } = answer;
    const like = this.#parts.runState.asked.get(gate)?.like;
    const asks = askedFor(this.#parts, gate, verdict === 'settled' && like === undefined ? 'outcome' : 'approval');
    const refused =
      refusalOf(this.#parts, gate, asks, { digest, epoch }) ??
      unlikelyOutcome(this.#parts, answer) ??
      refusedEdit(this.#parts, gate, answer);
    if (refused !== null) {
      this.#write.append([refusedEntry(gate, by, refused, post)]);
      return;
    }
    const key = this.#parts.runState.asked.get(gate)?.key as string;
    const change = 'with' in answer ? { with: answer.with } : {};
    this.#write.append([{ do: 'answer', gate, verdict, by, why, post, ...change }]);
    if (verdict !== 'settled') return;
    const { status } = answer;
    const output = answer.output ?? this.#parts.runState.ledger.get(like ?? '')?.output;
    this.#write.append([{ do: 'outcome', key, status, ...(status === 'confirmed' && { output }) }]);
    this.#hearers().settled(key);
  }

  /** Looks into the inbox from time to time until the run has ended: who holds a run listens (CH9). */
  listen(): void {
    this.#timer ??= PROCESS.every(POLL, () => {
      if (this.#parts.runState.ended !== null) this.stop();
      else this.#tryPoll();
      this.#keepAlive();
    });
    this.#keepAlive();
  }

  /** Listens, and looks when the first approval expires. */
  watch(): void {
    this.#awaitExpiry();
    this.listen();
  }

  /** A process that waits for an approval stays, unless it was told otherwise: nothing else may keep it. */
  #keepAlive(): void {
    const { asked } = this.#parts.runState;
    const isAsked = !asked.isQuiet && asked.pending().some(({ asks }) => asks !== 'outcome');
    this.#timer?.keepAlive(isAsked && this.#parts.keepAlive);
  }

  /** @param soonest the first time at which to look. */
  #awaitExpiry(soonest = 0): void {
    this.#expiry?.cancel();
    const due = Math.max(
      soonest,
      Math.min(...this.#parts.runState.asked.pending().map(({ expires }) => expires ?? Number.POSITIVE_INFINITY)),
    );
    if (!Number.isFinite(due)) return;
    const look = () => {
      this.#tryPoll();
      // What cannot be written down now is not looked at without a rest.
      this.#awaitExpiry(this.#parts.now() + POLL);
    };
    this.#expiry = setAlarm(due, this.#parts.now, look, false);
  }

  #tryPoll(): void {
    const { runState, journal } = this.#parts;
    try {
      // Most looks find nothing: the state of the run is asked for where there is something to take or to expire.
      const isQuiet = runState.asked.isQuiet && journal.posted(this.#looked, SHARED).length === 0;
      if (!isQuiet) this.poll(SHARED);
    } catch {
      // A journal that cannot be read now reports its failure at the next write; the next look may find it well.
    }
  }

  /** Looks no more. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#expiry?.cancel();
    this.#expiry = null;
  }

  /** Has the calls that wait look again: something was said, or a restore has taken back what they were granted. */
  wake(): void {
    const waking = this.#waking;
    this.#waking = [];
    for (const wake of waking) wake();
    this.#hearers().said();
  }

  /** Resolves once there is something to look at again, or a call is aborted. */
  woken(signal: AbortSignal): Promise<void> {
    this.watch();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waking.push(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}

/** Hands a message on that has a form. @returns false where it has none. */
function handedOn<Sent>(sent: Sent | null, hear: (sent: Sent) => void): boolean {
  if (sent !== null) hear(sent);
  return sent !== null;
}

function refusedEntry(gate: string, by: string | null, refused: Refusal, post: number): AnswerEntry {
  return { do: 'answer', gate, verdict: 'refused', by, ...refused, post };
}
