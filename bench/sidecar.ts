/**
 * What the sidecar adds to a step: `npm run bench:sidecar`. Prints medians, p99 and ratios of one run, and the targets beside
 * them; a missed target is printed as missed. Nothing is asserted: a busy machine is no defect.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createActor } from 'xstate';
import type { JournalStore } from '../src/journal/journal.ts';
import { memoryStore } from '../src/journal/memory/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { attach } from '../src/xstate/attach.ts';
import { config, event, machine } from './machine.ts';

const STEPS = 4_000;
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] as number;
const shown = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 0).padStart(9);
const verdict = (met: boolean) => (met ? 'met' : 'MISSED');
const sorted = (times: number[]) => times.sort((a, b) => a - b);

function bareSteps(entries: number): number[] {
  const actor = createActor(machine(entries)).start();
  return sorted(each((n) => actor.send(event(n, entries))));
}

function each(work: (n: number) => void): number[] {
  const times: number[] = [];
  for (let n = 0; n < STEPS * 2; n += 1) {
    const start = performance.now();
    work(n);
    if (n >= STEPS) times.push((performance.now() - start) * 1_000);
  }
  return times;
}

let runs = 0;
async function attached(entries: number, journal: JournalStore, ballast = 0) {
  runs += 1;
  const sidecar = await attach(machine(entries, ballast), { run: `run ${runs}`, config, journal });
  sidecar.actor.start();
  return sidecar;
}

async function observed(entries: number): Promise<number[]> {
  const sidecar = await attached(entries, memoryStore());
  const times = sorted(each((n) => sidecar.actor.send(event(n, entries))));
  await sidecar.close();
  return times;
}

async function durableSteps(): Promise<{ ours: number[]; least: number[] }> {
  const db = new Database(join(folder, 'bare.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(
    'CREATE TABLE entry (run INTEGER, seq INTEGER, kind INTEGER, body BLOB, PRIMARY KEY (run, seq)) WITHOUT ROWID',
  );
  const insert = db.prepare('INSERT INTO entry VALUES (1, ?, 1, ?)');
  const store = sqliteStore(join(folder, 'durable.db'));
  const sidecar = await attached(64, store);
  const [ours, least]: [number[], number[]] = [[], []];
  // Turn by turn, so that a disk that slows down slows both.
  for (let n = 0; n < 2_000; n += 1) {
    let start = performance.now();
    insert.run(n, Buffer.alloc(100));
    least.push((performance.now() - start) * 1_000);
    start = performance.now();
    sidecar.actor.send(event(n, 64));
    await sidecar.durable();
    ours.push((performance.now() - start) * 1_000);
  }
  await sidecar.close();
  await store.close();
  db.close();
  return { ours: sorted(ours), least: sorted(least) };
}

async function together(): Promise<number> {
  const store = sqliteStore(join(folder, 'together.db'));
  const sidecars = await Promise.all(Array.from({ length: 16 }, () => attached(64, store)));
  const start = performance.now();
  await Promise.all(
    sidecars.map(async (sidecar) => {
      for (let n = 0; n < 2_000; n += 1) {
        sidecar.actor.send(event(n, 64));
        await sidecar.durable();
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const sidecar of sidecars) await sidecar.close();
  await store.close();
  return (16 * 2_000) / seconds;
}

/** Bytes a step on disk, a tenth of the steps being calls with intent and outcome. */
async function bytes(ballast: number): Promise<number> {
  const path = join(folder, `size-${ballast}.db`);
  const store = sqliteStore(path);
  const sidecar = await attached(64, store, ballast);
  let steps = 0;
  for (let n = 0; n < 2_000; n += 1) {
    if (n % 10 === 9) {
      sidecar.actor.send({ type: 'call' });
      while (sidecar.actor.getSnapshot().value === 'acting') await new Promise((resolve) => setImmediate(resolve));
      steps += 2;
    } else {
      sidecar.actor.send(event(n, 64));
      steps += 1;
    }
  }
  await sidecar.durable();
  await sidecar.close();
  await store.close();
  return statSync(path).size / steps;
}

/** A restore in place, beside xstate's own: a fresh actor from a persisted snapshot. */
async function restores(): Promise<{ ours: number[]; own: number[] }> {
  const own: number[] = [];
  const ours: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const plain = createActor(machine(64)).start();
    for (let step = 0; step < 10; step += 1) plain.send(event(step, 64));
    const snapshot = plain.getPersistedSnapshot();
    let start = performance.now();
    plain.stop();
    createActor(machineOnce, { snapshot }).start();
    own.push((performance.now() - start) * 1_000);
    const sidecar = await attached(64, memoryStore());
    for (let step = 0; step < 10; step += 1) sidecar.actor.send(event(step, 64));
    const restored = new Promise<void>((resolve) => sidecar.actor.subscribe(() => resolve()));
    start = performance.now();
    const answered = sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Work', entity: 'it', ordinal: 0 } });
    await restored;
    ours.push((performance.now() - start) * 1_000);
    await answered;
    await sidecar.close();
  }
  return { ours: sorted(ours), own: sorted(own) };
}
const machineOnce = machine(64);

try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}`);
  console.log('A step in memory (µs)               median       p99');
  for (const entries of [64, 1_000]) {
    const [bare, ours] = [bareSteps(entries), await observed(entries)];
    const added = at(ours, 0.5) - at(bare, 0.5);
    console.log(
      `  bare xstate, ${String(entries).padStart(4)} entries       ${shown(at(bare, 0.5))} ${shown(at(bare, 0.99))}`,
    );
    console.log(`  observed and journaled          ${shown(at(ours, 0.5))} ${shown(at(ours, 0.99))}`);
    const target = entries === 64 ? `   at most 4.5: ${verdict(added <= 4.5)}` : '';
    console.log(`  added                           ${shown(added)}${target}`);
  }
  const { ours, least } = await durableSteps();
  const ratio = at(ours, 0.5) / at(least, 0.5);
  console.log('A step awaited durable (µs)');
  console.log(`  bare one-row transaction        ${shown(at(least, 0.5))} ${shown(at(least, 0.99))}`);
  console.log(`  step and durable                ${shown(at(ours, 0.5))} ${shown(at(ours, 0.99))}`);
  console.log(`  ratio                           ${shown(ratio)}   at most 1.5: ${verdict(ratio <= 1.5)}`);
  const rate = await together();
  console.log(`16 runs, durable steps a second   ${shown(rate)}   at least 30000: ${verdict(rate >= 30_000)}`);
  console.log('On disk (bytes a step)');
  for (const ballast of [0, 2_000, 12_000]) {
    const size = await bytes(ballast);
    console.log(
      `  context of ${String(ballast).padStart(5)} bytes more     ${shown(size)}   at most 200: ${verdict(size <= 200)}`,
    );
  }
  const restore = await restores();
  const more = at(restore.ours, 0.5) - at(restore.own, 0.5);
  console.log('A restore (µs)');
  console.log(`  xstate, from a snapshot         ${shown(at(restore.own, 0.5))} ${shown(at(restore.own, 0.99))}`);
  console.log(`  decided and restored in place   ${shown(at(restore.ours, 0.5))} ${shown(at(restore.ours, 0.99))}`);
  console.log(`  more                            ${shown(more)}   at most 100: ${verdict(more <= 100)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
