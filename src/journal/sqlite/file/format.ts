/**
 * The file's format: its mark, its number, and the step that leads to it. The tables of format 1: `file` holds a nonce that binds the anchor and
 * every hash chain to this file, `run` the names, `lease` the right to write, `overtaken` the head that a run had when it was taken from a process
 * that may still live. `inbox` holds the messages that were posted to a run: no part of any hash chain, and never trusted like a row. `cipher` holds
 * the id of the key under which every body of the file is sealed, and no row in a plain file. `note` says what each run comes to, as its writer
 * says. Until the first release format 1 changes in place; after it, a later format is a step behind it, and the lease table never changes its
 * shape, because a migration reads it.
 */
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { ACT_SQL } from '../acts.ts';
import { POOL_SQL } from '../pools.ts';
import { SANDBOX_SQL } from '../sandboxes.ts';
import { BASE_SQL } from './base-tables.ts';
import { CLAIM_SQL } from './claim-tables.ts';
import { LOG_SQL } from './log-tables.ts';
import { NOTICE_SQL } from './notice-table.ts';
import { WORK_SQL } from './work-table.ts';

/** "Bely": the application id in the file's header. */
export const APPLICATION_ID = 0x42656c79;

/** The step to a format from the one before it; the first makes the tables of its format. */
export interface Migration {
  readonly to: number;
  readonly sql: string;
}

const TABLES_SQL = `
      CREATE TABLE file (identity BLOB NOT NULL) STRICT;
      INSERT INTO file VALUES (randomblob(16));
      CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE lease (
        run INTEGER PRIMARY KEY, token INTEGER NOT NULL, nonce TEXT NOT NULL, host TEXT, pid INTEGER, started TEXT,
        expires INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE overtaken (run INTEGER PRIMARY KEY, head INTEGER NOT NULL) STRICT;
      CREATE TABLE inbox (
        run INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (run, number)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE cipher (key_id BLOB NOT NULL) STRICT;
      CREATE TABLE note (
        run INTEGER PRIMARY KEY, at INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL
      ) STRICT;`;

/** Every step there is, in order; the last one leads to the present format. */
export const MIGRATIONS: readonly Migration[] = [
  {
    to: 1,
    sql: [TABLES_SQL, LOG_SQL, BASE_SQL, WORK_SQL, CLAIM_SQL, ACT_SQL, POOL_SQL, NOTICE_SQL, SANDBOX_SQL].join(''),
  },
];

/** The format that a list of migrations leads to. */
export function newestFormat(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? 0;
}

/** @throws JournalError `journal_not_ours` for a format that no migration leads to. */
export function checkFormat(path: string, format: number, migrations: readonly Migration[]): void {
  if (migrations.some(({ to }) => to === format)) return;
  const reason = `${path} has format ${format}; this Belay has format ${newestFormat(migrations)}.`;
  throw new JournalError(
    'journal_not_ours',
    `${reason} Use the Belay that wrote it, or name another file; this one was left as it is.`,
  );
}

/** Makes the tables of formats. */
export function makeTables(db: Database.Database, migrations: readonly Migration[]): void {
  for (const { sql } of migrations) db.exec(sql);
}
