/** Rows are archived only where a base was found to say what they come to. */
import { existsSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { archiveRows } from '../../src/cli/archive/rows.ts';
import { type JournalStore, memoryStore } from '../../src/index.ts';
import type { Base } from '../../src/journal/journal.ts';
import { SEGMENT } from '../../src/journal/sqlite/log/segments.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { copyOf, freshPath } from '../journal/files.ts';
import { opened, steps } from '../sidecar/bases/agent.ts';

let path: string;
beforeAll(async () => {
  path = freshPath();
  const store = sqliteStore(path);
  const sidecar = await opened(store, 'attach', 1_000);
  for (let n = 0; n < 3 * SEGMENT + 10; n += 1) {
    steps(sidecar, n, 1);
    await sidecar.durable();
  }
  await sidecar.close();
  await store.close();
});

/** Keeps another base in the place of the one of the run, and has its rows archived. */
async function archivedWith(change: (base: Base) => Base, dryRun = false) {
  const copy = copyOf(path);
  const store = sqliteStore(copy);
  const journal = await store.open('r', 'resume');
  journal.keep(change(journal.base() as Base));
  await journal.flush();
  await journal.close();
  let counted = 0;
  const counting = (rows: number) => {
    counted = rows;
  };
  const told = await archiveRows(store, 'r', { dryRun, counting });
  const rows = [...store.read('r')].length;
  await store.close();
  return { told, counted, rows, hasFolder: existsSync(`${copy}-rows`) };
}

test('where it does, they go, and a trial run tells how many would', async () => {
  const tried = await archivedWith((base) => base, true);
  const done = await archivedWith((base) => base);
  expect(done.told.archived).toBeGreaterThan(SEGMENT);
  expect(done.told).toEqual(tried.told);
  expect([tried.hasFolder, done.hasFolder, tried.counted, done.counted]).toEqual([
    false,
    true,
    done.counted,
    done.rows,
  ]);
});

test.each<[string, (base: Base) => Base, RegExp]>([
  [
    'a base of the last row that says it is of the one before',
    ({ at, parts }) => ({ at: at - 1, parts }),
    /is not what they come to/,
  ],
  [
    'a base that is not ours',
    ({ at }) => ({ at, parts: [Buffer.from('head'), Buffer.from('state')] }),
    /cannot be read here/,
  ],
])('where it is %s, all of them stay', async (_, change, reason) => {
  const { told, hasFolder } = await archivedWith(change);
  expect(told).toEqual({ archived: 0, moved: 0, rest: expect.stringMatching(reason) });
  expect(hasFolder).toBe(false);
});

test('where the store archives none, all of them stay', async () => {
  const store: JournalStore = memoryStore();
  await (await store.open('r', 'create')).close();
  const told = await archiveRows(store, 'r', { dryRun: false, counting: () => {} });
  expect(told).toEqual({ archived: 0, moved: 0, rest: 'its store archives none' });
});
