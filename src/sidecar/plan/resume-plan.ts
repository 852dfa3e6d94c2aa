/** Plans for machines that go on where the journal ends: in a fresh process, and behind work that a replay has taken over. */

import { type Region, split } from '../../model/region.ts';
import type { Started } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { WorkRecord } from '../../projection/set-aside/records.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import { armedIn, childPlan, timerPlan } from './actor-plan.ts';

/** The plan of a fresh process: everything stands where the journal ends. */
export function planResume(runState: RunState, now: () => number): ActorPlan {
  return standing(runState, 0, now);
}

/**
 * The way on behind a record that was claimed: control stands where its last step left it, and what that owes is started (C5a).
 */
export function planClaim(
  runState: RunState,
  record: WorkRecord,
  region: Region,
  next: readonly number[],
  now: () => number,
): ActorPlan {
  const [number] = split(region);
  const actor = runState.actor(number);
  const running = runState.family.childrenOf(number);
  const successor = (to: number | null) => next[record.next.numbers.indexOf(to ?? -1)] ?? to;
  const isGone = (id: string) =>
    runState.timers
      .named(number, id)
      .findLast(({ gone, region: of }) => gone !== null && runState.places.within(of, region));
  return {
    value: actor.value,
    remembered: actor.remembered,
    context: actor.context,
    last: actor.last as ActorPlan['last'],
    keep: running.filter((child) => !next.includes(child.number)).map(({ started }) => (started as Started).id),
    make: running.filter((child) => next.includes(child.number)).map((child) => childPlan(child, null)),
    cancel: [...runState.timers.idsOf(number)].filter((id) => isGone(id) !== undefined),
    timers: record.next.timers.map((timer) => timerPlan({ ...timer, to: successor(timer.to) }, now() + timer.delay)),
    isArmed: armedIn(runState, number, () => true),
    now,
  };
}

/** An actor as it stands, everything in it made anew: for a fresh process. */
function standing(runState: RunState, number: number, now: () => number): ActorPlan {
  const actor = runState.actor(number);
  const make = runState.family
    .childrenOf(number)
    .map((child) =>
      childPlan(child, child.started?.kind === 'machine' && child.begun ? standing(runState, child.number, now) : null),
    );
  const timers = runState.timers.armed(number);
  return {
    value: actor.value,
    remembered: actor.remembered,
    context: actor.context,
    last: actor.last as ActorPlan['last'],
    keep: [],
    make,
    cancel: [],
    timers: timers.map((timer) => timerPlan(timer, timer.due)),
    isArmed: armedIn(runState, number, () => true),
    now,
  };
}
