/**
 * Runs that contend for the lists of one world, under workers in as many processes, some of which are killed and replaced, while persons
 * cancel some of the runs: afterwards the lists must be as if the runs had come one after the other.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JournalStore } from '../../../src/journal/journal.ts';
import { workClient } from '../../../src/workers/client.ts';
import type { Chance } from '../../simulation/chance.ts';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const GROUPS = ['a', 'b', 'c', 'd'];
const ITEMS = ['0', '1', '2', '3', '4'];

/** So long nothing ends before the trial is given up, in milliseconds: a lease runs out, and runs are taken up, within a hundredth of it, and a busy machine takes its time. */
const STILL = 600_000;

interface Act {
  readonly group: string;
  /** Left out for an audit of the group. */
  readonly item?: string;
}

export interface TrialOptions {
  readonly store: JournalStore;
  /** The file, or the address of the database. */
  readonly place: string;
  readonly schema: string;
  readonly world: string;
  readonly workers: number;
  readonly runs: number;
  /** The time of an act, in milliseconds. */
  readonly ms: number;
  readonly chance: Chance;
  /** The number of workers that are killed, one after the other, each with another one in its place; three that a run ends are too many for it. */
  readonly kills: number;
  /** False where nothing keeps the runs apart. */
  readonly apart?: boolean;
  /** The share of runs that a person cancels, at any time, in percent. */
  readonly cancelled: number;
}

export interface Outcome {
  readonly done: number;
  readonly cancelled: number;
  /** The runs that were denied an act, as it would have closed a circle. */
  readonly denied: number;
  readonly acts: number;
  /** What is wrong in the world. */
  readonly wrong: readonly string[];
  /** The claims and the calls in line that are left. */
  readonly left: number;
  readonly killed: number;
  readonly seconds: number;
}

export async function contend(options: TrialOptions): Promise<Outcome> {
  const { store, runs, world, chance } = options;
  const client = workClient(store);
  const from = performance.now();
  const asked = new Map<string, readonly Act[]>();
  /** The runs that are cancelled once so many others have ended. */
  const leaving: { readonly run: string; readonly at: number }[] = [];
  for (let number = 0; number < runs; number += 1) {
    const run = `run-${number}`;
    asked.set(run, actsOf(chance));
    if (chance.percent(options.cancelled)) leaving.push({ run, at: chance.int(0, Math.floor(runs * 0.7)) });
    await client.start({ run, agent: 'clerk', input: { acts: asked.get(run) } });
  }
  const told = new Set(leaving.map(({ run }) => run));
  const children = Array.from({ length: options.workers }, () => workerOf(options));
  try {
    let killed = 0;
    for (let [last, since] = [0, performance.now()]; ; ) {
      const over = children.reduce((sum, { done }) => sum + done.size, 0);
      if (over > last) [last, since] = [over, performance.now()];
      if (performance.now() - since > STILL) throw new Error(await standstill(store, over, runs));
      if (killed < options.kills && over >= (runs * (killed + 1)) / (options.kills + 3)) {
        children[killed]?.child.kill('SIGKILL');
        children.push(workerOf(options));
        killed += 1;
      }
      for (const each of leaving.filter(({ at }) => at <= over)) {
        leaving.splice(leaving.indexOf(each), 1);
        await client.cancel(each.run, { by: 'ann' }).catch(unlessEnded);
      }
      if (over >= runs * 0.9 && (await isOver(store, asked.keys()))) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const outputs = await Promise.all([...asked.keys()].map((run) => client.result(run)));
    const results = outputs.map((each) =>
      each.is === 'done' ? (each.output as { acts: number; denied: boolean }) : null,
    );
    const made = [...asked].map(([run, acts], index) => {
      const { acts: count } = results[index] ?? {};
      return { run, acts: acts.slice(0, count), isWhole: count !== undefined };
    });
    // Only a person cancels: any other run has to be done.
    const unasked = [...asked.keys()].filter((run, index) => outputs[index]?.is === 'cancelled' && !told.has(run));
    const { held, waiting } = await store.claims.list();
    return {
      done: results.filter((each) => each !== null).length,
      cancelled: outputs.filter((each) => each.is === 'cancelled').length,
      denied: results.filter((each) => each?.denied).length,
      acts: results.reduce((sum, each) => sum + (each?.acts ?? 0), 0),
      wrong: [...wrongIn(world, made), ...unasked.map((run) => `${run} was cancelled without a word of a person`)],
      left: held.length + waiting.length,
      killed,
      seconds: (performance.now() - from) / 1_000,
    };
  } finally {
    await Promise.all(children.map(stop));
  }
}

/** A run may end before its cancelling is said. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof RangeError)) throw error;
}

/** Two to four acts on lists of one or two groups, in any order, so that runs meet in circles. */
function actsOf(chance: Chance): Act[] {
  const groups = [chance.pick(GROUPS), chance.pick(GROUPS)];
  return Array.from({ length: chance.int(2, 4) }, () => {
    const group = chance.pick(groups);
    return chance.percent(10) ? { group } : { group, item: chance.pick(ITEMS) };
  });
}

interface Running {
  readonly child: ChildProcess;
  readonly done: Set<string>;
}

function workerOf({ place, schema, world, ms, apart = true }: TrialOptions): Running {
  const child = spawn(process.execPath, [WORKER, place, schema, world, String(ms), String(apart)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const done = new Set<string>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const told = JSON.parse(line) as { is: string; run: string; as?: { is: string } };
      if (told.as?.is === 'done' || told.as?.is === 'cancelled') done.add(told.run);
      if (told.as?.is === 'failed' || told.is === 'store_failed') process.stderr.write(`${line}\n`);
    }
  });
  return { child, done };
}

async function stop({ child }: Running): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

async function isOver(store: JournalStore, runs: Iterable<string>): Promise<boolean> {
  for (const run of runs) if (((await store.work.order(run))?.ended ?? null) === null) return false;
  return true;
}

/** Says who has what, and who waits for whom, where nothing goes on any more. */
async function standstill(store: JournalStore, over: number, runs: number): Promise<string> {
  const { held, waiting } = await store.claims.list();
  const having = held.map(({ run, key }) => `${run} has ${key}`);
  const wanting = waiting.map(({ run, waitsFor }) => `${run} waits for ${waitsFor.join(', ')}`);
  return [`nothing has ended for ${STILL / 1_000} s, ${over} of ${runs} runs have`, ...having, ...wanting].join('\n');
}

/** The acts that a run has made: all of them, or those that came first. */
interface Made {
  readonly run: string;
  readonly acts: readonly Act[];
  readonly isWhole: boolean;
}

/** Everything that could not have come of runs that act one after the other. */
function wrongIn(world: string, made: readonly Made[]): string[] {
  const wrong: string[] = [];
  const after = new Map<string, Set<string>>();
  const precedes = (one: string | undefined, other: string | undefined) => {
    if (one === undefined || other === undefined || one === other) return;
    after.set(one, (after.get(one) ?? new Set()).add(other));
  };
  const lists = new Map<string, string[]>();
  for (const group of GROUPS) for (const item of ITEMS) lists.set(`${group}/${item}`, listIn(world, group, item));
  for (const list of lists.values()) for (const [index, run] of list.entries()) precedes(list[index - 1], run);
  for (const { run, acts, isWhole } of made) {
    const there = [...lists].flatMap(([key, list]) => list.filter((each) => each === run).map(() => key));
    const appended = acts.flatMap(({ group, item }) => (item === undefined ? [] : [`${group}/${item}`]));
    // One that was cancelled has made what came first, however much of it.
    const expected = isWhole ? appended : appended.slice(0, there.length);
    if (expected.toSorted().join() !== there.toSorted().join())
      wrong.push(`${run} has appended ${expected}, and of it there are ${there}`);
  }
  for (const { run, group, before, after: then } of auditsIn(world)) {
    if (before.join() !== then.join()) wrong.push(`${run} saw ${group} change: ${before} and ${then}`);
    for (const [index, item] of ITEMS.entries()) {
      const list = lists.get(`${group}/${item}`) as string[];
      precedes(list[(before[index] as number) - 1], run);
      precedes(run, list[before[index] as number]);
    }
  }
  const circle = circleIn(after);
  return circle === null ? wrong : [...wrong, `no order of the runs explains it: ${circle.join(' < ')}`];
}

function listIn(world: string, group: string, item: string): string[] {
  const file = join(world, group, `${item}.json`);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { run: string }[]).map(({ run }) => run) : [];
}

interface Audit {
  readonly run: string;
  readonly group: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
}

function auditsIn(world: string): Audit[] {
  const folder = join(world, 'audits');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Audit);
}

/** Runs of which each comes before the next, and the last before the first; null where there are none. */
function circleIn(after: ReadonlyMap<string, ReadonlySet<string>>): string[] | null {
  const cleared = new Set<string>();
  const walk = (run: string, path: readonly string[]): string[] | null => {
    if (path.includes(run)) return [...path.slice(path.indexOf(run)), run];
    if (cleared.has(run)) return null;
    for (const next of after.get(run) ?? []) {
      const circle = walk(next, [...path, run]);
      if (circle !== null) return circle;
    }
    cleared.add(run);
    return null;
  };
  for (const run of after.keys()) {
    const circle = walk(run, []);
    if (circle !== null) return circle;
  }
  return null;
}
