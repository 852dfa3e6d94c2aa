/** Runs that contend for the same keys under workers in many processes, some of them killed, and some runs cancelled: as if the runs had come one after the other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { startServer } from '../postgres-server.ts';
import { Chance } from '../simulation/chance.ts';
import { contend } from './contention/trial.ts';

const server = await startServer();
const folder = mkdtempSync(join(tmpdir(), 'belay-contention-'));
const schema = `contention ${process.pid}`;
const SEED = 7;

afterAll(async () => {
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function tried(store: JournalStore, place: string, world: string): Promise<void> {
  const runs = 40;
  const shape = { workers: 8, runs, ms: 5, chance: new Chance(SEED, 0), kills: 2, cancelled: 10 };
  const outcome = await contend({ ...shape, store, place, schema, world: join(folder, world) });
  await store.close();
  const { wrong, done, cancelled, left, killed, denied } = outcome;
  const over = done + cancelled;
  expect({ seed: SEED, wrong, over, left, killed }).toEqual({ seed: SEED, wrong: [], over: runs, left: 0, killed: 2 });
  // All ways were gone: most runs wait and act, some would have closed a circle, and some were cancelled.
  expect([denied > 0, outcome.acts > runs, cancelled > 0]).toEqual([true, true, true]);
}

test('40 runs over 20 keys under 8 workers on a SQLite file', async () => {
  const place = join(folder, 'belay.sqlite');
  await tried(sqliteStore(place, { busyMs: 20_000 }), place, 'file');
});

test('40 runs that nothing keeps apart lose what others wrote: the judge sees it', async () => {
  const place = join(folder, 'loose.sqlite');
  const store = sqliteStore(place, { busyMs: 20_000 });
  const shape = { workers: 4, runs: 40, ms: 20, chance: new Chance(SEED, 0), kills: 0, cancelled: 0 };
  const outcome = await contend({ ...shape, store, place, schema, world: join(folder, 'loose'), apart: false });
  await store.close();
  expect(outcome.done).toBe(40);
  expect(outcome.wrong.join()).toMatch(/run-\d+ has appended/);
});

test.skipIf(server === null)('40 runs over 20 keys under 8 workers on PostgreSQL', async () => {
  const place = server?.address() ?? '';
  await tried(postgresStore({ address: place, schema }), place, 'database');
});
