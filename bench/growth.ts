/**
 * What grows with a run: `npm run bench:growth -- --workload NAME --size N`. Every figure names its workload. Prints what a unit costs in
 * the first and in the last tenth, and what opening, a recovery, the heap and the disk come to at the end. Asserts nothing: a busy machine
 * is no defect.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { attach, resume, type SidecarOptions } from 'belay-sidecar';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { Command, InvalidArgumentError, Option } from 'commander';
import { WORKLOADS, type Workload } from './growth-workloads.ts';

const RUNS = 'runs';
const RUNS_SIZE = 150;
/** The goal for listing 10,000 runs, in milliseconds. */
const LISTED = 500;
/** How many units lie between two waits for the disk. */
const STRETCH = 100;

const { workload, size } = new Command('bench:growth')
  .description('measures what grows with a run')
  .addOption(
    new Option('--workload <name>', 'which, instead of all').choices([...Object.keys(WORKLOADS), RUNS]).default(null),
  )
  .addOption(
    new Option('--size <n>', 'how many units, instead of the usual number').default(null).argParser((text) => {
      if (!/^[1-9]\d{0,6}$/.test(text) || Number(text) < 20)
        throw new InvalidArgumentError('a whole number from 20 to 9999999 is needed.');
      return Number(text);
    }),
  )
  .parse()
  .opts<{ workload: string | null; size: number | null }>();

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
const bytesIn = (folder: string) =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

function line(what: string, value: number, unit: string, note = ''): void {
  console.log(`  ${what.padEnd(34)}${value.toFixed(value < 10 ? 2 : 0).padStart(12)} ${unit.padEnd(3)} ${note}`);
}

/** Medians of the first tenth, without the first units of all, which are compiled, and of the last. */
function growth(times: readonly number[]): { first: number; last: number } {
  const tenth = Math.max(5, Math.floor(times.length / 10));
  const from = Math.min(tenth, 500);
  return { first: median(times.slice(from, from + tenth)), last: median(times.slice(-tenth)) };
}

async function measured(name: string, of: Workload, units: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-growth-'));
  const path = join(folder, 'journal.sqlite');
  try {
    const { machine, config } = of;
    let journal = sqliteStore(path);
    const options = { run: name, config };
    const before = heap();
    const sidecar = await attach(machine, { ...options, journal });
    sidecar.actor.start();
    const times: number[] = [];
    for (let n = 0; n < units; n += 1) {
      const start = performance.now();
      const done = of.unitOf(sidecar, n);
      if (done !== undefined) await done;
      times.push((performance.now() - start) * 1_000);
      if (n % STRETCH === STRETCH - 1) await sidecar.durable();
    }
    await sidecar.durable();
    const { first, last } = growth(times);
    console.log(`${name}: ${units} ${of.unit}`);
    line('a unit, first tenth', first, 'µs');
    line('a unit, last tenth', last, 'µs', `${(last / first).toFixed(2)} × the first`);
    line('heap of the run', (heap() - before) / 1e6, 'MB');
    await sidecar.close();
    await journal.close();
    line('on disk', bytesIn(folder) / 1e6, 'MB', `${Math.round(bytesIn(folder) / units)} bytes a unit`);
    journal = sqliteStore(path);
    let start = performance.now();
    let verdict = 'not decided';
    const onDecision: SidecarOptions['onDecision'] = ({ decision }) => {
      verdict = decision.verdict;
    };
    const again = await resume(machine, { ...options, journal, onDecision });
    again.actor.start();
    line('taken up again', performance.now() - start, 'ms');
    start = performance.now();
    await again.fail('CONTRACT_VIOLATION', { instance: of.failed(units) });
    await again.durable();
    line('a failure at the end, answered', performance.now() - start, 'ms', verdict);
    await again.close();
    await journal.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs of a hundred steps each, one after the other, in one file. */
async function runs(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-growth-'));
  try {
    const { machine, config, unitOf } = (WORKLOADS.steps as () => Workload)();
    const journal = sqliteStore(join(folder, 'journal.sqlite'));
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const start = performance.now();
      const sidecar = await attach(machine, { run: `run ${n}`, config, journal });
      sidecar.actor.start();
      for (let step = 0; step < 100; step += 1) unitOf(sidecar, step);
      await sidecar.close();
      times.push((performance.now() - start) * 1_000);
    }
    const { first, last } = growth(times);
    console.log(`${RUNS}: ${count} runs of a hundred steps in one file`);
    line('a run, first tenth', first, 'µs');
    line('a run, last tenth', last, 'µs', `${(last / first).toFixed(2)} × the first`);
    const start = performance.now();
    const found = journal.runs();
    const took = performance.now() - start;
    const noted = found.filter(({ note }) => note !== undefined).length;
    const goal = `goal ${LISTED} ms at 10,000 runs: ${took <= (LISTED * count) / 10_000 ? 'met' : 'missed'} at this size`;
    line('listing the runs', took, 'ms', `${found.length} runs, ${noted} told by their notes; ${goal}`);
    await journal.close();
    line('on disk', bytesIn(folder) / 1e6, 'MB', `${Math.round(bytesIn(folder) / count)} bytes a run`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const [name, make] of Object.entries(WORKLOADS)) {
  if (workload !== null && workload !== name) continue;
  const of = make();
  await measured(name, of, size ?? of.size);
}
if (workload === null || workload === RUNS) await runs(size ?? RUNS_SIZE);
