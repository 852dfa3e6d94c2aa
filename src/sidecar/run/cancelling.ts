/**
 * The end of a run by a person's word (semantics.md F3). The run starts no new act, waits for its calls under way, and
 * ends once no outcome is unknown. Its effects stand, or are undone if the person asked for that (AB1); its staged
 * calls never happen.
 */
import type { SentCancel } from '../../effects/messages/cancels.ts';
import type { CancelEntry, EndEntry } from '../../model/message-entries.ts';
import { keysLeft } from '../../projection/left-calls.ts';
import type { Calls } from '../calls/calls.ts';
import type { LeftActs } from '../calls/left-acts.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Writing } from '../writing.ts';

/** The surroundings of the cancelling of a run. */
interface CancellingPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly calls: Calls;
  readonly outbox: Outbox;
  readonly recovering: Recovering;
  readonly left: LeftActs;
  /** @see {@link EndEntry} */
  unheard(): Pick<EndEntry, 'heard' | 'untaken'>;
  /** Stops the machine: the run is over. */
  stopMachine(): unknown;
}

/** The cancelling of one run. */
export class Cancelling {
  readonly #port: CancellingPort;
  #isEnding = false;
  /** The number of times that what an abort waits for was answered. */
  #answered = 0;

  constructor(port: CancellingPort) {
    this.#port = port;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentCancel): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#say(sent, post);
    void this.#port.write.durable().catch(() => {});
  }

  /** Another attempt was kept: the run ends with its undos, unless a person ends it already. */
  loses(sent: SentCancel): void {
    this.#say(sent, null);
  }

  /** Takes the word of this process's own program. @throws SidecarError `not_advised` where a person ends the run by now; `run_finished`. */
  async say(sent: SentCancel): Promise<void> {
    const refused = this.#say(sent, null);
    await this.#port.write.durable();
    if (refused === null) return;
    throw new SidecarError(this.#port.parts.runState.ended === null ? 'not_advised' : 'run_finished', refused);
  }

  #say({ by, why, undo }: SentCancel, post: number | null): string | null {
    const { parts, write } = this.#port;
    const { cancelled } = parts.runState.asked;
    const before = cancelled === null ? null : `it was cancelled before, by ${JSON.stringify(cancelled.by)}`;
    const refused = parts.lifecycle.answer('cancel').is === 'no' ? (before ?? 'the run has ended') : null;
    const entry: CancelEntry = { do: 'cancel', post, by, why, refused, ...(undo === true && { undo }) };
    if (refused === null || post !== null) write.append([entry]);
    if (refused === null) this.goOn();
    return refused;
  }

  /** The machine is there. */
  begin(): void {
    this.goOn();
  }

  /** Goes on with a cancelling that something held up, if there is one. */
  goOn(): void {
    const { lifecycle, runState } = this.#port.parts;
    if (!lifecycle.isAwake || runState.asked.cancelled === null) return;
    // What it waits for would be given to a run that is over.
    this.#port.calls.cancel();
    void this.end().then(
      (isOver) => isOver && this.#port.stopMachine(),
      // The broken journal reports its failure to the callers that wait for the run.
      () => {},
    );
  }

  /**
   * Ends a run that was cancelled, once its recoveries are over and nothing is unknown; else it is parked on the first call of which it is
   * not known what became.
   * @returns true where this has ended it.
   */
  async end(): Promise<boolean> {
    if (this.#isEnding) return false;
    this.#isEnding = true;
    try {
      for (;;) {
        const answered = this.#answered;
        if (await this.#end()) return true;
        // What was answered meanwhile is looked at once more.
        if (answered === this.#answered) return false;
      }
    } finally {
      this.#isEnding = false;
    }
  }

  async #end(): Promise<boolean> {
    const { parts, write, calls, outbox, recovering } = this.#port;
    const isOff = () => !parts.lifecycle.may('carry');
    await recovering.byPerson.answered();
    if (parts.lifecycle.isAborting) recovering.byPerson.letGoOfPlan();
    if (isOff()) return false;
    recovering.byPerson.letGo();
    // What a commit has promised becomes visible; no other begins.
    await outbox.settled();
    if (isOff() || !(await this.#clear(isOff)) || isOff()) return false;
    await calls.underWay.staged();
    await outbox.abandon();
    if (isOff() || !this.#isClear()) return false;
    await calls.sandboxes.over();
    if (isOff() || !this.#isClear()) return false;
    const isAbort = parts.lifecycle.isAborting;
    if (!isAbort) this.#port.left.atEnd();
    const standing = keysLeft(parts.runState);
    const of = standing.length > 0 ? { standing } : {};
    const status = isAbort ? 'compensated' : 'cancelled';
    const end: EndEntry = { do: 'end', status, ...of, ...this.#port.unheard() };
    write.append([end]);
    await write.durable();
    await recovering.byPerson.over();
    return true;
  }

  /** Has nothing be unknown, nor owed where the run is aborted. @returns false where the run waits for that. */
  async #clear(isOff: () => boolean): Promise<boolean> {
    const { parts, recovering } = this.#port;
    if (parts.lifecycle.isAborting) {
      await recovering.aborting.undo(isOff);
      return this.#isClear();
    }
    if (!(await recovering.clearOpen(() => this.goOn())) || isOff()) return false;
    await recovering.discarding.finish();
    if (recovering.losers.isOwed) await recovering.losers.finish();
    return true;
  }

  /** True where an abort has nothing left to do; else the run waits for who can do it. Nothing is awaited before the entry that says so. */
  #isClear(): boolean {
    const { parts, recovering } = this.#port;
    if (!parts.lifecycle.isAborting || recovering.aborting.isOver) return true;
    if (parts.lifecycle.may('carry')) recovering.aborting.park(() => this.#goOnAnswered());
    return false;
  }

  #goOnAnswered(): void {
    this.#answered += 1;
    this.goOn();
  }
}
