/**
 * Medians of one process in microseconds, as one line of JSON: a step in memory with contexts of 64 and of 1,000 entries, and a step
 * awaited durable. `bench/against.ts` runs it in two trees by turns and lays it into the older one: it imports what that has, too.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '../src/journal/memory/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { attach } from '../src/xstate/index.ts';
import { config, event, machine } from './machine.ts';

const WARM = 6_000;
const STEPS = 6_000;
const DURABLE = 1_500;

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] as number;
const since = (start: number) => (performance.now() - start) * 1_000;

/** The median of three runs: one of them may meet a busy moment of the machine. */
async function inMemory(entries: number): Promise<number> {
  return median([await oneRun(entries), await oneRun(entries), await oneRun(entries)]);
}

async function oneRun(entries: number): Promise<number> {
  const sidecar = await attach(machine(entries), { run: 'step', config, journal: memoryStore() });
  sidecar.actor.start();
  const times: number[] = [];
  for (let n = 0; n < WARM + STEPS; n += 1) {
    const start = performance.now();
    sidecar.actor.send(event(n, entries));
    if (n >= WARM) times.push(since(start));
  }
  await sidecar.close();
  return median(times);
}

async function durable(folder: string): Promise<number> {
  const journal = sqliteStore(join(folder, 'durable.db'));
  const sidecar = await attach(machine(64), { run: 'step', config, journal });
  sidecar.actor.start();
  const times: number[] = [];
  for (let n = 0; n < DURABLE; n += 1) {
    const start = performance.now();
    sidecar.actor.send(event(n, 64));
    await sidecar.durable();
    times.push(since(start));
  }
  await sidecar.close();
  await journal.close();
  return median(times);
}

const folder = mkdtempSync(join(tmpdir(), 'belay-step-'));
try {
  const figures = { 'in memory, 64 entries': await inMemory(64), 'in memory, 1000 entries': await inMemory(1_000) };
  console.log(JSON.stringify({ ...figures, 'durable, 64 entries': await durable(folder) }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
