/**
 * The rules that every store applies to a row, to a run's name and to a request for a run before it takes them. A refusal changes nothing and ends
 * nothing.
 */
import { JournalError, type Row } from './journal.ts';
import type { StartRequest } from './work.ts';

/** The size limit of a body, in bytes of UTF-8. */
const BODY_LIMIT = 64 * 1024 * 1024;
export const NAME_LIMIT = 1_024;
/** The size limit of an input, in bytes of UTF-8, and of the names of an agent and a queue. */
export const INPUT_LIMIT = 1024 * 1024;
export const WORK_NAME_LIMIT = 256;

/**
 * The UTF-8 of a row's body.
 * @throws JournalError `journal_cannot_write` when the row could not be read back as it is.
 */
export function bytesOf(row: Row): Buffer {
  checkRow(row);
  return Buffer.from(row.body, 'utf8');
}

/** @throws JournalError `journal_cannot_write` when the row could not be read back as it is. */
export function checkRow({ kind, body }: Row): void {
  if (!Number.isSafeInteger(kind) || kind < 0) throw refused(`a row's kind is a whole number from 0, not ${kind}`);
  if (!body.isWellFormed()) throw refused('a body with half a surrogate pair has no UTF-8: write it as JSON text');
  // A character has at most three bytes for each unit of its length.
  if (body.length * 3 <= BODY_LIMIT) return;
  const length = Buffer.byteLength(body, 'utf8');
  if (length > BODY_LIMIT) throw refused(`a body has at most ${BODY_LIMIT} bytes, not ${length}`);
}

/** True for a name that a run can have. */
export function isRunName(run: string): boolean {
  return run.length > 0 && run.length <= NAME_LIMIT && run.isWellFormed() && !run.includes('\0');
}

/** @throws JournalError `journal_cannot_write` when a run cannot have that name. */
export function checkRunName(run: string): void {
  if (!isRunName(run)) throw refused(`a run's name has 1 to ${NAME_LIMIT} characters, all of them whole and none NUL`);
}

/** @throws JournalError `journal_cannot_read` for a limit of a list that is none. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) return;
  throw new JournalError('journal_cannot_read', `A list has a whole number of runs from 0 at most, not ${limit}.`);
}

/** The error for a run that is there, or is not, against the mode of its opening. */
export function wrongRun(code: 'run_unknown' | 'run_exists', run: string): JournalError {
  const name = JSON.stringify(run);
  if (code === 'run_unknown')
    return new JournalError(code, `There is no run ${name}. Open it with "create" to begin it.`);
  return new JournalError(code, `There is a run ${name} already. Open it with "resume", or choose another name.`);
}

/** The UTF-8 of the input of a request. @throws JournalError `journal_cannot_write`, `input_too_large`. */
export function inputBytes({ agent, queue, input }: StartRequest): Buffer {
  for (const [what, name] of [
    ['an agent', agent],
    ['a queue', queue],
  ] as const)
    if (name === '' || name.length > WORK_NAME_LIMIT || !name.isWellFormed() || name.includes('\0'))
      throw refused(`the name of ${what} has 1 to ${WORK_NAME_LIMIT} characters, all of them whole and none NUL`);
  if (!input.isWellFormed()) throw refused('an input with half a surrogate pair has no UTF-8: write it as JSON text');
  const bytes = Buffer.from(input, 'utf8');
  if (bytes.length <= INPUT_LIMIT) return bytes;
  const fix = 'Store large content elsewhere, and pass its place.';
  throw new JournalError('input_too_large', `Not taken: an input has at most ${INPUT_LIMIT} bytes. ${fix}`);
}

/** The error of a request for a run that is there with another one, or without one. */
export function otherRequest(run: string, what: string): JournalError {
  return new JournalError('run_exists', `There is a run ${JSON.stringify(run)} already, ${what}. Choose another name.`);
}

function refused(what: string): JournalError {
  return new JournalError('journal_cannot_write', `Not taken: ${what}.`);
}

/** The most bytes of a message. */
const NOTICE_LIMIT = 64 * 1024;

/** The bytes of a message. @throws JournalError `post_too_large`. */
export function noticeBytes(body: string): Buffer {
  const bytes = Buffer.from(body, 'utf8');
  if (bytes.length <= NOTICE_LIMIT) return bytes;
  throw new JournalError('post_too_large', `A notice has at most ${NOTICE_LIMIT} bytes, and this one ${bytes.length}.`);
}
