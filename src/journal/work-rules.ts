/** The rules that every store applies to a run that is left for workers, before it takes it. */
import { JournalError } from './journal.ts';
import type { StartRequest } from './work.ts';

const INPUT_LIMIT = 1024 * 1024;
const NAME_LIMIT = 256;

/** The UTF-8 of the input of a request. @throws JournalError `journal_cannot_write`, `input_too_large`. */
export function inputBytes({ agent, queue, input }: StartRequest): Buffer {
  for (const [what, name] of [
    ['an agent', agent],
    ['a queue', queue],
  ] as const)
    if (name === '' || name.length > NAME_LIMIT || !name.isWellFormed() || name.includes('\0'))
      throw refused(`the name of ${what} has 1 to ${NAME_LIMIT} characters, all of them whole and none NUL`);
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
