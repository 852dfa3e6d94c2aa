/** A run that is taken out of a file: what remembers it beside the file stays true, and a writer that slept writes nothing more. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { freshPath } from './files.ts';
import { refused, row } from './rows-of.ts';

async function written(store: ReturnType<typeof sqliteStore>, run: string, text = run) {
  const journal = await store.open(run, 'either');
  journal.append([row(text)]);
  await journal.close();
}

test('the newest of a file: the next run has another number, and no anchor is ahead of it', async () => {
  const path = freshPath();
  const first = sqliteStore(path);
  for (const run of ['a', 'b', 'c']) await written(first, run);
  await first.close();
  const second = sqliteStore(path);
  expect(second.delete('c', { head: 1, posts: 0 })).toBe(true);
  await second.close();
  const third = sqliteStore(path);
  await written(third, 'd');
  await written(third, 'c');
  expect(third.runs().map(({ run, head }) => [run, head])).toEqual([
    ['a', 1],
    ['b', 1],
    ['d', 1],
    ['c', 1],
  ]);
  for (const run of ['a', 'b', 'c', 'd']) expect([...third.read(run)]).toHaveLength(1);
  await third.close();
});

test('a writer whose lease was over when its run was deleted writes nothing, not even into the run that has the name now', async () => {
  const path = freshPath();
  let time = 0;
  const now = () => time;
  const slept = sqliteStore(path, { now, leaseMs: 1_000 });
  const journal = await slept.open('a', 'create');
  journal.append([row('one')]);
  await journal.flush();
  time = 5_000;
  const other = sqliteStore(path, { now, leaseMs: 1_000 });
  expect(other.delete('a', { head: 1, posts: 0 })).toBe(true);
  await written(other, 'a', 'another');
  journal.append([row('two')]);
  await refused(() => journal.flush(), 'lease_lost');
  await refused(() => journal.close(), 'lease_lost');
  expect([...other.read('a')].map(({ body }) => body)).toEqual([row('another').body]);
  await slept.close();
  await other.close();
});

test('what it held is in the file no more', async () => {
  const path = freshPath();
  const store = sqliteStore(path);
  await written(store, 'a', 'a long secret that is found again');
  await written(store, 'b');
  await store.close();
  expect(readFileSync(path).includes('a long secret')).toBe(true);
  const again = sqliteStore(path);
  again.delete('a', { head: 1, posts: 0 });
  await again.close();
  expect(readFileSync(path).includes('a long secret')).toBe(false);
});
