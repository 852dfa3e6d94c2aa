/** A ledger in a real SQLite file: accounts whose cents sum to zero, and notes with values of every kind. */
import Database from 'better-sqlite3';
import { type RowAdapter, type RowOptions, rowAdapter } from '../../src/adapters/rows/adapter.ts';
import type { RowWrite } from '../../src/adapters/rows/tables.ts';

export const OPTIONS: RowOptions = {
  tables: {
    account: { key: ['id'], columns: ['owner', 'cents'] },
    note: { key: ['who', 'nth'], columns: ['text', 'weight'] },
    loose: { key: ['name'], columns: ['value'] },
  },
  invariants: [
    { id: 'balanced', sql: 'SELECT coalesce(sum(cents), 0) = 0 FROM account' },
    { id: 'no-debts', sql: "SELECT count(*) = 0 FROM account WHERE cents < 0 AND id <> 'bank'" },
  ],
};

const TABLES = `
  CREATE TABLE IF NOT EXISTS account (id TEXT PRIMARY KEY, owner TEXT NOT NULL, cents INTEGER NOT NULL CHECK (cents < 1000000));
  CREATE TABLE IF NOT EXISTS note (who TEXT, nth INTEGER, text TEXT COLLATE NOCASE, weight REAL, extra,
    shout TEXT GENERATED ALWAYS AS (upper(text)), UNIQUE (who, nth));
  CREATE TABLE IF NOT EXISTS loose (name TEXT, value);
  INSERT OR IGNORE INTO account VALUES ('bank', 'the bank', -100), ('ada', 'Ada', 100);
`;

/** Opens the ledger of a file, which is made if it is not there. */
export function openLedger(file: string): { db: Database.Database; adapter: RowAdapter } {
  const db = new Database(file);
  db.exec(TABLES);
  return { db, adapter: rowAdapter(db, OPTIONS) };
}

export const cents = (id: string, cents: number): RowWrite => ({ table: 'account', key: { id }, set: { cents } });

/** Everything in the database but times, by table. */
export function everything(db: Database.Database): Record<string, unknown[]> {
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'").all();
  return Object.fromEntries(
    (names as { name: string }[]).map(({ name }) => [
      name,
      (db.prepare(`SELECT * FROM ${name}`).all() as object[])
        .map((row) => ('at' in row ? { ...row, at: 'then' } : row))
        .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    ]),
  );
}
