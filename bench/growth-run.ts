/** One workload of the benchmark of growth at one size, in a process of its own: prints what was measured, as JSON. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { attach, resume, type Sidecar, type SidecarOptions } from 'belay-sidecar/xstate';
import type { Figures } from './growth-figures.ts';
import { WORKLOADS, type Workload } from './growth-workloads.ts';

/** How many units lie between two waits for the disk. */
const STRETCH = 100;
const STEPS_OF_A_RUN = 10;
const AT_ONCE = 50;
const COMMAND = join(import.meta.dirname, '../dist/cli/main.js');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] as number;
const bytesIn = (folder: string) =>
  readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
const heap = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until the machine has not moved for a while: what a restore set aside is claimed by then. */
async function quiet({ actor }: Sidecar): Promise<void> {
  let last = actor.getSnapshot();
  for (let looks = 0; looks < 20; looks += 1) {
    await pause(10);
    const now = actor.getSnapshot();
    if (now !== last) looks = 0;
    last = now;
  }
}

/** Milliseconds on the clock and of the processor. */
async function timed(work: () => Promise<unknown>): Promise<{ wall: number; cpu: number }> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wall: performance.now() - start, cpu: (user + system) / 1_000 };
}

/** Medians of the first tenth, without the first units of all, which are compiled, and of the last. */
function growth(times: readonly number[]): Pick<Figures, 'first' | 'last'> {
  const tenth = Math.max(5, Math.floor(times.length / 10));
  const from = Math.min(tenth, 500);
  return { first: median(times.slice(from, from + tenth)), last: median(times.slice(-tenth)) };
}

async function unitsOf(name: string, of: Workload, units: number, folder: string): Promise<Figures> {
  const path = join(folder, 'journal.sqlite');
  let journal = sqliteStore(path);
  const options = { run: name, config: of.config };
  const before = heap();
  const sidecar = await attach(of.machine, { ...options, journal });
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
  const held = (heap() - before) / 1e6;
  await sidecar.close();
  await journal.close();
  const disk = bytesIn(folder) / 1e6;
  journal = sqliteStore(path);
  let verdict = 'not decided';
  const onDecision: SidecarOptions['onDecision'] = ({ decision }) => {
    verdict = decision.verdict;
  };
  let again = sidecar;
  const resumed = await timed(async () => {
    again = await resume(of.machine, { ...options, journal, onDecision });
    again.actor.start();
  });
  const fails = () => timed(() => again.fail('CONTRACT_VIOLATION', { instance: of.failed(units) }));
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // A delay is counted from one look of the histogram to the next: it has to have looked before.
  await pause(20);
  const failed = await fails();
  await quiet(again);
  delay.disable();
  const warm = await fails();
  await again.close();
  await journal.close();
  return { ...growth(times), heap: held, disk, resumed, failed, blocked: delay.max / 1e6, warm, verdict };
}

/** Runs of ten steps each in one file, and the command that lists them. */
async function runs(count: number, folder: string): Promise<Figures> {
  const { machine, config, unitOf } = (WORKLOADS.steps as () => Workload)();
  const path = join(folder, 'journal.sqlite');
  const journal = sqliteStore(path);
  const times: number[] = [];
  const one = async (n: number) => {
    const sidecar = await attach(machine, { run: `run ${n}`, config, journal });
    sidecar.actor.start();
    for (let step = 0; step < STEPS_OF_A_RUN; step += 1) unitOf(sidecar, step);
    await sidecar.close();
  };
  for (let n = 0; n < count; n += AT_ONCE) {
    const start = performance.now();
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, index) => one(n + index)));
    times.push(((performance.now() - start) * 1_000) / AT_ONCE);
  }
  await journal.close();
  if (!existsSync(COMMAND)) throw new Error(`${COMMAND} is not there: npm run build`);
  const listed: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const start = performance.now();
    execFileSync(process.execPath, [COMMAND, 'runs', '--journal', path], { maxBuffer: 1 << 28 });
    listed.push(performance.now() - start);
  }
  return { ...growth(times), disk: bytesIn(folder) / 1e6, listed: median(listed) };
}

const [name = '', size = '', where = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(where, 'belay-growth-'));
try {
  const of = WORKLOADS[name];
  const figures = of === undefined ? runs(Number(size), folder) : unitsOf(name, of(), Number(size), folder);
  console.log(JSON.stringify(await figures));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
