/** The log of a file: one row for each commit, a fence by its number, an index that is believed no more than what it points at. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Leases } from '../../src/journal/sqlite/lease/lease.ts';
import { SEGMENT } from '../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { freshPath } from './files.ts';
import { longLog, raw, rowsRead } from './logged.ts';
import { type Other, startOther } from './other-process.ts';
import { bodies, failing, row } from './rows-of.ts';

const others: Other[] = [];
afterEach(async () => {
  for (const each of others.splice(0)) await each.end('SIGKILL');
});
async function other(path: string, run: string): Promise<Other> {
  const started = startOther();
  others.push(started);
  await started.askAll({ do: 'store', path }, { do: 'open', run, mode: 'either' });
  return started;
}

const texts = (rows: Iterable<{ readonly body: string }>) => [...rows].map(({ body }) => body);

describe('a commit of sixteen runs', () => {
  const counted = async () => {
    const path = freshPath();
    const store = sqliteStore(path);
    const runs = Array.from({ length: 16 }, (_, index) => `run ${index}`);
    const journals = await Promise.all(runs.map((run) => store.open(run, 'create')));
    const commit = async (n: number) => {
      for (const journal of journals) journal.append([row(n)]);
      await Promise.all(journals.map((journal) => journal.flush()));
    };
    return { path, store, journals, commit };
  };

  test('is one statement that writes and one that reads, and writes two pages', async () => {
    const { path, store, journals, commit } = await counted();
    for (let n = 0; n < 4; n += 1) await commit(n);
    const statements: string[] = [];
    const proto = Object.getPrototypeOf(new Database(':memory:').prepare('SELECT 1'));
    const { run, get, all } = proto;
    for (const [name, method] of Object.entries({ run, get, all }))
      proto[name] = function (this: Database.Statement, ...asked: unknown[]) {
        statements.push(this.source.split(' ').slice(0, 3).join(' '));
        return (method as (...asked: unknown[]) => unknown).apply(this, asked);
      };
    const before = statSync(`${path}-wal`).size;
    try {
      for (let n = 0; n < 10; n += 1) await commit(n);
    } finally {
      Object.assign(proto, { run, get, all });
    }
    expect(statements).toEqual(Array.from({ length: 10 }, () => ['PRAGMA data_version', 'INSERT INTO log']).flat());
    // A page of 4,096 bytes and its header.
    expect((statSync(`${path}-wal`).size - before) / (4_096 + 24)).toBeLessThanOrEqual(2 * 10);
    for (const journal of journals) await journal.close();
    await store.close();
  });

  test('is one row of the log, and one record of the anchor', async () => {
    const { path, store, journals, commit } = await counted();
    const rows = () => {
      const db = new Database(path, { readonly: true });
      const count = db.prepare('SELECT count(*) FROM log').pluck().get();
      db.close();
      return count;
    };
    const before = rows();
    for (let n = 0; n < 3; n += 1) await commit(n);
    expect([before, rows(), statSync(`${path}-anchor`).size]).toEqual([16, 19, 128]);
    for (const journal of journals) await journal.close();
    await store.close();
  });
});

describe('the number of a row is the fence', () => {
  test('a run that is taken after its lease was looked at, and before the commit, is lost', async () => {
    const path = freshPath();
    let time = 0;
    const options = { now: () => time, leaseMs: 60_000 };
    const store = sqliteStore(path, options);
    const [a, b] = [await store.open('a', 'create'), await store.open('b', 'create')];
    for (const journal of [a, b]) journal.append([row('first')]);
    await Promise.all([a.flush(), b.flush()]);
    const second = sqliteStore(path, { ...options, now: () => time + 60_000 });
    const version = Leases.prototype.version;
    const spy = vi.spyOn(Leases.prototype, 'version').mockImplementationOnce(function (this: Leases) {
      const seen = version.call(this);
      expect(second.claims.free('a', 1, null)).toEqual([]);
      return seen;
    });
    for (const journal of [a, b]) journal.append([row('second')]);
    const [lost, kept] = await Promise.allSettled([a.flush(), b.flush()]);
    spy.mockRestore();
    expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'lease_lost' } });
    expect(kept).toEqual({ status: 'fulfilled', value: 2 });
    expect([bodies(second.read('a')), bodies(second.read('b'))]).toEqual([['first'], ['first', 'second']]);
    time += 1;
    await expect(a.close()).rejects.toEqual(failing('lease_lost'));
    await b.close();
    await store.close();
    await second.close();
  });

  test('a run whose lease this store itself takes again is lost to its journal', async () => {
    let time = 0;
    const store = sqliteStore(freshPath(), { now: () => time, leaseMs: 1_000 });
    const journal = await store.open('a', 'create');
    journal.append([row('first')]);
    await journal.flush();
    time = 5_000;
    expect(store.claims.free('a', 1, null)).toEqual([]);
    journal.append([row('second')]);
    await expect(journal.flush()).rejects.toEqual(failing('lease_lost'));
    await expect(journal.close()).rejects.toEqual(failing('lease_lost'));
    expect(bodies(store.read('a'))).toEqual(['first']);
    await store.close();
  });

  test('two processes take turns across the end of a segment, and none loses a row', async () => {
    const path = freshPath();
    await longLog(path, SEGMENT - 30, { a: 2, b: 3, c: 1_000 });
    const [one, two] = [await other(path, 'one'), await other(path, 'two')];
    for (let n = 0; n < 20; n += 1)
      for (const each of [one, two]) await each.askAll({ do: 'append', bodies: [n] }, { do: 'flush' });
    await Promise.all([one, two].map((each) => each.ask({ do: 'close' })));
    const reader = sqliteStore(path, { readonly: true });
    const expected = Array.from({ length: 20 }, (_, n) => n);
    expect([bodies(reader.read('one')), bodies(reader.read('two'))]).toEqual([expected, expected]);
    expect([...reader.read('a')]).toHaveLength((SEGMENT - 30) / 2);
    expect([...reader.read('c')]).toHaveLength(0);
    await reader.close();
  });
});

describe('a log of three segments', () => {
  const PARTS = { every: 1, third: 3, rare: 500, early: 3_000 };
  const filled = async () => {
    const path = freshPath();
    return { path, written: await longLog(path, 3 * SEGMENT + 100, PARTS) };
  };

  test('gives each run its rows, from the beginning and from any row on', async () => {
    const { path, written } = await filled();
    const store = sqliteStore(path);
    for (const run of Object.keys(PARTS)) expect(texts(store.read(run))).toEqual(written[run]);
    const journal = await store.open('third', 'resume');
    for (const after of [1, 340, 341, 342, 683, 1_000, 1_056, 1_057])
      expect(texts(journal.read(after))).toEqual(written.third?.slice(after));
    journal.append([row('more')]);
    expect(texts(journal.read(1_055)).at(-1)).toBe('"more"');
    await journal.close();
    await store.close();
  });

  test('is not read to open one run of it, nor to go on from a row', async () => {
    const { path } = await filled();
    const store = sqliteStore(path);
    // The rows after the last segment, once.
    expect(rowsRead(() => store.run('rare'))).toBeLessThan(130);
    expect(rowsRead(() => store.run('early'))).toBeLessThan(10);
    expect(rowsRead(() => [...store.read('rare')])).toBeLessThan(20);
    const journal = await store.open('every', 'resume');
    expect(rowsRead(() => [...journal.read(3_160)])).toBeLessThan(40);
    await journal.close();
    await store.close();
  });

  test.each([
    [
      'a segment that is gone',
      'DELETE FROM segment WHERE run = 2 AND last = (SELECT min(last) FROM segment WHERE run = 2)',
    ],
    [
      'the newest segment that is gone',
      'DELETE FROM segment WHERE run = 2 AND last = (SELECT max(last) FROM segment WHERE run = 2)',
    ],
    ['all segments that are gone', 'DELETE FROM segment WHERE run = 2'],
    ['its end that is gone', 'DELETE FROM run_end WHERE run = 2'],
    ['another end', 'UPDATE run_end SET row = row - 3 WHERE run = 2'],
    ['the segments of another run', 'DELETE FROM segment WHERE run = 2; UPDATE segment SET run = 2 WHERE run = 1'],
    ['a segment without its first row', 'UPDATE segment SET rows = CAST(substr(rows, 2) AS BLOB) WHERE run = 2'],
    ['a row of the log that is gone from the middle', 'DELETE FROM log WHERE id = 1003'],
    ['a row that was emptied', "UPDATE log SET head = x'', body = x'' WHERE id = 1003"],
    [
      'rows of the log that changed their places',
      'UPDATE log SET id = -1 WHERE id = 1003; UPDATE log SET id = 1003 WHERE id = 1006; UPDATE log SET id = 1006 WHERE id = -1',
    ],
  ])('with %s is refused when the run is read', async (_, sql) => {
    const { path, written } = await filled();
    raw(path, sql);
    rmSync(`${path}-anchor`);
    const reader = sqliteStore(path, { readonly: true });
    // The row is read, or the end of the run is asked.
    expect(() => texts(reader.read('third'))).toThrow(failing('journal_corrupt'));
    expect(texts(reader.read('early'))).toEqual(written.early);
    await reader.close();
  });

  test('loses what a deleted run held and nothing else; a process that was idle goes on', async () => {
    const { path, written } = await filled();
    const idle = sqliteStore(path);
    const journal = await idle.open('rare', 'resume');
    journal.append([row('before')]);
    await journal.flush();
    const store = sqliteStore(path);
    const size = () => readFileSync(path).length;
    expect(store.delete('every', { head: written.every?.length as number, posts: 0 })).toBe(true);
    store.delete('third', { head: written.third?.length as number, posts: 0 });
    journal.append([row('after')]);
    expect(await journal.flush()).toBe(8);
    await journal.close();
    await idle.close();
    const before = size();
    store.shrink?.();
    await store.close();
    expect([readFileSync(path).includes('every 7'), readFileSync(path).includes('third 9')]).toEqual([false, false]);
    expect(size()).toBeLessThan(before);
    const again = sqliteStore(path);
    expect(texts(again.read('rare'))).toEqual([...(written.rare ?? []), '"before"', '"after"']);
    expect(texts(again.read('early'))).toEqual(written.early);
    expect(again.runs().map(({ run }) => run)).toEqual(['rare', 'early']);
    await again.close();
  });
});
