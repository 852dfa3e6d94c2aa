/** The comparison: every task of every set, under every policy and the same faults, and what it comes to. */
import { readConfig } from 'belay-sidecar';
import { faultsOf, NO_FAULTS } from './faults.ts';
import type { Observed, Setting } from './observed.ts';
import { POLICIES, type Policy } from './policies.ts';
import type { Found } from './read.ts';
import { runTask } from './run.ts';
import { type Score, scoreOf } from './score.ts';
import { DataError, type DataSet, type Task } from './set.ts';
import { inTurn, type Meetings, meet, pairs } from './together.ts';
import { written } from './wire.ts';

/** What is to be compared. */
export interface Wanted {
  readonly found: readonly Found[];
  /** How likely an attempt at a change is to fail. */
  readonly probabilities: readonly number[];
  /** How often each task is run, each time with other faults; a set of few tasks is run more often. */
  readonly repeat: number;
  /** The first seed. */
  readonly seed: number;
  readonly policies: readonly Policy[];
  /** Whether the counterparties that can be asked answer. */
  readonly asks: boolean;
}

/** One run, scored. */
export interface Run {
  readonly task: string;
  readonly seed: number;
  readonly score: Score;
  readonly status: Observed['status'];
  /** Why it is parked. */
  readonly why: string | null;
}

/** The runs of a set under one policy and at one probability, task by task and seed by seed, in the same order everywhere. */
export interface Cell {
  readonly set: string;
  readonly folder: string;
  readonly probability: number;
  readonly policy: Policy;
  readonly runs: readonly Run[];
}

/** What was compared, and what was seen. */
export interface Comparison {
  readonly sets: readonly {
    readonly set: DataSet;
    readonly folder: string;
    readonly tasks: number;
    readonly repeat: number;
  }[];
  /** Tasks that could not be run as the data has them, and why. */
  readonly left: readonly { readonly folder: string; readonly task: string; readonly why: string }[];
  readonly cells: readonly Cell[];
  /** Two runs at once, of the sets whose tasks may meet. */
  readonly meetings: readonly Meetings[];
  readonly wanted: Omit<Wanted, 'found'>;
}

/** Told of how many runs are over, of how many. */
export type Progress = (done: number, all: number, what: string) => void;

/** A set of fewer tasks is run so often that there are as many runs. */
const FEWEST = 60;

/**
 * Runs the comparison. The same wish gives the same answer. A task that does not end as its data says, even without a fault, is left out.
 * @throws DataError where no task is left.
 */
export async function compare(wanted: Wanted, progress: Progress = () => {}): Promise<Comparison> {
  const { found, ...rest } = wanted;
  const asked = [];
  for (const { set, folder, tasks } of found) asked.push({ set, folder, ...(await referencesOf(set, folder, tasks)) });
  const left = asked.flatMap((each) => each.left);
  const known = asked.filter(({ references }) => references.length > 0);
  if (known.length === 0)
    throw new DataError(
      `not one task can be run as the data has it. ${left[0]?.folder}: ${left[0]?.task}: ${left[0]?.why}`,
    );
  const sets = known.map(({ set, folder, references }) => {
    const repeat = Math.max(rest.repeat, Math.ceil(FEWEST / references.length));
    return { set, folder, tasks: references.length, repeat };
  });
  const runs = sets.reduce((sum, { tasks, repeat }) => sum + tasks * repeat, 0);
  const all = runs * rest.probabilities.length * rest.policies.length;
  let done = 0;
  const one = async (what: string) => {
    done += 1;
    progress(done, all, what);
    // Whoever shows the progress gets to do so.
    if (done % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const cells: Cell[] = [];
  const meetings: Meetings[] = [];
  for (const [index, { set, folder, references }] of known.entries()) {
    const { repeat } = sets[index] as (typeof sets)[number];
    if (set.meets === true) meetings.push(...(await meetingsOf(folder, references, rest)));
    for (const probability of rest.probabilities)
      for (const policy of rest.policies) {
        const of = { set: set.name, folder, probability, policy };
        cells.push({ ...of, runs: await runsOf(references, { ...rest, repeat }, of, one) });
      }
  }
  return { sets, left, cells, meetings, wanted: rest };
}

async function runsOf(
  references: readonly Reference[],
  { seed: first, repeat, asks }: Pick<Wanted, 'seed' | 'repeat' | 'asks'>,
  { folder, probability, policy }: Pick<Cell, 'folder' | 'probability' | 'policy'>,
  one: (what: string) => Promise<void>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { setting, reference } of references)
    for (let seed = first; seed < first + repeat; seed += 1) {
      const task = setting.task.id;
      const observed = await runTask({ ...setting, asks, faults: faultsOf(`${seed}\n${task}`, probability) }, policy);
      const score = scoreOf(observed, reference);
      runs.push({ task, seed, score, status: observed.status, why: observed.parked?.why ?? null });
      await one(`${folder}, ${probability}, ${policy}`);
    }
  return runs;
}

/** Has the tasks of a set meet, two by two, each with the faults of the first seed. */
async function meetingsOf(
  folder: string,
  tasks: readonly Reference[],
  { probabilities, policies, seed, asks }: Omit<Wanted, 'found'>,
): Promise<Meetings[]> {
  const met: Meetings[] = [];
  const turns = await Promise.all(
    pairs(tasks).map(async ([{ setting: a }, { setting: b }]) => {
      const orders = await inTurn({ ...a, faults: NO_FAULTS }, { ...b, faults: NO_FAULTS });
      return { settings: [a, b] as const, orders };
    }),
  );
  for (const probability of probabilities)
    for (const policy of policies) {
      const meetings = [];
      for (const { settings, orders } of turns) {
        const [a, b] = settings.map((each) => {
          return { ...each, asks, faults: faultsOf(`${seed}\n${each.task.id}`, probability) };
        }) as [Setting, Setting];
        meetings.push(await meet([a, b], policy, orders));
      }
      met.push({ folder, probability, policy, meetings });
    }
  return met;
}

interface Reference {
  readonly setting: Omit<Setting, 'faults'>;
  readonly reference: Observed;
}

/** The runs without faults, held to what the data says of them. */
async function referencesOf(set: DataSet, folder: string, tasks: readonly Task[]) {
  const { config, findings } = readConfig(set.config);
  if (config === null) {
    const [first] = findings;
    throw new DataError(`${set.config}:${first?.line}: ${first?.message}`);
  }
  const references: Reference[] = [];
  const left: Comparison['left'][number][] = [];
  for (const task of tasks) {
    const setting = { set, config, task };
    const reference = await referenceOf(setting);
    if (typeof reference === 'string') left.push({ folder, task: task.id, why: reference });
    else references.push({ setting, reference });
  }
  return { references, left };
}

/** The run without faults, or why it is none. */
async function referenceOf(setting: Omit<Setting, 'faults'>): Promise<Observed | string> {
  const { task } = setting;
  let reference: Observed;
  try {
    reference = await runTask({ ...setting, faults: NO_FAULTS }, 'oracle');
  } catch (error) {
    // Whatever it is, it comes of the data: the same adapter runs the other tasks.
    return (error as Error).message;
  }
  if (reference.status !== 'done') return 'it does not come to its end, even without a fault';
  const [is, should] = [written(reference.rows), written(task.expected ?? {})];
  const other = Object.keys(task.expected ?? {}).find((row) => is.get(row) !== should.get(row));
  return other === undefined ? reference : `it ends with ${other} ${is.get(other)}, and not ${should.get(other)}`;
}

/** The cell of a set under a policy. */
export function cellOf({ cells }: Comparison, folder: string, probability: number, policy: Policy): Cell | null {
  return (
    cells.find((each) => each.folder === folder && each.probability === probability && each.policy === policy) ?? null
  );
}

/** The policies in the order in which they are told. */
export function ordered(policies: readonly Policy[]): readonly Policy[] {
  return POLICIES.filter((policy) => policies.includes(policy));
}
