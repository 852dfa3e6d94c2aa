/**
 * Runs the tasks of a set with an answer that is found wrong one to five units later, with reversible and irreversible work in between, by
 * agents whose units share one cursor and by agents whose units do not. Asked again, the answer is right.
 */
import type { BoundaryConfig } from 'belay-sidecar';
import { there } from '../../domains/there.ts';
import { CALM, draw, faultsOf, NO_FAULTS } from './faults.ts';
import { type Misreading, misledWorld } from './misled.ts';
import type { Observed, Setting } from './observed.ts';
import type { Policy } from './policies.ts';
import { runTask } from './run.ts';
import type { DataSet, Task, UnitOfWork } from './set.ts';
import { CURSORS, type Cursor, unitMachine } from './unit-agent.ts';
import { carries, relyingOn, unitConfig, unitsOf } from './unit-work.ts';
import { type WrongScore, wrongScoreOf } from './wrong-score.ts';

/** The most units that pass before a wrong answer is found. */
export const FARTHEST = 5;

/** One run with a wrong answer, scored. */
export interface WrongRun {
  readonly task: string;
  readonly seed: number;
  readonly wrong: string;
  readonly found: string;
  readonly distance: number;
  readonly score: WrongScore;
  readonly status: Observed['status'];
  /** The reason why it is parked. */
  readonly why: string | null;
}

/** The runs of a set under one policy, with one kind of agent and at one probability of faults, in the same order for every policy. */
export interface WrongCell {
  readonly folder: string;
  readonly cursor: Cursor;
  readonly probability: number;
  readonly policy: Policy;
  readonly runs: readonly WrongRun[];
}

/** A task with the run without faults by the set's own agent. */
interface Known {
  readonly setting: Omit<Setting, 'faults'>;
  readonly reference: Observed;
}

/** The runs to make. */
export interface WrongWanted {
  readonly folder: string;
  readonly references: readonly Known[];
  readonly probabilities: readonly number[];
  readonly policies: readonly Policy[];
  readonly seed: number;
  /** The number of runs of each cell, where there are so many cases. */
  readonly runs: number;
  readonly asks: boolean;
}

/** A task of units with one wrong answer. */
interface Case {
  readonly setting: Omit<Setting, 'faults'>;
  readonly reference: Observed;
  readonly misreading: Misreading;
  readonly seed: number;
}

/** Runs every case under every policy; none where the set has no task of several units. */
export async function wrongAnswers(wanted: WrongWanted, one: () => Promise<void>): Promise<readonly WrongCell[]> {
  const cells: WrongCell[] = [];
  for (const cursor of CURSORS) {
    const cases = await casesOf(wanted, cursor);
    if (cases.length === 0) continue;
    for (const probability of wanted.probabilities)
      for (const policy of wanted.policies) {
        if (probability > 0 && !UNDER_FAULTS.includes(policy)) continue;
        const runs: WrongRun[] = [];
        for (const each of cases) {
          runs.push(await runCase(each, policy, probability, wanted.asks));
          await one();
        }
        cells.push({ folder: wanted.folder, cursor, probability, policy, runs });
      }
  }
  return cells;
}

/** The policies that are run where replies are lost besides: one of each kind, since those add little to how the others fare. */
const UNDER_FAULTS: readonly Policy[] = ['ask-and-retry', 'checkpoint-every-step', 'belay', 'oracle'];

async function runCase(
  { setting, reference, misreading, seed }: Case,
  policy: Policy,
  probability: number,
  asks: boolean,
) {
  const { task, config } = setting;
  const faults = faultsOf(`${seed}\n${task.id}`, probability);
  const own = { ...task, open: () => misledWorld(task.open(), misreading) };
  const run = await runTask({ ...setting, task: own, asks, faults, weather: CALM }, policy);
  const { wrong, found, distance } = misreading;
  const score = wrongScoreOf(run, reference, misreading, config);
  return { task: task.id, seed, wrong, found, distance, score, status: run.status, why: run.parked?.why ?? null };
}

/** The cases of a set for one kind of agent: of each task a few pairs of units, every distance first. */
async function casesOf({ references, seed, runs }: WrongWanted, cursor: Cursor): Promise<readonly Case[]> {
  const several = references
    .map(({ setting, reference }) => ({ setting, units: unitsOf(setting.task, reference) }))
    .filter(({ units }) => units.length > 1);
  const [first] = several;
  if (first === undefined) return [];
  const agent = agentOf(
    first.setting.set,
    first.setting.config,
    several.map(({ units }) => units),
    cursor,
  );
  const all = several.map(({ setting, units }) => ({
    setting,
    units,
    own: misreadings(units, cursor, `${seed}\n${setting.task.id}`),
  }));
  const cases: Case[] = [];
  for (const { setting, units, chosen } of spread(all, runs)) {
    const task = taskOf(setting.task, units, cursor);
    const own = { ...setting, ...agent, task };
    const right = { ...task, open: () => misledWorld(task.open(), null) };
    const reference = await runTask({ ...own, task: right, faults: NO_FAULTS }, 'oracle');
    for (const misreading of chosen) cases.push({ setting: own, reference, misreading, seed });
  }
  return cases;
}

/** Chooses so many cases of all tasks: the first one of each task, then the second of each, and so on; of many tasks evenly spread ones. */
function spread<T extends { readonly own: readonly Misreading[] }>(all: readonly T[], runs: number) {
  const some =
    all.length <= runs
      ? all
      : Array.from({ length: runs }, (_, n) => there(all[Math.floor((n * all.length) / runs)], 'answer'));
  const chosen = some.map((each): T & { chosen: Misreading[] } => ({ ...each, chosen: [] }));
  for (let round = 0, left = runs; left > 0 && chosen.some(({ own }) => own.length > round); round += 1)
    for (const [index, { own, chosen: taken }] of chosen.entries()) {
      // Tasks begin with different distances, so that each distance has its share.
      const next = own.length > round && left > 0 ? own[(round + index) % own.length] : undefined;
      if (next === undefined) continue;
      taken.push(next);
      left -= 1;
    }
  return chosen;
}

/** The agent of a set's tasks as units of work, with its config. */
function agentOf(
  set: DataSet,
  own: BoundaryConfig,
  plans: readonly (readonly UnitOfWork[])[],
  cursor: Cursor,
): { readonly set: DataSet; readonly config: BoundaryConfig } {
  const id = `${set.name}-units`;
  const tools = [...new Set(plans.flat().flatMap(({ calls }) => calls.map(({ tool }) => tool)))].sort();
  const machine = unitMachine(id, Object.fromEntries(tools.map((name) => [name, carries(name, own)])));
  return { set: { ...set, machine, snapshots: ['unit.LOOKING'] }, config: unitConfig(id, own, tools, cursor) };
}

/** The task as units, in the world of the set. */
function taskOf({ id, open }: Task, plan: readonly UnitOfWork[], cursor: Cursor): Task {
  return { id, input: () => ({ plan, ...(cursor === 'shared' && { at: 0 }) }), open: () => open() };
}

/** All pairs of units at most five apart in an order that is drawn: first one of each distance, then the second of each, and so on. */
function misreadings(units: readonly UnitOfWork[], cursor: Cursor, seed: string): readonly Misreading[] {
  const pairs = units.flatMap(({ unit: wrong }, at) =>
    units.slice(at + 1, at + 1 + FARTHEST).map(({ unit: found }, index) => {
      const relying = relyingOn(units, wrong, cursor);
      const drawn = draw(`${seed}\n${wrong}\n${found}`);
      const by = draw(`by\n${seed}\n${wrong}\n${found}`) < 0.5 ? ('look' as const) : ('verify' as const);
      return { wrong, found, by, distance: index + 1, relying, drawn };
    }),
  );
  const nth = new Map<number, number>();
  return pairs
    .sort((a, b) => a.drawn - b.drawn)
    .map(({ drawn: _, ...pair }) => {
      const round = nth.get(pair.distance) ?? 0;
      nth.set(pair.distance, round + 1);
      return { pair, round };
    })
    .sort((a, b) => a.round - b.round || a.pair.distance - b.pair.distance)
    .map(({ pair }) => pair);
}
