/** Files of every past format: they are read, go on, and mean the same; what is not as it was written is not carried over. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { chained, seed } from '../../src/journal/chain.ts';
import type { ClaimsListed } from '../../src/journal/claims.ts';
import type { LocalStore } from '../../src/journal/journal.ts';
import { LOG_FORMAT, MIGRATIONS, newestFormat } from '../../src/journal/sqlite/file/format.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf, copyOf, freshPath } from './files.ts';
import { OLD_KEY, OLD_ROWS, olderFile } from './older-file.ts';
import { bodies, failing, row } from './rows-of.ts';

const PAST = Array.from({ length: LOG_FORMAT - 1 }, (_, index) => index + 1);
const files = (path: string) => readdirSync(dirname(path)).sort();

/** What a store says of everything that an older one wrote. */
function told(store: LocalStore): unknown {
  return {
    rows: Object.fromEntries(store.runs().map(({ run }) => [run, [...store.read(run)]])),
    heads: store.runs().map(({ run, head, held }) => [run, head, held]),
    notes: store.runs().map(({ note }) => note),
    posts: store.posts('a').map(({ body }) => body),
    order: store.work.order('left'),
    held: (store.claims.list() as ClaimsListed).held.map(({ run, key }) => [run, key]),
  };
}

const expected = (format: number) => ({
  rows: OLD_ROWS,
  heads: [
    ['left', 1, false],
    ['a', 6, false],
    ['b', 4, false],
    ['empty', 0, false],
  ],
  notes: format < 4 ? [undefined, undefined, undefined, undefined] : ['done', 'goes on', 'ended', undefined],
  posts: format < 2 ? [] : ['approve', 'again'],
  order: format < 5 ? null : expect.objectContaining({ agent: 'order', input: '{"n":1}', output: '{"paid":3}' }),
  held: format < 6 ? [] : [['a', 'account/7']],
});

describe.each([
  ['plain', PAST],
  ['sealed', PAST.filter((format) => format >= 3)],
] as const)('a file that is %s', (kind, formats) => {
  const options = kind === 'sealed' ? { key: OLD_KEY } : {};

  test.each(formats)('of format %d is read, with everything in it, and no file is changed', async (format) => {
    const path = freshPath();
    olderFile(path, format, { kind });
    const before = [files(path), bytesOf(path), bytesOf(`${path}-anchor`)];
    const reader = sqliteStore(path, { readonly: true, ...options });
    expect(told(reader)).toEqual(expected(format));
    await reader.close();
    expect([files(path), bytesOf(path), bytesOf(`${path}-anchor`)]).toEqual(before);
  });

  test.each(formats)('of format %d moves forward, and its runs go on', async (format) => {
    const path = freshPath();
    olderFile(path, format, { kind });
    const store = sqliteStore(path, options);
    expect(told(store)).toEqual(expected(format));
    const [a, fresh] = [await store.open('a', 'resume'), await store.open('new', 'create')];
    for (const journal of [a, fresh]) journal.append([row('more')], 'went on');
    await Promise.all([a.flush(), fresh.flush()]);
    expect([...a.read(4)].map(({ seq, body }) => [seq, body])).toEqual([
      [5, '"a 3"'],
      [6, OLD_ROWS.a[5]?.body],
      [7, '"more"'],
    ]);
    for (const journal of [a, fresh]) await journal.close();
    await store.close();
    const again = sqliteStore(path, { readonly: true, ...options });
    expect(again.runs().map(({ run, head, note }) => [run, head, note])).toEqual([
      ['left', 1, expected(format).notes[0]],
      ['a', 7, 'went on'],
      ['b', 4, expected(format).notes[2]],
      ['empty', 0, undefined],
      ['new', 1, 'went on'],
    ]);
    expect([...again.read('b')]).toEqual(OLD_ROWS.b);
    expect(bytesOf(`${path}-anchor`)).toHaveLength(128);
    const copy = sqliteStore(`${path}.v${format}-backup`, { readonly: true, ...options });
    expect(told(copy)).toEqual(expected(format));
  });
});

test('an older file is read beside a process that has it open', async () => {
  const path = freshPath();
  olderFile(path, 7);
  const open = new Database(path);
  open.exec("INSERT INTO inbox VALUES (1, 1, 5, CAST('still in the log' AS BLOB))");
  expect(existsSync(`${path}-wal`)).toBe(true);
  const reader = sqliteStore(path, { readonly: true });
  expect([reader.posts('left').map(({ body }) => body), bodies(reader.read('b'))]).toEqual([
    ['still in the log'],
    bodies(OLD_ROWS.b),
  ]);
  await reader.close();
  open.close();
});

describe('a file of format 7 is refused, stays as it is, and leaves no copy', () => {
  test.each<[string, string, string, RegExp]>([
    ['with another body', "UPDATE entry SET body = x'32' WHERE run = 2 AND seq = 3", 'corrupt', /run "a", seq 4/],
    ['without a row', 'DELETE FROM entry WHERE run = 2 AND seq = 3', 'corrupt', /run "a", seq 3/],
    ['with a row beyond every group', "INSERT INTO entry VALUES (2, 7, 1, x'31')", 'corrupt', /run "a", seq 7/],
    ['without a group', 'DELETE FROM commit_group WHERE run = 2 AND last = 2', 'corrupt', /run "a", seq 4/],
    [
      'behind its anchor',
      'DELETE FROM entry WHERE run = 3 AND seq = 4; DELETE FROM commit_group WHERE run = 3 AND last = 4',
      'tail_lost',
      /run "b" ends at seq 3, and its anchor remembers seq 4/,
    ],
    [
      'with a run that is gone',
      'DELETE FROM run WHERE id = 3; DELETE FROM entry WHERE run = 3; DELETE FROM commit_group WHERE run = 3; DELETE FROM lease WHERE run = 3',
      'tail_lost',
      /a run number 3 up to seq 4/,
    ],
  ])('%s', (_, sql, code, message) => {
    const path = freshPath();
    olderFile(path, 7, { sql });
    const before = [files(path), bytesOf(path), bytesOf(`${path}-anchor`)];
    for (const readonly of [true, false]) {
      expect(() => sqliteStore(path, { readonly })).toThrow(failing(`journal_${code}` as 'journal_corrupt'));
      expect(() => sqliteStore(path, { readonly })).toThrow(message);
    }
    expect([files(path), bytesOf(path), bytesOf(`${path}-anchor`)]).toEqual(before);
  });

  test('whose tail was replaced', () => {
    const path = freshPath();
    olderFile(path, 7);
    const other = copyOf(path);
    const db = new Database(path);
    const { identity } = db.prepare('SELECT identity FROM file').get() as { identity: Buffer };
    const entry = { seq: 1, kind: 1, body: Buffer.from('"other"') };
    const hash = chained(seed(identity, 1, 'left'), 1, 7, [entry]);
    db.prepare('UPDATE entry SET body = ? WHERE run = 1').run(entry.body);
    db.prepare('UPDATE commit_group SET hash = ?, time = 7 WHERE run = 1').run(hash);
    db.close();
    expect(() => sqliteStore(path)).toThrow(/run "left", seq 1: the anchor remembers other rows/);
    expect(() => sqliteStore(other)).not.toThrow();
  });
});

test('a process that is killed before it has renewed the anchor leaves one that lags', async () => {
  const path = freshPath();
  olderFile(path, 7);
  const anchor = bytesOf(`${path}-anchor`) as Buffer;
  await sqliteStore(path).close();
  writeFileSync(`${path}-anchor`, anchor);
  const store = sqliteStore(path);
  const journal = await store.open('left', 'resume');
  journal.append([row('more')]);
  await journal.close();
  expect(bodies(store.read('left'))).toEqual(['worked', 'more']);
  await store.close();
});

test('a run of thousands of commits moves with its index', async () => {
  const path = freshPath();
  olderFile(path, 7);
  const db = new Database(path);
  const { identity } = db.prepare('SELECT identity FROM file').get() as { identity: Buffer };
  let before = seed(identity, 5, 'empty');
  db.exec('BEGIN');
  for (let seq = 1; seq <= 2_500; seq += 1) {
    const body = Buffer.from(`${seq}`);
    before = chained(before, 1, seq, [{ seq, kind: 1, body }]);
    db.prepare('INSERT INTO entry VALUES (5, ?, 1, ?)').run(seq, body);
    db.prepare('INSERT INTO commit_group VALUES (5, ?, 1, ?, ?)').run(seq, seq, before);
  }
  db.exec('COMMIT');
  db.close();
  await sqliteStore(path).close();
  const store = sqliteStore(path, { readonly: true });
  expect(bodies(store.read('empty'))).toEqual(Array.from({ length: 2_500 }, (_, index) => index + 1));
  expect([...store.read('a')]).toEqual(OLD_ROWS.a);
  expect(newestFormat(MIGRATIONS)).toBeGreaterThanOrEqual(LOG_FORMAT);
});
