import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';
import { journalContract } from './contract.ts';
import { freshPath } from './files.ts';

/** Runs the contract on files. Messages that fill an inbox are left in one transaction: posted, each would be a write to the disk. */
function contractOnFiles(name: string, more: SqliteOptions = {}): void {
  let path = '';
  const open = (now: () => number) => {
    path = freshPath();
    return sqliteStore(path, { now, ...more });
  };
  journalContract(name, open, async (_store, run, messages) => {
    const db = new Database(path);
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)';
    const each = 'SELECT (SELECT id FROM run WHERE name = ?), i, 1000, CAST(i AS BLOB) FROM n';
    db.prepare(`INSERT INTO inbox (run, number, time, body) ${numbers} ${each}`).run(messages, run);
    db.close();
  });
}

journalContract('memory', (now) => memoryStore({ now }));
contractOnFiles('sqlite');
contractOnFiles('sqlite, encrypted', { key: randomBytes(32) });
