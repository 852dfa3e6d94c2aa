/**
 * What a medium can do to a journal: bytes that go, bytes that change, files that are put back, disks that are full. Every one
 * ends in a JournalError or in exactly the rows that were written, and nothing is repaired where the open was refused.
 * A sync that fails by itself cannot be made here without native code; writes that fail (a file size limit) and a file that may
 * not grow take the same way through SQLite and through the group commit.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { JournalError, type LocalStore, type StoredRow } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { bytesOf, copyOf, freshPath, NOBODY, shareWithAll } from './files.ts';
import { type Other, startOther } from './other-process.ts';
import { bodies, failing, row } from './rows-of.ts';

const others: Other[] = [];
function other(...options: Parameters<typeof startOther>): Other {
  const started = startOther(...options);
  others.push(started);
  return started;
}
afterEach(async () => {
  for (const each of others.splice(0)) await each.end();
});

const RUNS = ['a', 'b'];
const KEPT = ['', '-wal', '-anchor'];
type Files = ReadonlyMap<string, Buffer | null>;

const filesOf = (path: string): Files => new Map(KEPT.map((suffix) => [suffix, bytesOf(path + suffix)]));

/** Which files are not what they were, byte for byte. */
function changed(before: Files, after: Files): string[] {
  // A log of no bytes says as much as none.
  const nothing = Buffer.alloc(0);
  return KEPT.filter((suffix) => !(before.get(suffix) ?? nothing).equals(after.get(suffix) ?? nothing));
}

function put(path: string, files: Files): void {
  rmSync(`${path}-shm`, { force: true });
  for (const [suffix, bytes] of files) {
    if (bytes === null) rmSync(path + suffix, { force: true });
    else writeFileSync(path + suffix, bytes);
  }
}

type Outcome = { code: string } | { rows: Record<string, StoredRow[]> };

/** What a fault ends in; anything but a JournalError fails the test. */
function caught(error: unknown): { code: string } {
  if (!(error instanceof JournalError)) throw error;
  return { code: error.code };
}

/** The rows that a writer gets, or how far it came: an open that is refused must leave no trace. */
async function taken(path: string, run: string): Promise<StoredRow[] | { code: string; opened?: boolean }> {
  let store: LocalStore;
  try {
    store = sqliteStore(path);
  } catch (error) {
    return caught(error);
  }
  try {
    const journal = await store.open(run, 'either');
    try {
      return [...journal.read()];
    } catch (error) {
      return { ...caught(error), opened: true };
    } finally {
      await journal.close();
    }
  } catch (error) {
    return caught(error);
  } finally {
    await store.close();
  }
}

function readOnly(path: string): Outcome {
  try {
    const store = sqliteStore(path, { readonly: true });
    store.runs();
    return { rows: Object.fromEntries(RUNS.map((run) => [run, [...store.read(run)]])) };
  } catch (error) {
    return caught(error);
  }
}

/** A journal of two runs that a killed process left: with a log, which holds all or only the newest of it. */
async function leftBehind(folded: boolean): Promise<Files> {
  const path = freshPath();
  const killed = other();
  await killed.ask({ do: 'store', path });
  for (const run of RUNS) {
    await killed.askAll({ do: 'open', run, mode: 'create' });
    for (let n = 0; n < 6; n += 1) {
      await killed.askAll({ do: 'append', bodies: [`${run} ${n}`, n, 'x'.repeat(n * 80)] }, { do: 'flush' });
    }
    await killed.ask({ do: 'close' });
  }
  if (folded) await killed.ask({ do: 'closeStore' });
  await killed.end('SIGKILL');
  return filesOf(path);
}

describe.each([
  ['in its log', false],
  ['folded into its file', true],
])('a journal %s', (_name, folded) => {
  let whole: Files;
  let original: Record<string, StoredRow[]>;
  const path = freshPath();
  beforeAll(async () => {
    whole = await leftBehind(folded);
    put(path, whole);
    original = await allTaken(path);
    expect(original.a?.length).toBe(18);
  });

  async function allTaken(at: string): Promise<Record<string, StoredRow[]>> {
    const rows: Record<string, StoredRow[]> = {};
    for (const run of RUNS) rows[run] = (await taken(at, run)) as StoredRow[];
    return rows;
  }

  /** Each fault on files of its own, asked by a reader and by a writer. Counts how each ended. */
  async function judge(suffix: string, change: (bytes: Buffer) => Buffer): Promise<string> {
    const damaged = new Map(whole).set(suffix, change(Buffer.from(whole.get(suffix) as Buffer)));
    put(path, damaged);
    const read = readOnly(path);
    if ('rows' in read) expect(read.rows).toEqual(original);
    expect(changed(damaged, filesOf(path))).toEqual([]);
    put(path, damaged);
    const written = await taken(path, 'a');
    if (Array.isArray(written)) expect(written).toEqual(original.a);
    else if (written.opened !== true)
      expect({ ...written, changed: changed(damaged, filesOf(path)) }).toEqual({ ...written, changed: [] });
    return Array.isArray(written) ? 'whole' : written.code;
  }

  const suffixes = folded ? ['', '-anchor'] : KEPT;

  test.each(suffixes)('that is cut short (%j) ends in an error or in what was written', async (suffix) => {
    const { length } = whole.get(suffix) as Buffer;
    const outcomes = new Set<string>();
    for (let cut = 0; cut < length; cut += Math.max(1, Math.floor(length / 60))) {
      outcomes.add(await judge(suffix, (bytes) => bytes.subarray(0, cut)));
    }
    if (suffix === '-anchor') expect([...outcomes]).toEqual(['whole']);
    else expect(outcomes).toContain(folded ? 'journal_corrupt' : 'journal_tail_lost');
  });

  test.each(suffixes)(
    'with a flipped bit (%j) ends in an error or in what was written',

    async (suffix) => {
      const { length } = whole.get(suffix) as Buffer;
      const outcomes = new Set<string>();
      const stride = suffix === '-anchor' ? 1 : Math.max(1, Math.floor(length / 150));
      for (let at = 0; at < length; at += at < 110 ? 1 : stride) {
        outcomes.add(
          await judge(suffix, (bytes) => {
            bytes[at] = (bytes[at] as number) ^ (1 << (at % 8));
            return bytes;
          }),
        );
      }
      if (suffix === '-anchor') expect([...outcomes]).toEqual(['whole']);
      else expect(outcomes.size).toBeGreaterThan(1);
    },
  );

  test('without its index is read by a writer, and left as it is by a reader', async () => {
    put(path, whole);
    expect(readOnly(path)).toEqual({ rows: original });
    expect([existsSync(`${path}-shm`), changed(whole, filesOf(path))]).toEqual([false, []]);
    expect(await allTaken(path)).toEqual(original);
  });
});

describe('a tail that is lost', () => {
  const append = async (path: string, count: number) => {
    const store = sqliteStore(path);
    const journal = await store.open('a', 'either');
    for (let n = 0; n < count; n += 1) {
      journal.append([row(n)]);
      await journal.flush();
    }
    await journal.close();
    await store.close();
  };

  test('is noticed when an older copy is put back, by writers and by readers, with both numbers', async () => {
    const path = freshPath();
    await append(path, 3);
    const older = copyOf(path);
    await append(path, 2);
    copyFileSync(older, path);
    const before = filesOf(path);
    const store = sqliteStore(path);
    await expect(store.open('a', 'resume')).rejects.toThrow(/ends at seq 3, and its anchor remembers seq 5/);
    expect(() => store.runs()).toThrow(failing('journal_tail_lost'));
    expect(() => [...store.read('a')]).toThrow(failing('journal_tail_lost'));
    await store.close();
    expect(changed(before, filesOf(path))).toEqual([]);
    expect(readOnly(path)).toEqual({ code: 'journal_tail_lost' });
  });

  test('is noticed when other rows took its place', async () => {
    const path = freshPath();
    await append(path, 3);
    const older = copyOf(path);
    await append(older, 2);
    await append(path, 2);
    copyFileSync(older, path);
    await expect(taken(path, 'a')).resolves.toEqual({ code: 'journal_corrupt' });
    await append(older, 2);
    copyFileSync(older, path);
    await expect(taken(path, 'a')).resolves.toEqual({ code: 'journal_corrupt' });
  });

  test('is noticed when a whole run is gone, or the whole file', async () => {
    const path = freshPath();
    sqliteStore(path).close();
    const empty = copyOf(path);
    await append(path, 1);
    const full = copyOf(path);
    copyFileSync(empty, path);
    expect(await taken(path, 'new')).toEqual({ code: 'journal_tail_lost' });
    rmSync(path);
    expect(await taken(path, 'a')).toEqual({ code: 'journal_tail_lost' });
    expect(existsSync(path)).toBe(false);
    copyFileSync(full, path);
    expect(await taken(path, 'a')).toHaveLength(1);
  });

  test('is not suspected when the anchor lags, is missing or cannot be written; the next commit refreshes it', async () => {
    const path = freshPath();
    await append(path, 3);
    const lagging = bytesOf(`${path}-anchor`) as Buffer;
    await append(path, 2);
    const current = bytesOf(`${path}-anchor`) as Buffer;
    writeFileSync(`${path}-anchor`, lagging);
    await append(path, 1);
    expect(bytesOf(`${path}-anchor`)).not.toEqual(current);
    rmSync(`${path}-anchor`);
    await append(path, 1);
    expect(bytesOf(`${path}-anchor`)).toHaveLength(128);
    const blind = freshPath();
    const store = sqliteStore(blind);
    await store.close();
    rmSync(`${blind}-anchor`);
    // A folder stands where the anchor would be.
    mkdirSync(`${blind}-anchor`);
    await append(blind, 2);
    expect(await taken(blind, 'a')).toHaveLength(2);
  });

  test('an anchor of another file is no anchor of this one', async () => {
    const [path, another] = [freshPath(), freshPath()];
    await append(path, 3);
    await append(another, 1);
    copyFileSync(`${another}-anchor`, `${path}-anchor`);
    expect(await taken(path, 'a')).toEqual({ code: 'journal_corrupt' });
    expect(readOnly(path)).toEqual({ code: 'journal_corrupt' });
  });

  test('a log of another file is found out', async () => {
    const [path, another] = [freshPath(), freshPath()];
    await append(path, 3);
    const killed = other();
    await killed.askAll({ do: 'store', path: another }, { do: 'open', run: 'a', mode: 'create' });
    await killed.askAll({ do: 'append', bodies: ['not ours'] }, { do: 'flush' });
    await killed.end('SIGKILL');
    copyFileSync(`${another}-wal`, `${path}-wal`);
    const before = filesOf(path);
    expect(await taken(path, 'a')).toHaveProperty('code', expect.stringMatching(/^journal_(corrupt|tail_lost)$/));
    expect(changed(before, filesOf(path))).toEqual([]);
  });
});

/** Gives the rows and groups of run 1 to run 2 and the other way round. */
const swapped = ['entry', 'commit_group']
  .map((table) => `UPDATE ${table} SET run = run + 10; UPDATE ${table} SET run = 13 - run;`)
  .join('');

describe('rows that somebody changed by hand are found out, with their run and seq', () => {
  test.each([
    ['a row beyond every group', "INSERT INTO entry VALUES (1, 5, 1, x'31')", /run "a", seq 5: no commit group covers/],
    ['a row that is gone', 'DELETE FROM entry WHERE run = 1 AND seq = 2', /run "a", seq 2: the row is missing/],
    ['a last row that is gone', 'DELETE FROM entry WHERE run = 1 AND seq = 4', /run "a", seq 5: no commit group/],
    ['another body', "UPDATE entry SET body = x'32' WHERE run = 1 AND seq = 1", /run "a", seq 2: the commit group/],
    ['another kind', 'UPDATE entry SET kind = 2 WHERE run = 1 AND seq = 4', /run "a", seq 4: the commit group/],
    ['another time', 'UPDATE commit_group SET time = time + 1 WHERE run = 1 AND last = 2', /run "a", seq 2/],
    ['another token', 'UPDATE commit_group SET token = 9 WHERE run = 1 AND last = 4', /run "a", seq 4/],
    ['a group that is gone', 'DELETE FROM commit_group WHERE run = 1 AND last = 2', /run "a", seq 4/],
    [
      'a group that ends elsewhere',
      'UPDATE commit_group SET last = 3 WHERE run = 1 AND last = 2',
      /run "a", seq (3|4)/,
    ],
    ['the rows of another run', swapped, /run "a", seq 2/],
    [
      'the name of another run',
      "UPDATE run SET name = 'c' WHERE id = 1; UPDATE run SET name = 'a' WHERE id = 2",
      /run "a", seq 2/,
    ],
  ])('%s', async (_name, sql, message) => {
    const path = freshPath();
    const store = sqliteStore(path);
    for (const run of RUNS) {
      const journal = await store.open(run, 'create');
      for (let n = 0; n < 2; n += 1) {
        journal.append([row(1), row(1)]);
        await journal.flush();
      }
      await journal.close();
    }
    await store.close();
    // Whoever changes rows by hand may know of the anchor as well.
    rmSync(`${path}-anchor`);
    const db = new Database(path);
    db.exec(sql);
    db.close();
    const reader = sqliteStore(path, { readonly: true });
    expect(() => [...reader.read('a')]).toThrow(failing('journal_corrupt'));
    expect(() => [...reader.read('a')]).toThrow(message);
    expect(await taken(path, 'a')).toMatchObject({ code: 'journal_corrupt' });
  });
});

test('a writer that is killed in the midst of its commits loses nothing that it was told is durable', async () => {
  const path = freshPath();
  let told = 0;
  for (let kill = 0; kill < 4; kill += 1) {
    const writer = other();
    await writer.askAll({ do: 'store', path }, { do: 'open', run: 'a', mode: 'either' });
    const writing = (async () => {
      for (;;) told = (await writer.askAll({ do: 'append', bodies: ['x', 'y', 'z'] }, { do: 'flush' })).ok as number;
    })();
    const ended = expect(writing).rejects.toThrow(/ended/);
    await pause(40 + 35 * kill);
    await writer.end('SIGKILL');
    await ended;
    const { length } = (await taken(path, 'a')) as StoredRow[];
    expect(length).toBeGreaterThanOrEqual(told);
    expect(length % 3).toBe(0);
  }
  expect(told).toBeGreaterThan(0);
});

describe('a medium that refuses', () => {
  test('J4: a file that may not grow: the flush says so, the journal is broken, and what was durable stays', async () => {
    const path = freshPath();
    const store = sqliteStore(path, { maxPages: 12 });
    const [a, b] = [await store.open('a', 'create'), await store.open('b', 'create')];
    a.append([row('kept')]);
    await a.flush();
    a.append([row('x'.repeat(100_000))]);
    b.append([row('in the same transaction')]);
    const both = await Promise.allSettled([a.flush(), a.flush(), b.flush()]);
    for (const each of both)
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'journal_cannot_write' } });
    expect(() => a.append([row(1)])).toThrow(failing('journal_cannot_write'));
    expect(() => a.read()).toThrow(failing('journal_cannot_write'));
    await expect(a.flush()).rejects.toThrow(/Free space/);
    await expect(store.open('c', 'create')).rejects.toEqual(failing('journal_cannot_write'));
    await expect(a.close()).rejects.toEqual(failing('journal_cannot_write'));
    await expect(b.close()).rejects.toEqual(failing('journal_cannot_write'));
    await store.close();
    const again = sqliteStore(path);
    expect([bodies(again.read('a')), bodies(again.read('b'))]).toEqual([['kept'], []]);
    const resumed = await again.open('a', 'resume');
    resumed.append([row('more')]);
    await resumed.close();
    expect(bodies(again.read('a'))).toEqual(['kept', 'more']);
    await again.close();
  });

  test('writes that fail: the flush says so, and what was durable stays', async () => {
    const path = freshPath();
    const limited = other({ limits: 'ulimit -f 200;' }); // blocks of 1 KiB
    await limited.askAll(
      { do: 'store', path },
      { do: 'open', run: 'a', mode: 'create' },
      { do: 'append', bodies: ['kept'] },
      { do: 'flush' },
    );
    await limited.ask({ do: 'append', bodies: ['x'.repeat(400_000)] });
    expect(await limited.ask({ do: 'flush' })).toMatchObject({ code: 'journal_cannot_write' });
    expect(await limited.ask({ do: 'append', bodies: ['again'] })).toMatchObject({ code: 'journal_cannot_write' });
    await limited.end('SIGKILL');
    const rows = (await taken(path, 'a')) as StoredRow[];
    expect(bodies(rows)).toEqual(['kept']);
  });

  test('a file and a folder that may not be written: reading works, writing says why', async () => {
    const path = freshPath();
    const store = sqliteStore(path);
    const journal = await store.open('a', 'create');
    journal.append([row(1)]);
    await journal.close();
    await store.close();
    shareWithAll(path);
    for (const suffix of ['', '-anchor']) chmodSync(path + suffix, 0o444);
    chmodSync(dirname(path), 0o555);
    // Root obeys no permissions, so somebody else tries.
    const as = process.getuid?.() === 0 ? NOBODY : undefined;
    const stranger = other(as === undefined ? {} : { as });
    const refused = await stranger.ask({ do: 'store', path });
    expect(refused).toMatchObject({ code: expect.stringMatching(/^journal_cannot_(write|read)$/) });
    expect(await stranger.askAll({ do: 'store', path, options: { readonly: true } }, { do: 'read', run: 'a' })).toEqual(
      { ok: [1] },
    );
    chmodSync(dirname(path), 0o755);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('a path that leads nowhere, and one that is a folder', () => {
    const path = freshPath();
    expect(() => sqliteStore(`${path}/no/where`)).toThrow(JournalError);
    expect(() => sqliteStore(dirname(path))).toThrow(JournalError);
    expect(() => sqliteStore(`${path} `)).toThrow(failing('journal_cannot_read'));
    expect(() => sqliteStore(path, { readonly: true })).toThrow(failing('journal_cannot_read'));
    expect(existsSync(path)).toBe(false);
  });

  test('a lock that another connection keeps is waited for, and then named', async () => {
    const path = freshPath();
    const store = sqliteStore(path, { busyMs: 50 });
    const journal = await store.open('a', 'create');
    const blocker = new Database(path);
    blocker.exec('BEGIN IMMEDIATE');
    journal.append([row(1)]);
    await expect(journal.flush()).rejects.toThrow(/Another process keeps the file locked/);
    blocker.exec('ROLLBACK');
    blocker.close();
    await expect(journal.close()).rejects.toEqual(failing('journal_cannot_write'));
    await store.close();
    expect(await taken(path, 'a')).toEqual([]);
  });
});
