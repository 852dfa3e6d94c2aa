/** The look into the inbox that the runs of a process share: a message of another process is told with the next look at the file. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { scratchFolder } from '../scratch.ts';

const folder = scratchFolder('look');
let files = 0;
const stores: ReturnType<typeof sqliteStore>[] = [];
const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const journal of closing.splice(0)) await journal.close();
  for (const store of stores.splice(0)) await store.close();
});

/** Two stores of one file, as two processes have it, and a run that the first one holds. */
async function two() {
  const file = join(folder, `look-${++files}.db`);
  const [own, other] = [sqliteStore(file), sqliteStore(file)];
  stores.push(own, other);
  const journal = await own.open('a', 'create');
  closing.push(journal);
  journal.append([{ kind: 1, body: '{}' }]);
  await journal.flush();
  return { own, other, journal };
}

test('an exact look tells a message of another process at once, also behind a look that found none', async () => {
  const { other, journal } = await two();
  expect([journal.posted(0), journal.posted(0)]).toEqual([[], []]);
  other.post('a', 'one');
  expect(journal.posted(0).map(({ body }) => body)).toEqual(['one']);
  expect(journal.posted(1)).toEqual([]);
  other.post('a', 'two');
  expect(journal.posted(1).map(({ body }) => body)).toEqual(['two']);
  expect(journal.posted(0)).toHaveLength(2);
});

test('a shared look may be late by the age that was named, and no later', async () => {
  const { other, journal } = await two();
  expect(journal.posted(0)).toEqual([]);
  other.post('a', 'one');
  await pause(30);
  expect(journal.posted(0, 25)).toHaveLength(1);
});

test('a message of the process itself is told by every look', async () => {
  const { own, journal } = await two();
  expect(journal.posted(0, 60_000)).toEqual([]);
  own.post('a', 'one');
  expect(journal.posted(0, 60_000)).toHaveLength(1);
});
