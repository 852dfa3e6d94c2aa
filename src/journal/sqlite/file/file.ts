/**
 * Opens the file. The kind of the file is checked before anything is written to it. A refused file stays byte for byte
 * the same, and so does its write-ahead log, which SQLite would otherwise fold into the file when the last connection
 * closes. The anchor shows two faults that SQLite does not: a file that lost its log, and is whole but older; and a
 * file beside the log of another file.
 */
import { closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { guarded } from '../errors.ts';
import { Presence } from '../lease/presence.ts';
import { Anchor } from '../log/anchor.ts';
import { type Cipher, cipherOf, markSealed } from './cipher.ts';
import { APPLICATION_ID, checkFormat, type Migration, makeTables, newestFormat } from './format.ts';
import { identityOf } from './identity.ts';
import { migrate } from './migrate.ts';
import { checkSchema } from './schema.ts';
import { immediately } from './transaction.ts';

/** The pages after which SQLite folds its log into the file: 1 MB. */
const CHECKPOINT = 250;

/** The wait between two attempts to change a file into WAL mode, in milliseconds. */
const PAUSE = 5;

export interface FileOptions {
  readonly migrations: readonly Migration[];
  /** The wait for a lock of another process, in milliseconds. */
  readonly busyMs: number;
  /** The most pages the file may have. */
  readonly maxPages: number | undefined;
  readonly now: () => number;
  /** The key of the file; a new file is encrypted under it. */
  readonly key: Uint8Array | undefined;
}

/** A file that is ours, in the present format. */
export interface OpenFile {
  readonly db: Database.Database;
  readonly anchor: Anchor;
  readonly identity: Buffer;
  readonly cipher: Cipher;
  readonly presence: Presence;
}

/**
 * Refuses a path with white space at its ends: better-sqlite3 trims it, and would open another file.
 * @throws JournalError.
 */
export function checkPath(path: string): void {
  if (path === path.trim()) return;
  throw new JournalError(
    'journal_cannot_read',
    `A path that ends in white space is not taken: ${JSON.stringify(path)}.`,
  );
}

/** Opens a file for writing; creates a missing file, and migrates an older one. */
export function openForWriting(path: string, options: FileOptions): OpenFile {
  const anchor = new Anchor(path);
  return guarded(path, 'write', () => {
    if (!existsSync(dirname(path))) {
      throw new JournalError('journal_cannot_read', `${dirname(path)} is not there. Make the folder first.`);
    }
    if (sizeOf(path) <= 0) refuseLost(path, anchor);
    else examine(path, options.migrations);
    makePrivate(path);
    const db = new Database(path, { timeout: options.busyMs });
    try {
      const settled = settle(db, path, anchor, options);
      return { db, anchor, ...settled, presence: new Presence(path) };
    } catch (error) {
      closeUntouched(db, path);
      throw error;
    }
  });
}

/**
 * Makes a new file that only its owner may read, because a journal holds the inputs and the answers of tools. SQLite
 * gives the log and its index the mode of the file. The owner chooses the mode of a file that exists.
 */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
  } catch {
    // The file exists. If it cannot be made, SQLite reports that next.
  }
}

/** Checks that a file is Belay's, in a known format, without a connection that could change it. */
export function examine(path: string, migrations: readonly Migration[]): void {
  const { application, format, utf8 } = isShared(path) ? headerBySqlite(path) : headerByBytes(path);
  if (application !== APPLICATION_ID && application !== 0) throw notOurs(path);
  if (application === APPLICATION_ID) checkFormat(path, format, migrations);
  if (!utf8)
    throw new JournalError('journal_corrupt', `${path}: the text encoding was changed. Restore it from a backup.`);
}

/** Closes a connection without folding the log into the file: a second reader keeps SQLite from that. */
export function closeUntouched(db: Database.Database, path: string): void {
  // An empty log has nothing to fold in. The connection that made it removes it.
  if (sizeOf(`${path}-wal`) <= 0) {
    db.close();
    return;
  }
  let reader: Database.Database | null = null;
  try {
    reader = new Database(path, { readonly: true });
    reader.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch {
    // A file that cannot be read is not checkpointed either.
  }
  db.close();
  reader?.close();
}

function settle(
  db: Database.Database,
  path: string,
  anchor: Anchor,
  options: FileOptions,
): Pick<OpenFile, 'identity' | 'cipher'> {
  pragma(db, 'page_size = 4096');
  if (isBlank(db)) create(db, options);
  if (pragma(db, 'application_id') !== APPLICATION_ID) throw notOurs(path);
  for (const setting of ['cell_size_check = ON', 'trusted_schema = OFF']) pragma(db, setting);
  if (options.maxPages !== undefined) pragma(db, `max_page_count = ${options.maxPages}`);
  insist(path, 'journal_mode', intoLog(db, options.busyMs), 'wal');
  // A file in WAL mode opens with synchronous=NORMAL, which loses commits when the power fails.
  pragma(db, 'synchronous = FULL');
  insist(path, 'synchronous', pragma(db, 'synchronous'), 2);
  // After a checkpoint SQLite writes over the log from its beginning: a sync then has no new file size to write.
  pragma(db, `wal_autocheckpoint = ${CHECKPOINT}`);
  migrate(db, path, options);
  checkSchema(db, path, options.migrations);
  const identity = identityOf(db, path);
  const anchored = anchor.identity();
  if (anchored === null) anchor.name(identity);
  else if (!anchored.equals(identity)) throw replaced(path, anchor);
  return { identity, cipher: cipherOf(db, path, { identity, key: options.key }) };
}

export function replaced(path: string, anchor: Anchor): JournalError {
  const mend = `If you put it there on purpose, remove ${anchor.path}; otherwise restore the file that belongs to it.`;
  return new JournalError('journal_corrupt', `${path} is not the file that its anchor was written for. ${mend}`);
}

function insist(path: string, name: string, is: unknown, wanted: unknown): void {
  if (is === wanted) return;
  const reason = `${path}: ${name} stays ${is} where ${wanted} was asked for, and a commit would not be durable.`;
  throw new JournalError('journal_cannot_write', `${reason} Keep the file on a local disk, used by Belay alone.`);
}

/**
 * Changes the file into WAL mode. If two connections change it at once, each holds a lock that the other needs, and
 * SQLite reports SQLITE_BUSY without waiting `busyMs`. Another try finds the file changed.
 */
function intoLog(db: Database.Database, busyMs: number): unknown {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += PAUSE) {
    try {
      return pragma(db, 'journal_mode = WAL');
    } catch (error) {
      const isLocked = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
      if (!isLocked || waited >= busyMs) throw error;
      Atomics.wait(pause, 0, 0, PAUSE);
    }
  }
}

function isBlank(db: Database.Database): boolean {
  const { objects } = db.prepare('SELECT count(*) AS objects FROM sqlite_schema').get() as { objects: number };
  return objects === 0 && pragma(db, 'user_version') === 0 && pragma(db, 'application_id') === 0;
}

/** Creates the tables, before WAL mode, so that the mark of Belay is in the file itself and not in its log. */
function create(db: Database.Database, { migrations, key }: FileOptions): void {
  immediately(db, () => {
    if (!isBlank(db)) return; // another process was faster
    makeTables(db, migrations);
    markSealed(db, key);
    pragma(db, `application_id = ${APPLICATION_ID}`);
    pragma(db, `user_version = ${newestFormat(migrations)}`);
  });
}

/** Refuses to begin a new file where a file was lost: a new beginning would hide the loss. */
export function refuseLost(path: string, anchor: Anchor): void {
  // The size is asked again: if another process has just made anchor and log, it has made the file before them.
  if (anchor.identity() !== null && sizeOf(path) <= 0) {
    const mend = `Restore it, or remove ${anchor.path} to begin anew.`;
    throw new JournalError('journal_tail_lost', `${path} is empty or gone, and its anchor remembers it. ${mend}`);
  }
  if (sizeOf(`${path}-wal`) > 0 && sizeOf(path) <= 0) {
    const mend = 'Restore the file, or remove the log to begin anew.';
    throw new JournalError('journal_corrupt', `${path} is empty or gone, and its log ${path}-wal is not. ${mend}`);
  }
}

interface Header {
  readonly application: unknown;
  readonly format: number;
  readonly utf8: boolean;
}

/** True if connections may be open on the file: only then do the log and its index both exist. */
export function isShared(path: string): boolean {
  return sizeOf(`${path}-wal`) >= 0 && sizeOf(`${path}-shm`) >= 0;
}

/** The size of a file; -1 if it is missing. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function headerBySqlite(path: string): Header {
  const db = new Database(path, { readonly: true });
  try {
    const format = pragma(db, 'user_version') as number;
    return { application: pragma(db, 'application_id'), format, utf8: pragma(db, 'encoding') === 'UTF-8' };
  } finally {
    db.close();
  }
}

/**
 * Reads the first bytes. Not while this process has a connection: closing the descriptor would drop its locks (POSIX).
 */
function headerByBytes(path: string): Header {
  const bytes = Buffer.alloc(100);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(descriptor);
  }
  const application = bytes.readInt32BE(68);
  const isLogged = bytes[18] === 2;
  // A file of Belay has its mark before its log. A SQLite file without a mark may be blank.
  if (bytes.toString('latin1', 0, 16) !== 'SQLite format 3\0' || (application === 0 && isLogged)) throw notOurs(path);
  if (application === APPLICATION_ID && !isOurHeader(bytes)) {
    // SQLite would repair some damages silently, and drop the log for others.
    throw new JournalError('journal_corrupt', `${path}: its header is damaged. Restore it from a backup.`);
  }
  return { application, format: bytes.readInt32BE(60), utf8: true };
}

/**
 * Checks the part of the header that never changes in a file of ours: page size, versions, reserved space, fractions,
 * schema format, encoding.
 */
function isOurHeader(bytes: Buffer): boolean {
  const versions = `${bytes[18]}${bytes[19]}`;
  const fixed = [bytes.readUInt16BE(16), ...bytes.subarray(20, 24), bytes.readUInt32BE(44), bytes.readUInt32BE(56)];
  return (versions === '22' || versions === '11') && fixed.join() === '4096,0,64,32,32,4,1';
}

function notOurs(path: string): JournalError {
  return new JournalError(
    'journal_not_ours',
    `${path} is no journal of Belay's. Name another file; this one was left as it is.`,
  );
}

export function pragma(db: Database.Database, source: string): unknown {
  return db.pragma(source, { simple: true });
}
