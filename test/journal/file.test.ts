/** What a file is taken for, what it is set to, and how it moves from one format to the next. On real files throughout. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test } from 'vitest';
import { MIGRATIONS, newestFormat } from '../../src/journal/sqlite/file/format.ts';
import { type SqliteOptions, sqliteStore } from '../../src/journal/sqlite/store.ts';
import { until } from '../poll.ts';
import { bytesOf, freshPath } from './files.ts';
import { type Other, startOther } from './other-process.ts';
import { bodies, failing, row } from './rows-of.ts';

const others: Other[] = [];
function other(): Other {
  const started = startOther();
  others.push(started);
  return started;
}
afterEach(async () => {
  for (const each of others.splice(0)) await each.end();
});

/** Uses a file as SQLite does, without the journal. */
function raw<T>(path: string, use: (db: Database.Database) => T): T {
  const db = new Database(path);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

async function filled(path: string, options: SqliteOptions = {}): Promise<void> {
  const store = sqliteStore(path, options);
  const journal = await store.open('a', 'either');
  journal.append([row('first'), row('second')]);
  await journal.close();
  await store.close();
}

const read = (path: string, options: SqliteOptions = {}) =>
  bodies(sqliteStore(path, { readonly: true, ...options }).read('a'));
const files = (path: string) => readdirSync(dirname(path)).sort();
const PRESENT = newestFormat(MIGRATIONS);
/** A format that never was: it has a table more than the first one. */
const ZERO = { to: 0, sql: `${MIGRATIONS[0]?.sql} CREATE TABLE extra (text TEXT NOT NULL) STRICT;` };
const STEPS = [ZERO, { to: PRESENT, sql: 'INSERT INTO extra SELECT name FROM run' }];
const BEYOND = { to: PRESENT + 1, sql: 'ALTER TABLE extra ADD COLUMN more TEXT' };

describe('a file that is not ours stays as it is', () => {
  test.each<[string, string, (path: string) => void]>([
    ['text', 'journal_not_ours', (path) => writeFileSync(path, 'Dear diary,\n'.repeat(500))],
    ['a few bytes', 'journal_not_ours', (path) => writeFileSync(path, 'x')],
    ['another database', 'journal_not_ours', (path) => raw(path, (db) => db.exec('CREATE TABLE t (a)'))],
    [
      'a marked database',
      'journal_not_ours',
      (path) => raw(path, (db) => db.exec('CREATE TABLE t (a); PRAGMA application_id = 7')),
    ],
    [
      'another logged database',
      'journal_not_ours',
      (path) => raw(path, (db) => db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (a)')),
    ],
    [
      'one with our mark and other tables',
      'journal_corrupt',
      (path) =>
        raw(path, (db) =>
          db.exec(
            'PRAGMA page_size = 4096; CREATE TABLE t (a); PRAGMA application_id = 1113943161; PRAGMA user_version = 1',
          ),
        ),
    ],
  ])('%s: %s', (_name, code, make) => {
    const path = freshPath();
    make(path);
    const before = bytesOf(path);
    for (const readonly of [false, true])
      expect(() => sqliteStore(path, { readonly })).toThrow(failing(code as 'journal_not_ours'));
    if (code === 'journal_not_ours') expect(bytesOf(path)).toEqual(before);
    expect(files(path)).toEqual(['journal.db']);
  });

  test('a trigger that was slipped in is no table of ours', async () => {
    const path = freshPath();
    await filled(path);
    raw(path, (db) => db.exec('CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM log; END'));
    expect(() => sqliteStore(path)).toThrow(failing('journal_corrupt'));
  });
});

describe('what a commit rests on is set and read back', () => {
  test('a new file and an old one are logged, marked, and synced in full', async () => {
    const path = freshPath();
    await filled(path);
    await filled(path);
    const settings = raw(path, (db) =>
      ['application_id', 'user_version', 'journal_mode', 'page_size'].map((name) => db.pragma(name, { simple: true })),
    );
    expect(settings).toEqual([0x42656c79, PRESENT, 'wal', 4096]);
  });

  test('a medium that has no log is refused', async () => {
    const path = freshPath();
    await filled(path);
    // A connection that keeps the file for itself without a log keeps others from turning it on.
    raw(path, (db) => {
      db.exec('PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE');
      expect(() => sqliteStore(path, { busyMs: 20 })).toThrow(failing('journal_cannot_write'));
    });
    expect(read(path)).toEqual(['first', 'second']);
  });

  test('closing folds the log in and leaves the file and its anchor alone', async () => {
    const path = freshPath();
    await filled(path);
    expect(files(path)).toEqual(['journal.db', 'journal.db-anchor']);
  });

  test('two processes make the same new file at once', async () => {
    const all = [other(), other(), other()];
    // About one round in thirty met two that changed the file into WAL mode at the same moment.
    for (let round = 0; round < 200; round += 1) {
      const path = freshPath();
      await Promise.all(all.map((each) => each.ask({ do: 'closeStore' })));
      const made = await Promise.all(all.map((each) => each.ask({ do: 'store', path })));
      expect(made).toEqual(all.map(() => ({ ok: null })));
    }
  });
});

describe('formats', () => {
  test('another one is refused with its number, by writers and readers, and its file is left as it is', async () => {
    for (const migrations of [[ZERO], [...STEPS, BEYOND]]) {
      const path = freshPath();
      await filled(path, { migrations });
      const before = bytesOf(path);
      const format = newestFormat(migrations);
      for (const readonly of [false, true]) {
        expect(() => sqliteStore(path, { readonly })).toThrow(failing('journal_not_ours'));
        expect(() => sqliteStore(path, { readonly })).toThrow(
          `has format ${format}; this Belay has format ${PRESENT}.`,
        );
      }
      expect(bytesOf(path)).toEqual(before);
      expect(files(path)).toEqual(['journal.db', 'journal.db-anchor']);
    }
  });

  test('another one that is still in its log is refused too', async () => {
    const path = freshPath();
    await filled(path);
    const newer = new Database(path);
    newer.exec(`PRAGMA user_version = ${PRESENT + 1}`);
    const before = [bytesOf(`${path}-wal`)];
    expect(() => sqliteStore(path)).toThrow(failing('journal_not_ours'));
    expect([bytesOf(`${path}-wal`)]).toEqual(before);
    newer.close();
  });

  test.each([
    ['too many', 'CREATE TABLE extra (text TEXT)'],
    ['too few', 'DROP TABLE inbox'],
    ['of another form', 'ALTER TABLE inbox ADD COLUMN more TEXT'],
  ])('a file with a table %s is damaged', async (_, sql) => {
    const path = freshPath();
    await filled(path);
    raw(path, (db) => db.exec(sql));
    for (const readonly of [false, true])
      expect(() => sqliteStore(path, { readonly })).toThrow(failing('journal_corrupt'));
  });

  test('an older one moves forward in all its steps, with a copy beside it that opens as it was', async () => {
    const path = freshPath();
    await filled(path, { migrations: [ZERO] });
    const migrations = [...STEPS, BEYOND];
    expect(() => read(path, { migrations })).toThrow(/has format 0, not 2\. Open it once for writing/);
    const store = sqliteStore(path, { migrations });
    expect(bodies(store.read('a'))).toEqual(['first', 'second']);
    const journal = await store.open('a', 'resume');
    journal.append([row('third')]);
    await journal.close();
    await store.close();
    expect(files(path)).toEqual(['journal.db', 'journal.db-anchor', 'journal.db.v0-backup']);
    expect(read(path, { migrations })).toEqual(['first', 'second', 'third']);
    expect(read(`${path}.v0-backup`, { migrations: [ZERO] })).toEqual(['first', 'second']);
    expect(raw(path, (db) => db.prepare('SELECT text, more FROM extra').all())).toEqual([{ text: 'a', more: null }]);
  });

  test('a copy that is there already is not written over', async () => {
    const path = freshPath();
    await filled(path, { migrations: [ZERO] });
    writeFileSync(`${path}.v0-backup`, 'mine');
    await sqliteStore(path, { migrations: STEPS }).close();
    expect(bytesOf(`${path}.v0-backup`)?.toString()).toBe('mine');
    expect(read(`${path}.v0-backup-2`, { migrations: [ZERO] })).toEqual(['first', 'second']);
  });

  test('a step that fails leaves the older format in force', async () => {
    const path = freshPath();
    await filled(path, { migrations: [ZERO] });
    const broken = { to: PRESENT + 1, sql: 'CREATE TABLE half (a) STRICT' };
    expect(() => sqliteStore(path, { migrations: [...STEPS, broken] })).toThrow(failing('journal_corrupt'));
    await filled(path, { migrations: [ZERO] });
    expect(read(path, { migrations: [ZERO] })).toEqual(['first', 'second', 'first', 'second']);
  });

  test('a file whose writer lives is not moved under its hands', async () => {
    const path = freshPath();
    const writer = other();
    await writer.askAll({ do: 'store', path }, { do: 'open', run: 'a', mode: 'create' });
    const migrations = [...MIGRATIONS, { to: PRESENT + 1, sql: 'CREATE TABLE extra (text TEXT) STRICT' }];
    expect(() => sqliteStore(path, { migrations })).toThrow(failing('lease_held'));
    await writer.askAll({ do: 'append', bodies: [1] }, { do: 'flush' });
    await writer.end('SIGKILL');
    const store = sqliteStore(path, { migrations });
    expect(bodies(store.read('a'))).toEqual([1]);
    await store.close();
  });
});

describe('a reader', () => {
  test('sees what a living writer has made durable, and changes no file', async () => {
    const path = freshPath();
    const writer = other();
    await writer.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1] },
      { do: 'flush' },
    );
    const reader = sqliteStore(path, { readonly: true });
    const before = [files(path), bytesOf(`${path}-wal`)];
    expect([reader.runs()[0], bodies(reader.read('a'))]).toEqual([
      expect.objectContaining({ head: 1, held: true }),
      [1],
    ]);
    expect([files(path), bytesOf(`${path}-wal`)]).toEqual(before);
    const started = reader.read('a')[Symbol.iterator]();
    started.next();
    await writer.askAll({ do: 'append', bodies: [2] }, { do: 'flush' });
    expect([started.next().done, bodies(reader.read('a'))]).toEqual([true, [1, 2]]);
    await writer.askAll({ do: 'close' }, { do: 'closeStore' });
    expect(bodies(reader.read('a'))).toEqual([1, 2]);
    expect(files(path)).toEqual(['journal.db', 'journal.db-anchor']);
    await expect(reader.open('a', 'either')).rejects.toEqual(failing('journal_cannot_write'));
    await reader.close();
  });

  test('leaves what a killed writer left, for the next one', async () => {
    const path = freshPath();
    const writer = other();
    await writer.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: [1] },
      { do: 'flush' },
    );
    await writer.end('SIGKILL');
    const before = [files(path), bytesOf(path), bytesOf(`${path}-wal`)];
    expect(read(path)).toEqual([1]);
    rmSync(`${path}-shm`);
    expect(read(path)).toEqual([1]);
    expect([[...files(path), 'journal.db-shm'].sort(), bytesOf(path), bytesOf(`${path}-wal`)]).toEqual(before);
  });
});

describe('a commit that nobody asked for', () => {
  test('comes a moment after the append', async () => {
    const store = sqliteStore(freshPath());
    const journal = await store.open('a', 'create');
    journal.append([row(1)]);
    expect(journal.durable).toBe(0);
    await until(() => journal.durable === 1);
    await journal.close();
    await store.close();
  });

  test.each([
    ['many rows', Array.from({ length: 1_001 }, (_, n) => row(n))],
    ['much text', [row('x'.repeat(1024 * 1024))]],
  ])('comes in the next turn when %s are pending', async (_name, rows) => {
    const store = sqliteStore(freshPath());
    const journal = await store.open('a', 'create');
    journal.append(rows);
    await pause(0);
    await new Promise(setImmediate);
    expect(journal.durable).toBe(rows.length);
    await journal.close();
    await store.close();
  });
});

test('small rows cost at most 25 bytes beside their bodies, and a group at most 70', async () => {
  const sizeWith = async (groups: number, perGroup: number) => {
    const path = freshPath();
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    for (let group = 0; group < groups; group += 1) {
      journal.append(Array.from({ length: perGroup }, () => ({ kind: 1, body: '0123456789' })));
      await journal.flush();
    }
    await journal.close();
    await store.close();
    return statSync(path).size;
  };
  const empty = await sizeWith(0, 0);
  const rows = 20_000;
  expect((await sizeWith(20, rows / 20)) - empty).toBeLessThan(rows * (10 + 25));
  const groups = 2_000;
  expect((await sizeWith(groups, 1)) - empty).toBeLessThan(groups * (10 + 25 + 70));
});

test('a folder in place of the file is named', () => {
  const path = freshPath();
  mkdirSync(path);
  expect(() => sqliteStore(path)).toThrow(/journal\.db/);
  expect(existsSync(`${path}-wal`)).toBe(false);
});
