/**
 * The file's format: its mark, its version, and the steps that lead from each version to the next. The tables of format
 * 1: `file` holds a nonce that binds the anchor and every hash chain to this file, `run` the names, `entry` the rows,
 * `commit_group` one row per commit group of a run, `lease` the right to write. The lease table never changes its
 * shape, because a migration reads it. Format 2 adds `inbox`, the messages that were posted to a run: no part of any
 * hash chain, and never trusted like a row. Format 3 adds `cipher`: the id of the key under which every body of the
 * file is sealed, and no row in a plain file. Format 4 adds `note`: what each run comes to, as its writer says. Format 5
 * adds `work`: the runs that are left for workers, and when each can go on next. Format 6 adds the claims of runs. Format 7 adds
 * `overtaken`: the head that a run had when it was taken from a process that may still live. Format 8 has `log` in place of `entry` and
 * `commit_group`: one row for each commit of the file, with an index of it; `note` names a row of it. Format 9 adds the bases
 * of runs. Format 10 has `segment` name archived rows, too. Format 11 adds `act`: the acts that are
 * unique in the file.
 */
import type Database from 'better-sqlite3';
import { ACT_SQL } from '../acts.ts';
import type { Anchor } from '../log/anchor.ts';
import { BASE_SQL } from './base-tables.ts';
import { CLAIM_SQL } from './claim-tables.ts';
import { LOG_SQL, LOGGED_SQL } from './log-tables.ts';
import { moveIntoLog } from './move-into-log.ts';
import { WORK_SQL } from './work-table.ts';

/** "Bely": the application id in the file's header. */
export const APPLICATION_ID = 0x42656c79;

/** The first format with one log for all runs. */
export const LOG_FORMAT = 8;

/** The first format with bases. */
export const BASE_FORMAT = 9;

/** The first format with archived rows. */
const ARCHIVED_FORMAT = 10;

/** One step from a format to the next. */
export interface Migration {
  readonly to: number;
  readonly sql: string;
  /** Brings what the file holds into the new form: after `sql`, in its transaction. */
  readonly move?: (db: Database.Database, path: string, anchor: Anchor) => void;
  /** Removes the old form. */
  readonly drops?: string;
  /** True if it only adds tables, so that a file without it can still be read. */
  readonly adds?: true;
}

/** Every step there is, in order; the last one leads to the present format. */
export const MIGRATIONS: readonly Migration[] = [
  {
    to: 1,
    sql: `
      CREATE TABLE file (identity BLOB NOT NULL) STRICT;
      CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE entry (
        run INTEGER NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (run, seq)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE commit_group (
        run INTEGER NOT NULL, last INTEGER NOT NULL, token INTEGER NOT NULL, time INTEGER NOT NULL, hash BLOB NOT NULL,
        PRIMARY KEY (run, last)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE lease (
        run INTEGER PRIMARY KEY, token INTEGER NOT NULL, nonce TEXT NOT NULL, host TEXT, pid INTEGER, started TEXT,
        expires INTEGER NOT NULL
      ) STRICT;
      INSERT INTO file VALUES (randomblob(16));`,
  },
  {
    to: 2,
    adds: true,
    sql: `
      CREATE TABLE inbox (
        run INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, body BLOB NOT NULL,
        PRIMARY KEY (run, number)
      ) STRICT, WITHOUT ROWID;`,
  },
  { to: 3, adds: true, sql: 'CREATE TABLE cipher (key_id BLOB NOT NULL) STRICT;' },
  {
    to: 4,
    adds: true,
    sql: `
      CREATE TABLE note (
        run INTEGER PRIMARY KEY, at INTEGER NOT NULL, digest BLOB NOT NULL, body BLOB NOT NULL
      ) STRICT;`,
  },
  { to: 5, adds: true, sql: WORK_SQL },
  { to: 6, adds: true, sql: CLAIM_SQL },
  { to: 7, adds: true, sql: 'CREATE TABLE overtaken (run INTEGER PRIMARY KEY, head INTEGER NOT NULL) STRICT;' },
  { to: LOG_FORMAT, sql: LOG_SQL, move: moveIntoLog, drops: LOGGED_SQL },
  { to: BASE_FORMAT, adds: true, sql: BASE_SQL },
  { to: ARCHIVED_FORMAT, adds: true, sql: '' },
  { to: 11, adds: true, sql: ACT_SQL },
];

/** The format that a list of migrations leads to. */
export function newestFormat(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.to ?? 0;
}

/** Makes the tables of formats. */
export function makeTables(db: Database.Database, migrations: readonly Migration[]): void {
  for (const { sql, drops = '' } of migrations) db.exec(sql + drops);
}

/** The oldest format that can be read as it is: later ones only added tables. */
export function oldestReadable(migrations: readonly Migration[]): number {
  return migrations.findLast(({ adds }) => adds !== true)?.to ?? 0;
}
