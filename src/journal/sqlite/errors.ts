/**
 * Errors of SQLite and of the file system, in the journal's closed codes, each with a fix. No raw error leaves the
 * room: every call into either goes through `guarded`.
 */
import { JournalError, type JournalErrorCode } from '../journal.ts';

/** The operation under way: it decides the code of a failure that both can meet. */
export type Doing = 'read' | 'write';

interface Meaning {
  readonly code: JournalErrorCode | Record<Doing, JournalErrorCode>;
  readonly mend: string;
}

const refused = { read: 'journal_cannot_read', write: 'journal_cannot_write' } as const;
const DAMAGED: Meaning = { code: 'journal_corrupt', mend: 'Nothing was repaired: restore the file from a backup.' };

/**
 * Codes by SQLite's primary result code. Our statements are fixed, so an error in one means that the file has another
 * form.
 */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['READONLY', { code: 'journal_cannot_write', mend: 'Make the file and its folder writable, or open it read-only.' }],
  ['FULL', { code: 'journal_cannot_write', mend: 'Free space on the disk, then resume the run.' }],
  ['IOERR', { code: refused, mend: 'Check the disk and its limits, then resume the run.' }],
  [
    'CANTOPEN',
    { code: 'journal_cannot_read', mend: 'Check that the path names a file in a folder that this user may use.' },
  ],
  ['PERM', { code: refused, mend: 'Check the permissions of the file and its folder.' }],
  ['BUSY', { code: refused, mend: 'Another process keeps the file locked: end it, or wait and try again.' }],
  ['LOCKED', { code: refused, mend: 'Another process keeps the file locked: end it, or wait and try again.' }],
  ['PROTOCOL', { code: refused, mend: 'Too many processes opened the file at once: try again.' }],
  ['NOMEM', { code: refused, mend: 'Give the process more memory.' }],
  ['NOTADB', { code: 'journal_not_ours', mend: 'Name another file; this one was left as it is.' }],
  ['CORRUPT', DAMAGED],
  ['ERROR', DAMAGED],
  ['SCHEMA', DAMAGED],
  ['CONSTRAINT', DAMAGED],
  ['MISMATCH', DAMAGED],
  ['FORMAT', DAMAGED],
  ['RANGE', DAMAGED],
  ['TOOBIG', DAMAGED],
]);

/** Runs `work`, and turns an error of SQLite or the file system into a JournalError. */
export function guarded<T>(file: string, doing: Doing, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw named(file, doing, error);
  }
}

function named(file: string, doing: Doing, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof JournalError) return error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (error.name === 'SqliteError' && code !== undefined) {
    const meaning = MEANINGS.get(code.split('_')[1] ?? '') ?? { code: refused, mend: 'The journal was left as it is.' };
    const ours = typeof meaning.code === 'string' ? meaning.code : meaning.code[doing];
    return new JournalError(ours, `${file}: ${error.message} (${code}). ${meaning.mend}`);
  }
  if (code !== undefined && 'syscall' in error) {
    return new JournalError(refused[doing], `${file}: ${error.message}. Check the path and its permissions.`);
  }
  return error;
}

/** Thrown for a run whose rows, groups or hashes are not as they were written. */
export function corrupt(file: string, run: string, seq: number, what: string): JournalError {
  const place = `${file}: run ${JSON.stringify(run)}, seq ${seq}`;
  return new JournalError('journal_corrupt', `${place}: ${what}. ${DAMAGED.mend}`);
}

/** Thrown for a row of the log that is not as it was written. */
export function damaged(file: string, row: number, what: string): JournalError {
  return new JournalError('journal_corrupt', `${file}: row ${row} of the log: ${what}. ${DAMAGED.mend}`);
}
