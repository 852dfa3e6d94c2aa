/**
 * The rules that every store applies to a message before it takes it. Senders are not trusted: without limits, a sender
 * could fill the disk of a run that never answers, and the memory of its reader.
 */
import { JournalError } from './journal.ts';

/** The size limit of a message, in bytes of UTF-8. */
export const BODY_LIMIT = 64 * 1024;
/** The members of an event as a message. */
export const EVENT_MEMBERS: readonly string[] = ['event', 'at', 'by', 'id', 'seen'];
/** The most messages of a run. */
export const POSTS_LIMIT = 10_000;

/**
 * The UTF-8 of a message's body.
 * @throws JournalError `post_too_large`; `journal_cannot_write` if the text would read back changed.
 */
export function postBytes(body: string): Buffer {
  // UTF-8 is never shorter, so a text that is far too large is not copied first.
  if (body.length > BODY_LIMIT) throw tooLarge();
  if (!body.isWellFormed()) {
    const reason = 'Not taken: a message with half a surrogate pair has no UTF-8. Write it as JSON text.';
    throw new JournalError('journal_cannot_write', reason);
  }
  const bytes = Buffer.from(body, 'utf8');
  if (bytes.length > BODY_LIMIT) throw tooLarge();
  return bytes;
}

/** @throws JournalError `inbox_full` when a run already has that many messages. */
export function checkRoom(run: string, messages: number): void {
  if (messages < POSTS_LIMIT) return;
  const reason = `Run ${JSON.stringify(run)} has ${messages} messages, and takes no more. Read why it does not answer them.`;
  throw new JournalError('inbox_full', reason);
}

function tooLarge(): JournalError {
  const reason = `Not taken: a message has at most ${BODY_LIMIT} bytes. Store large content elsewhere, and post its place.`;
  return new JournalError('post_too_large', reason);
}

/**
 * True for a message in the form of an event. Every other message can do more than an event: answer, complain, end the
 * run. The store in PostgreSQL takes those other messages only from an operator.
 */
export function isEventMessage(body: string): boolean {
  try {
    const members = Object.keys(JSON.parse(body) as object);
    return members.includes('event') && members.every((name) => EVENT_MEMBERS.includes(name));
  } catch {
    return false;
  }
}
