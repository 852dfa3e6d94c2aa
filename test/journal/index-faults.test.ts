/** Bytes of a file with a long log that change: of its index, of the rows that it points at, of anything else. Each is noticed, or nothing is different. */
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import type { StoredRow } from '../../src/journal/journal.ts';
import { groupsIn, headOf, joined, partsIn } from '../../src/journal/sqlite/log/form.ts';
import { SEGMENT } from '../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { changed, type Files, filesOf, put, RUNS, readOnly, taken } from './damage.ts';
import { freshPath } from './files.ts';
import { longLog } from './logged.ts';

const PAGE = 4_096;

describe('a flipped bit in a log with an index', () => {
  const path = freshPath();
  let whole: Files;
  let original: Record<string, StoredRow[]>;
  const roots = new Map<string, number>();

  beforeAll(async () => {
    await longLog(path, SEGMENT + 20, { a: 7, b: 100 });
    const store = sqliteStore(path);
    original = Object.fromEntries(RUNS.map((run) => [run, [...store.read(run)]]));
    await store.close();
    const db = new Database(path, { readonly: true });
    for (const { name, rootpage } of db.prepare('SELECT name, rootpage FROM sqlite_schema').all() as {
      name: string;
      rootpage: number;
    }[])
      roots.set(name, rootpage);
    db.close();
    rmSync(`${path}-wal`, { force: true });
    whole = filesOf(path);
    expect(original.a).toHaveLength(Math.floor((SEGMENT + 20) / 7));
  });

  /** Flips a bit at each of some places, and asks a reader and a writer. @returns how they ended. */
  async function flipped(places: readonly number[]): Promise<Set<string>> {
    const ends = new Set<string>();
    for (const at of places) {
      const bytes = Buffer.from(whole.get('') as Buffer);
      bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
      const damaged = new Map(whole).set('', bytes);
      put(path, damaged);
      const read = readOnly(path);
      if ('rows' in read) expect({ at, ...read }).toEqual({ at, rows: original });
      expect(changed(damaged, filesOf(path))).toEqual([]);
      ends.add('code' in read ? read.code : 'whole');
      const written = await taken(path, 'b');
      if (Array.isArray(written)) expect({ at, written }).toEqual({ at, written: original.b });
    }
    return ends;
  }

  const within = (page: number, step: number) => {
    const from = (page - 1) * PAGE;
    const used = [...(whole.get('') as Buffer).subarray(from, from + PAGE).entries()].filter(([, byte]) => byte !== 0);
    return used.filter((_, index) => index < 24 || index % step === 0).map(([at]) => from + at);
  };

  test.each([
    ['segment', 11],
    ['sqlite_autoindex_run_1', 1],
    ['run_end', 1],
    ['run', 1],
    ['lease', 23],
  ])('in the table %s', async (table, step) => {
    const ends = await flipped(within(roots.get(table) as number, step));
    expect([...ends]).toContain('journal_corrupt');
  });

  test('anywhere', async () => {
    const { length } = whole.get('') as Buffer;
    const stride = Math.floor(length / 60);
    const ends = await flipped(Array.from({ length: 60 }, (_, index) => index * stride + (index % stride)));
    for (const end of ['journal_corrupt', 'whole']) expect([...ends]).toContain(end);
  });
});

describe.each([
  ['after the last segment', 10, 7],
  ['in a segment', SEGMENT + 20, 1_001],
])('a row %s', (_, commits, at) => {
  /** Changes a row that both runs have a part of, and tells what a reader then gets of them. */
  async function changedTo(change: (row: { head: Buffer; body: Buffer }, other: Database.Database) => object) {
    const [path, another] = [freshPath(), freshPath()];
    for (const each of [path, another]) await longLog(each, commits, { a: 1, b: 1 });
    const [db, other] = [new Database(path), new Database(another, { readonly: true })];
    const row = db.prepare('SELECT * FROM log WHERE id = ?').get(at) as { link: Buffer; head: Buffer; body: Buffer };
    const { link, head, body } = { ...row, ...change(row, other) };
    db.prepare('UPDATE log SET link = ?, head = ?, body = ? WHERE id = ?').run(link, head, body, at);
    for (const each of [db, other]) each.close();
    rmSync(`${path}-anchor`, { force: true });
    return [readOnly(path), await taken(path, 'a')];
  }
  const groups = (head: Buffer) => groupsIn(at, head) ?? [];
  const refused = { code: 'journal_corrupt' };

  test('whose groups exchanged what they hold', async () => {
    const [read] = await changedTo(({ body }) => ({ body: joined([...(partsIn(body, 2) ?? [])].reverse()) }));
    expect(read).toEqual(refused);
  });

  test('whose groups exchanged their runs', async () => {
    const [read] = await changedTo(({ head }) => {
      const [a, b] = groups(head);
      if (a === undefined || b === undefined) throw new Error('the row has two groups');
      return {
        head: headOf(at, [
          { ...a, run: b.run },
          { ...b, run: a.run },
        ]),
      };
    });
    expect(read).toEqual(refused);
  });

  test('that is one of another file', async () => {
    const found = await changedTo((_row, other) => other.prepare('SELECT * FROM log WHERE id = ?').get(at) as object);
    expect(found[0]).toEqual(refused);
  });

  test('whose group was emptied as a deleted one is', async () => {
    const [read] = await changedTo(({ body }) => ({
      body: joined([Buffer.alloc(0), (partsIn(body, 2) ?? [])[1] as Buffer]),
    }));
    expect(read).toEqual(refused);
  });

  test('that is as it was says what it said', async () => {
    const [read, written] = await changedTo(() => ({}));
    expect([Object.keys(read as object), (written as StoredRow[]).length]).toEqual([['rows'], commits]);
  });
});
