/** The comparison: every task of every set, under every policy and the same faults, and what it comes to. */
import { readConfig } from 'belay-sidecar';
import { faultsOf, NO_FAULTS } from './faults.ts';
import { POLICIES, type Policy } from './policies.ts';
import type { Found } from './read.ts';
import { type Observed, runTask, type Setting } from './run.ts';
import { type Score, scoreOf } from './score.ts';
import { DataError, type DataSet, type Task } from './set.ts';
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
  readonly cells: readonly Cell[];
  readonly wanted: Omit<Wanted, 'found'>;
}

/** Told of how many runs are over, of how many. */
export type Progress = (done: number, all: number, what: string) => void;

/** A set of fewer tasks is run so often that there are as many runs. */
const FEWEST = 60;

/** Runs the comparison. The same wish gives the same answer. @throws DataError where a set is not what it says. */
export async function compare(wanted: Wanted, progress: Progress = () => {}): Promise<Comparison> {
  const { found, probabilities, policies, ...rest } = wanted;
  const sets = found.map(({ set, folder, tasks }) => {
    const repeat = Math.max(rest.repeat, Math.ceil(FEWEST / tasks.length));
    return { set, folder, tasks: tasks.length, repeat };
  });
  const all = sets.reduce((sum, { tasks, repeat }) => sum + tasks * repeat, 0) * probabilities.length * policies.length;
  let done = 0;
  const cells: Cell[] = [];
  for (const [index, { set, folder, tasks }] of found.entries()) {
    const references = await referencesOf(set, folder, tasks);
    const { repeat } = sets[index] as (typeof sets)[number];
    for (const probability of probabilities) {
      for (const policy of policies) {
        const runs: Run[] = [];
        for (const [task, { setting, reference }] of references)
          for (let seed = rest.seed; seed < rest.seed + repeat; seed += 1) {
            const faults = faultsOf(`${seed}\n${task}`, probability);
            const observed = await runTask({ ...setting, faults, asks: rest.asks }, policy);
            const score = scoreOf(observed, reference);
            runs.push({ task, seed, score, status: observed.status, why: observed.parked?.why ?? null });
            done += 1;
            progress(done, all, `${folder}, ${probability}, ${policy}`);
          }
        cells.push({ set: set.name, folder, probability, policy, runs });
      }
    }
  }
  return { sets, cells, wanted: { probabilities, policies, ...rest } };
}

type References = ReadonlyMap<string, { readonly setting: Omit<Setting, 'faults'>; readonly reference: Observed }>;

/** The runs without faults, held to what the data says of them. */
async function referencesOf(set: DataSet, folder: string, tasks: readonly Task[]): Promise<References> {
  const { config, findings } = readConfig(set.config);
  if (config === null) {
    const [first] = findings;
    throw new DataError(`${set.config}:${first?.line}: ${first?.message}`);
  }
  const references = new Map<string, { setting: Omit<Setting, 'faults'>; reference: Observed }>();
  for (const task of tasks) {
    const setting = { set, config, task };
    const reference = await runTask({ ...setting, faults: NO_FAULTS }, 'oracle');
    if (reference.status !== 'done')
      throw new DataError(`${folder}: ${task.id} does not come to its end, even without a fault`);
    const [is, should] = [written(reference.rows), written(task.expected ?? {})];
    const other = Object.keys(task.expected ?? {}).find((row) => is.get(row) !== should.get(row));
    if (other !== undefined)
      throw new DataError(`${folder}: ${task.id} ends with ${other} ${is.get(other)}, and not ${should.get(other)}`);
    references.set(task.id, { setting, reference });
  }
  return references;
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
