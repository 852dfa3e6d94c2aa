/**
 * Notices that a journal is no longer at its path. A file that was removed or replaced still takes commits through the
 * open descriptor, but no other process would find them: rows that were reported durable would be lost with the
 * process.
 */
import { statSync } from 'node:fs';
import { JournalError } from '../../journal.ts';

/** The identity of a file, which no other has. */
function nodeOf(path: string): string | null {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

/** The database and its log, as they were when they were opened. */
export class Presence {
  readonly #path: string;
  readonly #file: string | null;
  #log: string | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#file = nodeOf(path);
  }

  /**
   * Called after each commit: checks that the next process will find what was written.
   * @throws JournalError `journal_gone`.
   */
  check(): void {
    const log = `${this.#path}-wal`;
    if (nodeOf(this.#path) !== this.#file) throw gone(this.#path);
    // The log is made by the first commit, and stays while a connection is open.
    const now = nodeOf(log);
    this.#log ??= now;
    if (now !== this.#log) throw gone(log);
  }
}

function gone(path: string): JournalError {
  const what = `${path} was removed or replaced while it was open, so that the last commit may be in no file.`;
  return new JournalError('journal_gone', `${what} Nothing more is written: put the file back, and resume the run.`);
}
