import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';
import { journalContract } from './contract.ts';
import { freshPath } from './files.ts';

/** Runs the contract on files. Messages that fill an inbox, and the runs of a long list, are left in one transaction: each by itself would be a write to the disk. */
function contractOnFiles(name: string, more: SqliteOptions = {}): void {
  let path = '';
  const open = (now: () => number) => {
    path = freshPath();
    return sqliteStore(path, { now, ...more });
  };
  const inOne = (insert: string, ...values: unknown[]) => {
    const db = new Database(path);
    db.prepare(
      insert.replace('NUMBERS', 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)'),
    ).run(...values);
    db.close();
  };
  journalContract(name, open, {
    messages: async (_store, run, count) =>
      inOne(
        'INSERT INTO inbox (run, number, time, body) NUMBERS SELECT (SELECT id FROM run WHERE name = ?), i, 1000, CAST(i AS BLOB) FROM n',
        count,
        run,
      ),
    runs: async (store, count) => {
      await store.runs();
      inOne(`INSERT INTO run (id, name) NUMBERS SELECT i, 'run ' || i FROM n`, count);
    },
  });
}

journalContract('memory', (now) => memoryStore({ now }));
contractOnFiles('sqlite');
contractOnFiles('sqlite, encrypted', { key: randomBytes(32) });
