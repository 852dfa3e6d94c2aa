/** The comparison: every task of every set, under every policy and the same faults, and what it comes to. */
import { there } from '../../domains/there.ts';
import { faultsOf, NO_FAULTS, REGIMES, type Regime, weatherOf } from './faults.ts';
import type { Observed, Setting } from './observed.ts';
import { POLICIES, type Policy } from './policies.ts';
import type { Found } from './read.ts';
import { type Left, type Reference, referencesOf } from './references.ts';
import { runTask } from './run.ts';
import { type Score, scoreOf } from './score.ts';
import { DataError, type DataSet } from './set.ts';
import { inTurn, type Meetings, meet, pairs } from './together.ts';
import { type WrongCell, wrongAnswers } from './wrong-answers.ts';

/** The comparison to make. */
export interface Wanted {
  readonly found: readonly Found[];
  /** The probability that an attempt at a change fails. */
  readonly probabilities: readonly number[];
  /** The number of runs of each task, each with other faults; a set of few tasks is run more often. */
  readonly repeat: number;
  /** The first seed. */
  readonly seed: number;
  readonly policies: readonly Policy[];
  /** True if the counterparties that can be asked answer. */
  readonly asks: boolean;
  /**
   * True to run the further regimes as well: unreliable answers, late effects, wrong answers. Left out, they are not
   * run.
   */
  readonly further?: boolean;
  /** The fewest runs of a set in each cell; left out, `FEWEST`. Of a set of few tasks, each is run more often. */
  readonly fewest?: number;
}

/** One run, scored. */
export interface Run {
  readonly task: string;
  readonly seed: number;
  readonly score: Score;
  readonly status: Observed['status'];
  /** The reason why it is parked. */
  readonly why: string | null;
}

/** The runs of a set under one policy and at one probability, task by task and seed by seed, in the same order everywhere. */
export interface Cell {
  readonly set: string;
  readonly folder: string;
  readonly regime: Regime;
  readonly probability: number;
  readonly policy: Policy;
  readonly runs: readonly Run[];
}

/** The runs of a comparison, and their observations. */
export interface Comparison {
  readonly sets: readonly {
    readonly set: DataSet;
    readonly folder: string;
    readonly tasks: number;
    readonly repeat: number;
  }[];
  /** Tasks that could not be run as the data has them, and why. */
  readonly left: readonly Left[];
  /** The runs in which replies are lost and nothing else goes wrong. */
  readonly cells: readonly Cell[];
  /** The runs in which answers are unreliable besides, or effects late: at the highest probability, by the policies of `FURTHER`. */
  readonly further: readonly Cell[];
  /** The runs in which an answer is found wrong later. */
  readonly wrong: readonly WrongCell[];
  /** Two runs at once, of the sets whose tasks may meet. */
  readonly meetings: readonly Meetings[];
  readonly wanted: Omit<Wanted, 'found'>;
}

/** Told of how many runs are over, of how many. */
export type Progress = (done: number, all: number, what: string) => void;

/** A set of fewer tasks is run so often that there are as many runs. */
export const FEWEST = 60;

/** The policies that differ under unreliable answers and late effects. */
export const FURTHER: readonly Policy[] = ['naive-retry', 'ask-and-retry', 'checkpoint-every-step', 'belay', 'oracle'];

/** The runs of each cell in which an answer is found wrong. */
const WRONG = 30;

/**
 * Runs the comparison. The same wish gives the same answer. A task that does not end as its data says, even without a fault, is left out.
 * @throws DataError where no task is left.
 */
export async function compare(wanted: Wanted, progress: Progress = () => {}): Promise<Comparison> {
  const { found, fewest = FEWEST, ...rest } = wanted;
  const asked = [];
  for (const { set, folder, tasks } of found) asked.push({ set, folder, ...(await referencesOf(set, folder, tasks)) });
  const left = asked.flatMap((each) => each.left);
  const known = asked.filter(({ references }) => references.length > 0);
  if (known.length === 0)
    throw new DataError(
      `not one task can be run as the data has it. ${left[0]?.folder}: ${left[0]?.task}: ${left[0]?.why}`,
    );
  const sets = known.map(({ set, folder, references }) => {
    const repeat = Math.max(rest.repeat, Math.ceil(fewest / references.length));
    return { set, folder, tasks: references.length, repeat };
  });
  const highest = Math.max(...rest.probabilities);
  const further = rest.further === true ? REGIMES.filter((regime) => regime !== 'lost-replies') : [];
  const fewer = ordered(rest.policies).filter((policy) => FURTHER.includes(policy));
  const often = (tasks: number) => Math.ceil(fewest / tasks);
  const all = sets.reduce(
    (sum, { tasks, repeat }) =>
      sum +
      tasks * repeat * rest.probabilities.length * rest.policies.length +
      tasks * often(tasks) * further.length * fewer.length,
    0,
  );
  let done = 0;
  const one = async (what: string) => {
    done += 1;
    progress(Math.min(done, all), all, what);
    // Lets the display of the progress run.
    if (done % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  };
  const cells: Cell[] = [];
  const others: Cell[] = [];
  const wrong: WrongCell[] = [];
  const meetings: Meetings[] = [];
  for (const [index, { set, folder, references }] of known.entries()) {
    const { repeat } = there(sets[index], 'set');
    if (set.meets === true) meetings.push(...(await meetingsOf(folder, references, rest)));
    const cell = async (regime: Regime, probability: number, policy: Policy, times: number): Promise<Cell> => {
      const of = { set: set.name, folder, regime, probability, policy };
      return { ...of, runs: await runsOf(references, { ...rest, repeat: times }, of, one) };
    };
    for (const probability of rest.probabilities)
      for (const policy of rest.policies) cells.push(await cell('lost-replies', probability, policy, repeat));
    for (const regime of further)
      for (const policy of fewer) others.push(await cell(regime, highest, policy, often(references.length)));
    if (rest.further !== true) continue;
    const probabilities = [...new Set([0, Math.min(...rest.probabilities)])];
    const wanted = {
      ...rest,
      folder,
      references,
      probabilities,
      policies: ordered(rest.policies),
      runs: Math.ceil((WRONG * fewest) / FEWEST),
    };
    wrong.push(...(await wrongAnswers(wanted, () => one(`${folder}, an answer is found wrong`))));
  }
  return { sets, left, cells, further: others, wrong, meetings, wanted: rest };
}

async function runsOf(
  references: readonly Reference[],
  { seed: first, repeat, asks }: Pick<Wanted, 'seed' | 'repeat' | 'asks'>,
  { folder, regime, probability, policy }: Omit<Cell, 'runs'>,
  one: (what: string) => Promise<void>,
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { setting, reference } of references)
    for (let seed = first; seed < first + repeat; seed += 1) {
      const task = setting.task.id;
      const faults = faultsOf(`${seed}\n${task}`, probability);
      const weather = weatherOf(regime, `${seed}\n${task}`, probability);
      const observed = await runTask({ ...setting, asks, faults, weather }, policy);
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
        const drawn = (each: Omit<Setting, 'faults'>): Setting => {
          return { ...each, asks, faults: faultsOf(`${seed}\n${each.task.id}`, probability) };
        };
        meetings.push(await meet([drawn(settings[0]), drawn(settings[1])], policy, orders));
      }
      met.push({ folder, probability, policy, meetings });
    }
  return met;
}

/** The cell of a set under a policy, in which replies are lost and nothing else goes wrong. */
export function cellOf({ cells }: Comparison, folder: string, probability: number, policy: Policy): Cell | null {
  return cellIn(cells, folder, 'lost-replies', probability, policy);
}

/** The cell of a set in a regime under a policy. */
export function cellIn(
  cells: readonly Cell[],
  folder: string,
  regime: Regime,
  probability: number,
  policy: Policy,
): Cell | null {
  const is = (each: Cell) =>
    each.folder === folder && each.regime === regime && each.probability === probability && each.policy === policy;
  return cells.find(is) ?? null;
}

/** The policies in the order in which they are told. */
export function ordered(policies: readonly Policy[]): readonly Policy[] {
  return POLICIES.filter((policy) => policies.includes(policy));
}
