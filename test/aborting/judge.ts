/** Judges an abort by the world alone: what is there and is not named, what is named and is not there, and in which order things were taken away. */
import type { Decision } from '../../src/index.ts';
import type { Scenario } from './scenario.ts';
import type { Course } from './trial.ts';
import type { Act } from './world.ts';

/** Says what is wrong; null where nothing is. */
export function judge(scenario: Scenario, course: Course): string | null {
  const { world, ending, isQuiet, errors, runState, standing } = course;
  if (errors.length > 0) return `an error: ${errors[0]}`;
  if (!isQuiet || ending === null) return `it hangs: ${standing.is}`;
  if (world.wrong.length > 0) return world.wrong[0] as string;
  if (world.forward.length > 0) return `something left after the word: ${world.forward[0]}`;
  const acts = [...world.acts.values()];
  for (const act of acts) {
    if (act.undoKeys.size > 1) return `${act.tool} undone under two keys`;
    if (act.undone > 1) return `${act.tool} undone twice`;
  }
  const names = namesOf(course);
  const key = ({ key: one }: Act) => one;
  for (const act of acts) {
    if (act.isThere && !names.has(key(act))) return `${act.tool} is left over and not named`;
    if (!act.isThere && runState.aborted.stands.has(key(act)) && !act.byHand)
      return `${act.tool} is named as standing, and is not there`;
  }
  const named = [...names.keys()].filter((one) => !world.acts.has(one));
  if (ending.status === 'compensated' && named.length > 0) return `named, and never happened: ${named[0]}`;
  return judgeOrder(scenario, course, acts) ?? judgeEnd(scenario, course, acts, names);
}

type Name = 'stands' | 'owed' | 'held' | 'unknown';

/** The keys that the run names, with how: what stands, what is owed and what is unknown. */
function namesOf({ ending, runState }: Course): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const call of runState.aborted.stands.keys()) names.set(call, 'stands');
  if (ending?.status === 'compensated') {
    const told = new Set(ending.standing);
    return new Map([...names].filter(([one]) => told.has(one)));
  }
  if (ending !== null && 'decision' in ending) for (const [one, how] of askedIn(ending.decision)) names.set(one, how);
  return names;
}

/** The keys that a decision names: what waits, and what a person is asked about. */
function askedIn(decision: Decision): Map<string, Name> {
  const names = new Map<string, Name>();
  for (const refusal of decision.refusals)
    if ('code' in refusal && refusal.code === 'unclaimed_effect') names.set(refusal.effect.id as string, 'held');
  for (const act of 'unblock' in decision ? decision.unblock.acts : []) {
    if (act.act === 'settle_outcome') names.set(act.effect.id as string, 'unknown');
    if (act.act === 'undo_by_hand') names.set(act.effect.id as string, 'owed');
  }
  return names;
}

/** True where one act rests on another, by how the machine is made. */
function rests({ shape }: Scenario, one: Act, on: Act): boolean {
  return shape === 'rests' && one.tool === 'b' && on.tool === 'a';
}

function judgeOrder(scenario: Scenario, { world, runState }: Course, acts: readonly Act[]): string | null {
  for (const one of acts)
    for (const on of acts) {
      if (!rests(scenario, one, on) || !world.order.includes(on.key)) continue;
      const [late, early] = [world.order.indexOf(one.key), world.order.indexOf(on.key)];
      if (late !== -1 && late > early) return `${on.tool} was undone under ${one.tool}`;
      if (late === -1 && one.isThere && !runState.aborted.stands.has(one.key))
        return `${on.tool} was taken from under ${one.tool}, which is owed`;
    }
  return null;
}

function judgeEnd(
  scenario: Scenario,
  course: Course,
  acts: readonly Act[],
  names: ReadonlyMap<string, Name>,
): string | null {
  const { ending, standing } = course;
  if (ending?.status === 'compensated') return judgeOver(scenario, course, acts);
  if (scenario.person !== 'never') return `a person did everything, and it does not end: ${ending?.status}`;
  if (ending?.status !== 'stuck' && ending?.status !== 'parked') return `it neither ends nor waits: ${ending?.status}`;
  if ((standing.is === 'stuck') !== (ending.status === 'stuck'))
    return `it is ${ending.status}, and its journal says ${standing.is}`;
  if (names.size === 0) return 'it waits for nothing';
  const needless = acts.find((act) => names.get(act.key) === 'held' && !isHeld(scenario, act, acts, names));
  return needless === undefined ? null : `${needless.tool} is held back needlessly`;
}

/** True where an act has a reason to wait: one that rests on it is not over. */
function isHeld(scenario: Scenario, act: Act, acts: readonly Act[], names: ReadonlyMap<string, Name>): boolean {
  // Of what a restore took back it is not known any more what it rested on.
  if (scenario.shape === 'restored') return true;
  const isOwed = (one: Act) => names.has(one.key) && names.get(one.key) !== 'stands';
  if (acts.some((one) => rests(scenario, one, act) && isOwed(one))) return true;
  // What is unknown may not have happened: it is in no world.
  return scenario.shape === 'rests' && [...names].some(([one, how]) => how === 'unknown' && one !== act.key);
}

function judgeOver(scenario: Scenario, { ending, runState, standing }: Course, acts: readonly Act[]): string | null {
  if (standing.is !== 'compensated') return `it ended, and its journal says ${standing.is}`;
  if (runState.ledger.open().length > 0) return 'it ended while an outcome is unknown';
  if (runState.aborted.owed.size > 0) return 'it ended while an undo is owed';
  for (const { key, gone } of ending?.status === 'compensated' ? ending.stands : []) {
    const one = acts.find((act) => act.key === key);
    const on = one === undefined ? [] : acts.filter((act) => rests(scenario, one, act) && act.undone > 0);
    const missing = on.find((act) => !gone.includes(act.key));
    if (missing !== undefined) return `${one?.tool} stands, and it is not named that ${missing.tool} is gone`;
  }
  return null;
}
