/** The parts of an actor's plan: its children, its timers, and which delayed events need no arming. */
import type { PlacedStep } from '../../history/step-lists.ts';
import { type Region, split } from '../../model/region.ts';
import type { Started, StateValue } from '../../model/step-entry.ts';
import type { RunState } from '../../projection/run-state.ts';
import { partOf } from '../../projection/set-aside/records.ts';
import type { ActorState, Timer } from '../../projection/state-types.ts';
import type { ActorPlan, ChildPlan, TimerPlan } from '../../runtime/restore-plan.ts';

/** The plan of a child that is made: where it stood, or from its beginning where `plan` is null. */
export function childPlan(child: ActorState, plan: ActorPlan | null): ChildPlan {
  const { id, src, at, kind, input, systemId } = child.started as Started;
  const event = child.event as ChildPlan['event'];
  return { number: child.number, id, src, at, kind, input, plan, event, ...(systemId !== undefined && { systemId }) };
}

/** The plan of a timer that is armed, due at a wall clock in milliseconds. */
export function timerPlan({ id, event, delay, to }: Timer, due: number): TimerPlan {
  return { id, event: event as TimerPlan['event'], due, delay, to };
}

/** Tells if a delayed event was armed in the visit of its state that goes on, by steps that stand. */
export function armedIn(
  runState: RunState,
  actor: number,
  stands: (step: PlacedStep) => boolean,
): ActorPlan['isArmed'] {
  return (id, state) => {
    const visits = new Map<Region, number>();
    const visit = (region: Region) => {
      const since = visits.get(region) ?? visitOf(runState, region, state, stands) ?? Number.POSITIVE_INFINITY;
      visits.set(region, since);
      return since;
    };
    const last = runState.timers.named(actor, id).findLast(({ armed, gone, region }) => {
      if (gone === null) return stands(armed);
      return armed.nth >= visit(region) && stands(armed) && stands(gone);
    });
    return last !== undefined;
  };
}

/** The number of the step with which the visit of a state began that goes on; null where it is not active. */
function visitOf(
  runState: RunState,
  region: Region,
  state: string,
  stands: (step: PlacedStep) => boolean,
): number | null {
  const [actor] = split(region);
  let since: number | null = null;
  for (const step of runState.places.chain(region).backwards()) {
    if (step.actor !== actor || !step.moves.includes(region) || !stands(step)) continue;
    if (!isActive(step.value, state)) return since;
    since = step.nth;
  }
  return since;
}

function isActive(value: StateValue, path: string): boolean {
  const keys = path === '' ? [] : path.split('.');
  const last = keys.pop();
  const around = partOf(value, keys.join('.'));
  return last === undefined || around === last || (typeof around === 'object' && around !== null && last in around);
}
