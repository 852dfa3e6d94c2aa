/**
 * Complaints that other processes leave for a run: each is answered once, and its entry is written in the commit of its answer, so that a
 * process which dies in between has not heard it (semantics.md C12).
 */
import { endingText } from '../../effects/messages/cancels.ts';
import type { SentComplaint } from '../../effects/messages/complaints.ts';
import { errorMessage } from '../../effects/signals.ts';
import type { ComplaintEntry } from '../../model/message-entries.ts';
import { subjectOf } from '../../reports/complaint-subject.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { complain } from './complain.ts';
import type { Complaints } from './complaints.ts';

/** The surroundings of the complaints that come to a run. */
interface SentComplaintsPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly recovering: Recovering;
  readonly complaints: Complaints;
  /** Has the machine of a run go on that was taken up: its complaints are answered. */
  /** Every complaint that was left has its answer. */
  answered(): void;
}

interface Heard {
  readonly post: number;
  readonly sent: SentComplaint;
}

/** The complaints that messages bring to one run. */
export class SentComplaints {
  readonly #port: SentComplaintsPort;
  readonly #waiting: Heard[] = [];
  #answering: Promise<void> | null = null;

  constructor(port: SentComplaintsPort) {
    this.#port = port;
  }

  /** True while one has no answer. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Takes a message in, unless it was answered before. */
  take(post: number, sent: SentComplaint): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#waiting.push({ post, sent });
    if (this.#port.parts.lifecycle.isAwake) void this.#answer();
  }

  /** The root is there. Waiting complaints are answered before the machine goes on: they are about the past. */
  begin(): void {
    const { lifecycle } = this.#port.parts;
    if (this.isWaiting) void this.#answer().then(() => lifecycle.note({ isAskedAgain: false }));
  }

  get #isLeft(): boolean {
    return this.#port.parts.lifecycle.isLeft;
  }

  /** The run has ended: refuses what has no answer, also where its root was never started. */
  async refuseAll(): Promise<void> {
    const isOff = () => this.#isLeft || this.#port.write.broken !== null;
    while (this.isWaiting && !isOff()) await this.#answer();
  }

  #answer(): Promise<void> {
    this.#answering ??= this.#answerAll().finally(() => {
      this.#answering = null;
      if (!this.isWaiting) this.#port.answered();
    });
    return this.#answering;
  }

  async #answerAll(): Promise<void> {
    try {
      for (let next = this.#waiting[0]; next !== undefined && !this.#isLeft; next = this.#waiting[0]) {
        await this.#answerOne(next);
        if (!this.#isLeft) this.#waiting.shift();
      }
    } catch {
      // The broken journal reports its failure to the callers that wait for the run.
    }
  }

  async #answerOne({ post, sent }: Heard): Promise<void> {
    const { parts, write } = this.#port;
    const { signal, instance, key, instead, by, why } = sent;
    const entry: ComplaintEntry = { do: 'complaint', post, signal, instance, key, by, why, refused: null };
    const found = await this.#refusal(sent, entry, instead);
    const cancelled = parts.runState.asked.cancelled;
    const refused = cancelled === null ? found : (found ?? endingText(cancelled));
    // Most answers have written it with them.
    if (!parts.runState.asked.sent.has(post) && !this.#isLeft) write.append([{ ...entry, refused }]);
    await write.durable();
  }

  /** Has a complaint answered. @returns why it is refused; null where it is not. */
  async #refusal(sent: SentComplaint, entry: ComplaintEntry, instead: boolean): Promise<string | null> {
    const { parts, recovering, complaints } = this.#port;
    const { signal, instance, key, why } = sent;
    const subject = subjectOf(parts.runState, instance, key);
    if (subject !== null && subject.about !== sent.about)
      return 'that work was undone or done again since: look at it again';
    const found = { instance, instead, ...(key !== null && { key }), ...(why !== null && { error: new Error(why) }) };
    try {
      await complain({ ...parts, recovering, complaints }, signal, found, entry);
      return null;
    } catch (error) {
      return errorMessage(error);
    }
  }
}
