/**
 * Reading a file without changing anything beside it. Beside a writer, or after one that was killed, the log and its index are
 * there and a read-only connection serves. Without them SQLite would create them, even to read; then a private copy is read.
 */
import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { Anchor } from '../log/anchor.ts';
import { cipherOf } from './cipher.ts';
import { examine, type FileOptions, isShared, type OpenFile, pragma, refuseLost, replaced, sizeOf } from './file.ts';
import { APPLICATION_ID, checkFormat, type Migration, newestFormat } from './format.ts';
import { identityOf } from './identity.ts';
import { checkSchema } from './schema.ts';

/** The number of times that a file may change under the copying before the copy is given up. */
const ATTEMPTS = 5;

/** An open file, and how to end with it. */
export interface View extends Omit<OpenFile, 'presence'> {
  close(): void;
  /** True while it shows what the path names: the file itself, or a copy of which nothing has changed since. */
  isCurrent(): boolean;
}

/** Opens a file for reading only. */
export function openForReading(
  path: string,
  { migrations, busyMs, key }: Pick<FileOptions, 'migrations' | 'busyMs' | 'key'>,
): View {
  const anchor = new Anchor(path);
  if (sizeOf(path) <= 0) {
    refuseLost(path, anchor);
    throw new JournalError('journal_cannot_read', `${path} is empty or not there. Check the path.`);
  }
  examine(path, migrations);
  const copy = isShared(path) ? null : copied(path);
  const state = copy === null ? fileOf(path) : stateOf(path);
  try {
    const db = new Database(copy === null ? path : join(copy, 'journal'), { readonly: copy === null, timeout: busyMs });
    try {
      const identity = checked(db, path, anchor, migrations);
      return {
        db,
        anchor,
        identity,
        cipher: cipherOf(db, path, { identity, key }),
        close: () => closed(db, copy),
        isCurrent: () => state === (copy === null ? fileOf(path) : stateOf(path)),
      };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    if (copy !== null) rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

function checked(db: Database.Database, path: string, anchor: Anchor, migrations: readonly Migration[]): Buffer {
  if (pragma(db, 'application_id') !== APPLICATION_ID) {
    throw new JournalError('journal_not_ours', `${path} is no journal of Belay's. Name another file.`);
  }
  const newest = newestFormat(migrations);
  const format = pragma(db, 'user_version') as number;
  checkFormat(path, format, migrations);
  if (format !== newest) {
    const reason = `${path} has format ${format}, not ${newest}. Open it once for writing, which moves it forward.`;
    throw new JournalError('journal_cannot_read', reason);
  }
  pragma(db, 'cell_size_check = ON');
  checkSchema(db, path, migrations);
  const identity = identityOf(db, path);
  if (anchor.identity()?.equals(identity) === false) throw replaced(path, anchor);
  return identity;
}

function closed(db: Database.Database, copy: string | null): void {
  db.close();
  if (copy !== null) rmSync(copy, { recursive: true, force: true });
}

/** A copy of the file and its log at one moment, in a folder of its own. */
function copied(path: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-read-'));
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = stateOf(path);
      for (const suffix of ['', '-wal']) {
        rmSync(join(folder, `journal${suffix}`), { force: true });
        if (existsSync(path + suffix)) {
          copyFileSync(path + suffix, join(folder, `journal${suffix}`), constants.COPYFILE_FICLONE);
        }
      }
      if (stateOf(path) === before) return folder;
    }
    throw new JournalError('journal_cannot_read', `${path} changes while it is read. Try again.`);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The identity of the file that a path names. */
function fileOf(path: string): string {
  return String(statSync(path, { throwIfNoEntry: false, bigint: true })?.ino);
}

function stateOf(path: string): string {
  const states = ['', '-wal'].map((suffix) => {
    const stat = statSync(path + suffix, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? 'none' : `${stat.ino} ${stat.size} ${stat.mtimeNs}`;
  });
  return states.join(', ');
}
