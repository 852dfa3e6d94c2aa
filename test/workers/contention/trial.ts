/**
 * Runs that contend for the lists of one world, under workers in as many processes, some of which are killed and replaced, while persons
 * cancel some of the runs: afterwards the lists must be as if the runs had come one after the other.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workClient } from '../../../src/workers/client.ts';
import type { Chance } from '../../simulation/chance.ts';
import { carried, type Fleet, type Leaving } from './fleet.ts';

const GROUPS = ['a', 'b', 'c', 'd'];
const ITEMS = ['0', '1', '2', '3', '4'];

interface Act {
  readonly group: string;
  /** Left out for an audit of the group. */
  readonly item?: string;
}

export interface TrialOptions extends Fleet {
  readonly runs: number;
  readonly chance: Chance;
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
  const leaving: Leaving[] = [];
  for (let number = 0; number < runs; number += 1) {
    const run = `run-${number}`;
    asked.set(run, actsOf(chance));
    if (chance.percent(options.cancelled)) leaving.push({ run, at: chance.int(0, Math.floor(runs * 0.7)) });
    await client.start({ run, agent: 'clerk', input: { acts: asked.get(run) } });
  }
  const told = new Set(leaving.map(({ run }) => run));
  const agent = new URL('clerk.mjs', import.meta.url);
  const killed = await carried({ ...options, agent }, [...asked.keys()], leaving);
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
}

/** Two to four acts on lists of one or two groups, in any order, so that runs meet in circles. */
function actsOf(chance: Chance): Act[] {
  const groups = [chance.pick(GROUPS), chance.pick(GROUPS)];
  return Array.from({ length: chance.int(2, 4) }, () => {
    const group = chance.pick(groups);
    return chance.percent(10) ? { group } : { group, item: chance.pick(ITEMS) };
  });
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
