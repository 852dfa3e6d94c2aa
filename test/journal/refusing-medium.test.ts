/**
 * Disks that are full, files that may not be written, locks that are kept. A sync that fails by itself cannot be made here without
 * native code; writes that fail (a file size limit) and a file that may not grow take the same way through SQLite and through the
 * group commit.
 */
import { chmodSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { JournalError, type StoredRow } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { endOthersAfterEach, other, taken } from './damage.ts';
import { freshPath, NOBODY, shareWithAll } from './files.ts';
import { bodies, failing, row } from './rows-of.ts';

endOthersAfterEach();

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
