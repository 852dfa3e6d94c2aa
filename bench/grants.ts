/**
 * How many claims a second are given where nothing else is done: one run takes a key and releases it, in memory and in a SQLite file, beside a mutex that
 * does no more than to keep callers apart. A part of `npm run bench claims`. Prints the best of some rounds; asserts nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Mutex } from 'async-mutex';
import { claimsIn } from '../src/effects/claims/kept.ts';
import type { JournalStore } from '../src/journal/journal.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { parseKey } from '../src/model/key.ts';

const ROUNDS = 3;
/** The claims a second that one process is to give in memory. */
const GOAL = 50_000;
/** The figure of the paper for operations that do nothing. */
const PAPER = 14_000;

const wanted = Array.from({ length: 64 }, (_, nth) => [{ key: parseKey(`stock:${nth}`), shared: false }]);

/** The operations a second of the best round. */
async function best(count: number, act: (nth: number) => unknown): Promise<number> {
  let most = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    for (let nth = 0; nth < count; nth += 1) await act(nth);
    most = Math.max(most, (count / (performance.now() - start)) * 1_000);
  }
  return most;
}

/** Claims of one run in a store: taken, and released. */
async function given(store: JournalStore, count: number): Promise<number> {
  const journal = await store.open('grants', 'create');
  const claims = claimsIn(store);
  const { signal } = new AbortController();
  const act = async (nth: number) => {
    await claims.take('grants', wanted[nth % wanted.length] as (typeof wanted)[number], signal, () => {});
    await claims.release('grants');
  };
  const figure = await best(count, act);
  claims.close();
  await journal.close();
  await store.close();
  return figure;
}

const root = mkdtempSync(join(tmpdir(), 'belay-grants-'));
const mutex = new Mutex();
const inMemory = await given(memoryStore(), 20_000);
const inFile = await given(sqliteStore(join(root, 'grants.sqlite')), 1_000);
const plain = await best(20_000, () => mutex.runExclusive(() => {}));
rmSync(root, { recursive: true });

const line = (name: string, figure: number, goal = '') =>
  console.log(`  ${name.padEnd(22)}${Math.round(figure).toLocaleString('en').padStart(12)}   ${goal}`);
console.log('Claims that are taken and released, a second');
line('in memory', inMemory, `at least ${GOAL.toLocaleString('en')}: ${inMemory >= GOAL ? 'met' : 'MISSED'}`);
line('in a SQLite file', inFile, 'durable on return');
line('a mutex in memory', plain, 'async-mutex: no run, no key, no line');
line('the figure of the paper', PAPER, 'operations that do nothing, in memory');
