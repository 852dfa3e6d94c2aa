/**
 * What the sidecar adds to a step: `npm run bench sidecar`. Prints medians, p99 and ratios of one run, and the targets beside them; a missed
 * target is printed as missed, and where the time goes. The package is the built one: run from its sources, every function that is made is
 * given its name, which the package that is installed does not pay. Bare xstate and Belay take turns, step by step, once both are warm.
 * Nothing is asserted: a busy machine is no defect.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournalStore, memoryStore } from 'belay-sidecar';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { attach } from 'belay-sidecar/xstate';
import Database from 'better-sqlite3';
import { createActor } from 'xstate';
import { attributed, attribution } from './attribution.ts';
import { config, event, machine } from './machine.ts';

const WARM = 8_000;
const STEPS = 8_000;
/** How many steps lie between two waits for the journal. */
const STRETCH = 10;
/** The widths of the context, and the most that a step may add with them, in microseconds. */
const WIDTHS = [
  [10, 3],
  [64, 4.5],
  [1_000, null],
] as const;
const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));
const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] as number;
const shown = (value: number) => value.toFixed(Math.abs(value) < 10 ? 2 : 0).padStart(9);
const verdict = (met: boolean) => (met ? 'met' : 'MISSED');
const sorted = (times: number[]) => times.sort((a, b) => a - b);

let runs = 0;
async function attached(entries: number, journal: JournalStore, ballast = 0) {
  runs += 1;
  const sidecar = await attach(machine(entries, ballast), { run: `run ${runs}`, config, journal });
  sidecar.actor.start();
  return sidecar;
}

/** A step of the bare machine and one of the attached machine, by turns. */
async function inMemory(entries: number): Promise<{ bare: number[]; ours: number[] }> {
  const plain = createActor(machine(entries)).start();
  const sidecar = await attached(entries, memoryStore());
  const [bare, ours]: [number[], number[]] = [[], []];
  for (let n = 0; n < WARM + STEPS; n += 1) {
    const next = event(n, entries);
    let start = performance.now();
    plain.send(next);
    const between = performance.now();
    if (n >= WARM) bare.push((between - start) * 1_000);
    // An event of its own: a run keeps those that come from outside.
    const own = event(n, entries);
    start = performance.now();
    sidecar.actor.send(own);
    if (n >= WARM) ours.push((performance.now() - start) * 1_000);
    // What an event of its own turn would let the run do: hand its rows to the journal.
    if (n % STRETCH === STRETCH - 1) await sidecar.durable();
  }
  await sidecar.close();
  return { bare: sorted(bare), ours: sorted(ours) };
}

/** Where the time of steps in memory goes, bare xstate's own part of each included. */
async function whereStepsGo(entries: number): Promise<string> {
  const sidecar = await attached(entries, memoryStore());
  const go = async () => {
    for (let n = 0; n < WARM; n += 1) {
      sidecar.actor.send(event(n, entries));
      if (n % STRETCH === STRETCH - 1) await sidecar.durable();
    }
  };
  await go();
  const shares = await attributed(go);
  await sidecar.close();
  return attribution(shares);
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
async function restores(times: number): Promise<{ ours: number[]; own: number[] }> {
  const own: number[] = [];
  const ours: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const plain = createActor(machineOnce).start();
    for (let step = 0; step < 10; step += 1) plain.send(event(step, 64));
    const snapshot = plain.getPersistedSnapshot();
    let start = performance.now();
    plain.stop();
    createActor(machineOnce, { snapshot }).start();
    own.push((performance.now() - start) * 1_000);
    runs += 1;
    const sidecar = await attach(machineOnce, { run: `run ${runs}`, config, journal: memoryStore() });
    sidecar.actor.start();
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
  for (const [entries, goal] of WIDTHS) {
    const { bare, ours } = await inMemory(entries);
    const added = at(ours, 0.5) - at(bare, 0.5);
    console.log(
      `  bare xstate, ${String(entries).padStart(4)} entries       ${shown(at(bare, 0.5))} ${shown(at(bare, 0.99))}`,
    );
    console.log(`  observed and journaled          ${shown(at(ours, 0.5))} ${shown(at(ours, 0.99))}`);
    const target = goal === null ? '' : `   at most ${goal}: ${verdict(added <= goal)}`;
    console.log(`  added                           ${shown(added)}${target}`);
    if (goal !== null && added > goal) console.log(`    of the whole step: ${await whereStepsGo(entries)}`);
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
  // Of one machine, as a process has it, and once both are as warm as for steps.
  await restores(WARM);
  const restore = await restores(1_000);
  const more = at(restore.ours, 0.5) - at(restore.own, 0.5);
  console.log('A restore (µs)');
  console.log(`  xstate, from a snapshot         ${shown(at(restore.own, 0.5))} ${shown(at(restore.own, 0.99))}`);
  console.log(`  decided and restored in place   ${shown(at(restore.ours, 0.5))} ${shown(at(restore.ours, 0.99))}`);
  console.log(`  more                            ${shown(more)}   at most 100: ${verdict(more <= 100)}`);
  if (more > 100)
    console.log(`    of runs of ten steps and a restore: ${attribution(await attributed(() => restores(100)))}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
