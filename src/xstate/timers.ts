/** Delayed events: which are armed, and for which region. xstate's scheduler says so, and nothing else does (semantics.md §11). */
import type { AnyActorRef, AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate';
import { systemOf } from './restore.ts';
import { pathOf, regionOf } from './structure.ts';

/** Told of every delayed event that is scheduled, and of every one that is taken back (`event` null). */
export type OnTimer = (ref: AnyActorRef, id: string, event: AnyEventObject | null, delay: number) => void;

/** Watches the scheduler of an actor system, from before its root starts. */
export function watchTimers(root: AnyActorRef, tell: OnTimer): void {
  const { scheduler } = systemOf(root);
  const { schedule, cancel } = scheduler;
  scheduler.schedule = (source, target, event, delay, id = `belay.${Math.random().toString(36).slice(2)}`) => {
    schedule(source, target, event, delay, id);
    tell(source as AnyActorRef, id, event, delay);
  };
  scheduler.cancel = (source, id) => {
    cancel(source, id);
    tell(source as AnyActorRef, id, null, 0);
  };
}

/** The path of the region that a delayed transition's state lies in; `''` for a delayed event of another kind. */
export function regionOfTimer(machine: AnyStateMachine, type: string): string {
  const node = nodeOfTimer(machine, type);
  return node === undefined ? '' : regionOf(node);
}

/** The path of the state that a delayed transition belongs to; null for a delayed event of another kind. */
export function stateOfTimer(machine: AnyStateMachine, type: string): string | null {
  const node = nodeOfTimer(machine, type);
  return node === undefined ? null : pathOf(node);
}

function nodeOfTimer(machine: AnyStateMachine, type: string): AnyStateNode | undefined {
  if (!type.startsWith('xstate.after.')) return undefined;
  for (let dot = type.indexOf('.', 'xstate.after.'.length); dot !== -1; dot = type.indexOf('.', dot + 1)) {
    const node = (machine as unknown as { idMap: Map<string, AnyStateNode> }).idMap.get(type.slice(dot + 1));
    if (node !== undefined) return node;
  }
  return undefined;
}
