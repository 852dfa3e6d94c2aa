/**
 * The end of a run by a person's word (semantics.md F3): nothing of it acts anew, what is under way is waited for, and it ends once nothing is
 * unknown. What it has done stands, and what it had staged never happens.
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

  constructor(port: CancellingPort) {
    this.#port = port;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentCancel): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#say(sent, post);
    void this.#port.write.durable().catch(() => {});
  }

  /** Takes the word of this process's own program. @throws SidecarError `not_advised` where a person ends the run by now; `run_finished`. */
  async say(sent: SentCancel): Promise<void> {
    const refused = this.#say(sent, null);
    await this.#port.write.durable();
    if (refused === null) return;
    throw new SidecarError(this.#port.parts.runState.ended === null ? 'not_advised' : 'run_finished', refused);
  }

  #say({ by, why }: SentCancel, post: number | null): string | null {
    const { parts, write } = this.#port;
    const { cancelled } = parts.runState.asked;
    const before = cancelled === null ? null : `it was cancelled before, by ${JSON.stringify(cancelled.by)}`;
    const refused = parts.lifecycle.answer('cancel').is === 'no' ? (before ?? 'the run has ended') : null;
    const entry: CancelEntry = { do: 'cancel', post, by, why, refused };
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
      // The journal takes nothing any more, and says so to those who wait for the run.
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
      return await this.#end();
    } finally {
      this.#isEnding = false;
    }
  }

  async #end(): Promise<boolean> {
    const { parts, write, calls, outbox, recovering } = this.#port;
    const isOff = () => !parts.lifecycle.may('carry');
    await recovering.byPerson.answered();
    if (isOff()) return false;
    recovering.byPerson.letGo();
    // What a commit has promised becomes visible; no other begins.
    await outbox.settled();
    if (isOff() || !(await recovering.clearOpen(() => this.goOn())) || isOff()) return false;
    await recovering.discarding.finish();
    await calls.underWay.staged();
    await outbox.abandon();
    if (isOff()) return false;
    this.#port.left.atEnd();
    const standing = keysLeft(parts.runState);
    const of = standing.length > 0 ? { standing } : {};
    const end: EndEntry = { do: 'end', status: 'cancelled', ...of, ...this.#port.unheard() };
    write.append([end]);
    await write.durable();
    await recovering.byPerson.over();
    return true;
  }
}
