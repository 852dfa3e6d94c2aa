/** Notes of runs in a SQLite file: bound to the rows that they came with, and never believed beside others. */
import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { Log } from '../../src/journal/sqlite/log/log.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf, freshPath } from './files.ts';
import { row } from './rows-of.ts';

async function filled(path: string, options: SqliteOptions = {}): Promise<void> {
  const store = sqliteStore(path, options);
  for (const run of ['a', 'b']) {
    const journal = await store.open(run, 'create');
    for (let group = 1; group <= 3; group += 1) {
      journal.append([row(group)], group === 1 ? `${run} begins` : `the secret of ${run}`);
      await journal.flush();
    }
    await journal.close();
  }
  await store.close();
}

function raw(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

const notesIn = (path: string, options: SqliteOptions = {}) =>
  sqliteStore(path, { readonly: true, ...options })
    .runs()
    .map(({ note }) => note);

test.each([
  [
    'of another run',
    `UPDATE note SET body = (SELECT body FROM note WHERE run = 2),
    digest = (SELECT digest FROM note WHERE run = 2) WHERE run = 1`,
  ],
  ['with other words', `UPDATE note SET body = CAST('done' AS BLOB) WHERE run = 1`],
  ['of other rows', 'UPDATE note SET at = 4 WHERE run = 1'],
  ['of a commit of another run', 'UPDATE note SET at = 6 WHERE run = 1'],
  ['of rows that are not there', 'UPDATE note SET at = 99 WHERE run = 1'],
  ['without its digest', `UPDATE note SET digest = x'' WHERE run = 1`],
  ['that is gone', 'DELETE FROM note WHERE run = 1'],
])('a note %s is none, and the other runs keep theirs', async (_what, sql) => {
  const path = freshPath();
  await filled(path);
  expect(notesIn(path)).toEqual(['the secret of a', 'the secret of b']);
  raw(path, sql);
  expect(notesIn(path)).toEqual([undefined, 'the secret of b']);
});

test('a note is sealed in an encrypted file', async () => {
  const path = freshPath();
  const key = randomBytes(32);
  await filled(path, { key });
  expect(notesIn(path, { key })).toEqual(['the secret of a', 'the secret of b']);
  expect(bytesOf(path)?.includes('the secret')).toBe(false);
});

test('a list of runs reads the last group of each and no other row, however long the run is', async () => {
  const path = freshPath();
  const store = sqliteStore(path);
  for (const [run, groups] of [
    ['short', 3],
    ['long', 300],
  ] as const) {
    const journal = await store.open(run, 'create');
    for (let group = 0; group < groups; group += 1) {
      journal.append([row(group), row(group)], 'open');
      await journal.flush();
    }
    await journal.close();
  }
  const groups = vi.spyOn(Log.prototype, 'groups');
  expect(store.runs().map(({ head }) => head)).toEqual([6, 600]);
  // Its note came with its first group, and is not of its head.
  const read = groups.mock.calls.map(([run, rows]) => [run.name, rows.length]);
  groups.mockRestore();
  expect(read).toEqual([
    ['short', 1],
    ['long', 1],
  ]);
  await store.close();
});
