/** Delayed events: which are armed, and for which region. xstate's scheduler says so, and nothing else does (semantics.md §11). */
import type { AnyActorRef, AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate';
import { delayedBy, isDelay } from '../model/reply-event.ts';
import type { TimerPlan } from '../runtime/restore-plan.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { pathOf, regionOf } from './structure.ts';
import { systemOf } from './system.ts';

/**
 * Watches the scheduler of an actor system, from before its root starts.
 * @param planned the plans of the timers that were armed by one.
 */
export function watchTimers(root: AnyActorRef, planned: WeakMap<object, TimerPlan>, watcher: Watcher): void {
  const { scheduler } = systemOf(root);
  const { schedule, cancel } = scheduler;
  scheduler.schedule = (source, target, event, delay, id = `belay.${Math.random().toString(36).slice(2)}`) => {
    schedule(source, target, event, delay, id);
    watcher.armed(source as AnyActorRef, armed(source as AnyActorRef, planned.get(event), event, delay, id));
  };
  scheduler.cancel = (source, id) => {
    cancel(source, id);
    watcher.disarmed(source as AnyActorRef, id);
  };
}

function armed(
  source: AnyActorRef,
  plan: TimerPlan | undefined,
  event: AnyEventObject,
  delay: number,
  id: string,
): Parameters<Watcher['armed']>[1] {
  const { logic } = source as unknown as { logic: AnyStateMachine };
  const node = nodeOfTimer(logic, event.type);
  const region = node === undefined ? '' : regionOf(node);
  return { id, region, event, delay: plan?.delay ?? delay, due: plan?.due ?? null };
}

/** The path of the state that a delayed transition belongs to; null for a delayed event of another kind. */
export function stateOfTimer(machine: AnyStateMachine, type: string): string | null {
  const node = nodeOfTimer(machine, type);
  return node === undefined ? null : pathOf(node);
}

function nodeOfTimer(machine: AnyStateMachine, type: string): AnyStateNode | undefined {
  if (!isDelay(type)) return undefined;
  const name = delayedBy(type);
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    const node = (machine as unknown as { idMap: Map<string, AnyStateNode> }).idMap.get(name.slice(dot + 1));
    if (node !== undefined) return node;
  }
  return undefined;
}
