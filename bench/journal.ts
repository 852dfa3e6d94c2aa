/**
 * What a durable step costs: `npm run bench journal`. Prints medians, p99 and ratios of one run on the disk of the temporary
 * folder, and the targets beside them; a missed target is printed as missed. Nothing is asserted: a busy disk is no defect.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { encode } from '../src/journal/codec.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';

const STEPS = 3_000;
const BODY = JSON.stringify({ state: 12, action: 3, delta: [[7, 'READY']] });

const folder = mkdtempSync(join(tmpdir(), 'belay-bench-'));

/** The time of one call in microseconds. */
async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1_000;
}

const at = (times: readonly number[], share: number) => times[Math.floor((times.length - 1) * share)] as number;
const shown = (value: number) => value.toFixed(value < 10 ? 2 : 0).padStart(8);
const verdict = (met: boolean) => (met ? 'met' : 'MISSED');

/**
 * The least that durability costs in SQLite (one row, one transaction, one sync) and what a step of ours does, by turns, so
 * that both meet the same moods of the disk. The times of each, ascending.
 */
async function byTurns(): Promise<{ least: number[]; ours: number[] }> {
  const db = new Database(join(folder, 'bare.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(
    'CREATE TABLE entry (run INTEGER, seq INTEGER, kind INTEGER, body BLOB, PRIMARY KEY (run, seq)) WITHOUT ROWID',
  );
  const insert = db.prepare('INSERT INTO entry VALUES (1, ?, 1, ?)');
  const body = Buffer.from(BODY);
  const store = sqliteStore(join(folder, 'awaited.db'));
  const journal = await store.open('a', 'create');
  const times: { least: number[]; ours: number[] } = { least: [], ours: [] };
  for (let seq = 1; seq <= STEPS; seq += 1) {
    times.least.push(await timed(() => insert.run(seq, body)));
    const step = () => {
      journal.append([{ kind: 1, body: BODY }]);
      return journal.flush();
    };
    times.ours.push(await timed(step));
  }
  await journal.close();
  await store.close();
  db.close();
  for (const each of [times.least, times.ours]) each.sort((a, b) => a - b);
  return times;
}

/** Steps per second of several journals of one store, each of which awaits every step. */
async function together(count: number, perStep: number): Promise<number> {
  const store = sqliteStore(join(folder, `together-${count}-${perStep}.db`));
  const journals = await Promise.all(Array.from({ length: count }, (_, n) => store.open(`run ${n}`, 'create')));
  const rows = Array.from({ length: perStep }, () => ({ kind: 1, body: BODY }));
  const start = performance.now();
  await Promise.all(
    journals.map(async (journal) => {
      for (let step = 0; step < STEPS; step += 1) {
        journal.append(rows);
        await journal.flush();
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const journal of journals) await journal.close();
  await store.close();
  return (count * STEPS) / seconds;
}

/** What one commit of so many runs costs beside the disk: the processor's time in microseconds, and the pages that go through SQLite's log. */
async function perCommit(count: number): Promise<{ cpu: number; pages: number }> {
  const path = join(folder, `commit-${count}.db`);
  const store = sqliteStore(path);
  const journals = await Promise.all(Array.from({ length: count }, (_, n) => store.open(`run ${n}`, 'create')));
  const commit = async () => {
    for (const journal of journals) journal.append([{ kind: 1, body: BODY }]);
    await Promise.all(journals.map((journal) => journal.flush()));
  };
  for (let n = 0; n < 10; n += 1) await commit();
  const logged = statSync(`${path}-wal`).size;
  for (let n = 0; n < 20; n += 1) await commit();
  const pages = (statSync(`${path}-wal`).size - logged) / (4_096 + 24) / 20;
  const before = process.cpuUsage();
  for (let n = 0; n < STEPS / 3; n += 1) await commit();
  const { user, system } = process.cpuUsage(before);
  for (const journal of journals) await journal.close();
  await store.close();
  return { cpu: (user + system) / (STEPS / 3), pages };
}

/** Rows per second of a run that is read back and verified. */
async function readBack(): Promise<number> {
  const path = join(folder, 'together-16-1.db');
  const store = sqliteStore(path);
  const start = performance.now();
  let rows = 0;
  for (const { run } of store.runs()) for (const _ of store.read(run)) rows += 1;
  const perSecond = rows / ((performance.now() - start) / 1_000);
  await store.close();
  console.log(`  on disk                 ${shown(statSync(path).size / rows)} bytes a step of ${BODY.length}`);
  return perSecond;
}

function codec(): void {
  const value = { slot: 'date', value: 3, ok: true };
  for (const [name, work] of [
    ['encode', () => encode(value)],
    ['JSON.stringify', () => JSON.stringify(value)],
  ] as const) {
    for (let n = 0; n < 200_000; n += 1) work();
    const start = performance.now();
    for (let n = 0; n < 200_000; n += 1) work();
    console.log(`  ${name.padEnd(24)}${shown(((performance.now() - start) / 200_000) * 1_000)} µs`);
  }
}

try {
  console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, ${STEPS} steps`);
  const { least, ours } = await byTurns();
  console.log('One step, durable (µs)      median      p99');
  console.log(`  bare transaction        ${shown(at(least, 0.5))} ${shown(at(least, 0.99))}`);
  console.log(`  append and flush        ${shown(at(ours, 0.5))} ${shown(at(ours, 0.99))}`);
  const ratio = at(ours, 0.5) / at(least, 0.5);
  console.log(`  ratio                   ${shown(ratio)}   at most 1.5: ${verdict(ratio <= 1.5)}`);
  console.log('One commit                  pages   CPU (µs)');
  for (const count of [1, 16]) {
    const { cpu, pages } = await perCommit(count);
    console.log(`  ${`of ${count} journals`.padEnd(24)}${shown(pages)} ${shown(cpu)}`);
  }
  console.log('Steps, each awaited (per second)');
  const alone = await together(1, 1);
  const many = await together(16, 1);
  console.log(`  1 journal               ${shown(alone)}`);
  console.log(`  16 journals             ${shown(many)}   at least 30000: ${verdict(many >= 30_000)}`);
  console.log(`  16 journals, rows of 4  ${shown((await together(16, 4)) * 4)} rows`);
  console.log(`  read back, verified     ${shown(await readBack())} rows`);
  console.log('Encoding a small value');
  codec();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
