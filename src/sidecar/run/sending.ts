/** The events that a program sends under a name, and their outcomes (semantics.md CH2, CH5, CH7). */
import { randomUUID } from 'node:crypto';
import { argsDigest } from '../../effects/digest.ts';
import { eventMessage, type SentEvent } from '../../effects/messages/sent-events.ts';
import { JournalError } from '../../journal/journal.ts';
import type { Fate } from '../../projection/received.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Run } from './run.ts';

/** The words of a sender about its event. */
export interface Sending {
  /** The name of the event: sent twice under one name, it is one. Made here where it is left out. */
  readonly id?: string;
  /** The sender. */
  readonly by?: string;
  /** The values that the sender was shown, by their keys in the context: where any is another by then, the event is refused. */
  readonly seen?: Readonly<Record<string, unknown>>;
  /** The state of the machine in which the event is sent; left out for any state. */
  readonly at?: string;
}

/** The outcome of an event. */
export interface EventOutcome {
  readonly id: string;
  readonly is: Fate;
  /** The reason why it was refused; null where it was not. */
  readonly why: string | null;
}

/**
 * Sends an event. Resolves once its outcome is durable: what is held is told as held, and what becomes of it later the journal says.
 * @throws SidecarError `message_differs` where another event has the id, `run_finished`; TypeError for an event that no run may be sent.
 */
export async function sendEvent(run: Run, event: SentEvent['event'] | string, how: Sending): Promise<EventOutcome> {
  const { runState, lifecycle } = run.parts;
  const { id = randomUUID(), by = null, seen, at = null } = how;
  const whole = typeof event === 'string' ? { type: event } : event;
  const sent: SentEvent = { event: whole, at, by, id, ...(seen !== undefined && { seen }) };
  eventMessage(sent);
  const known = run.heard.known(id);
  if (known !== undefined && known.digest !== argsDigest(whole, runState.secret, runState.codecs))
    throw new SidecarError('message_differs', `another event was sent under the id ${JSON.stringify(id)}`);
  if (known === undefined) {
    const may = lifecycle.answer('deliver');
    if (may.is === 'no' && may.code.startsWith('run_'))
      throw new SidecarError('run_finished', `the run takes no event any more: it has ended`);
    run.heard.receive(null, sent);
  }
  for (let found = runState.received.get(id); ; found = runState.received.get(id)) {
    if (found !== undefined) {
      await run.write.durable();
      const { is, why } = runState.received.get(id) ?? found;
      return { id, is, why };
    }
    await new Promise<void>((again) => {
      run.write.atNext(again);
      lifecycle.leave.addEventListener('abort', () => again(), { once: true });
    });
    if (lifecycle.leave.aborted && runState.received.get(id) === undefined)
      throw new JournalError('journal_closed', `the run was given back before it took the event ${id}: send it again`);
  }
}
