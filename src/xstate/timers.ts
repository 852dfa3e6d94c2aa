/** Watches the delayed events of a machine by way of xstate's scheduler, which alone knows them (semantics.md §11). */
import type { AnyActorRef, AnyEventObject, AnyStateMachine, AnyStateNode } from 'xstate';
import { setAlarm } from '../clock/alarm.ts';
import type { Alarm } from '../clock/clock.ts';
import { delayedBy, isDelay } from '../model/reply-event.ts';
import type { Fired } from '../runtime/microstep.ts';
import type { TimerPlan } from '../runtime/restore-plan.ts';
import type { Watcher } from '../runtime/runtime.ts';
import type { DelayedEvent, Delays } from './delays.ts';
import { pathOf, regionOf } from './structure.ts';
import { systemOf } from './system.ts';

/** xstate's timers on the clock of the run. A rehearsal may have a timer ring late, or never. */
export class TimerClock {
  readonly #now: () => number;
  readonly #delays: Delays | null;
  /** The timer that the scheduler is about to set. */
  #next: DelayedEvent | null = null;

  constructor(now: () => number, delays: Delays | null) {
    this.#now = now;
    this.#delays = delays;
  }

  /** Sets a timer of xstate, which sets its alarm on this clock at once. */
  arming(source: AnyActorRef, { type }: AnyEventObject, delay: number, id: string, arm: () => void): void {
    if (this.#delays !== null) {
      const { logic, id: actor } = source as unknown as { logic: AnyStateMachine; id: string };
      this.#next = { key: `${actor} ${id}`, name: nameOf(logic, type), delay };
      this.#delays.armed(this.#next);
    }
    arm();
    this.#next = null;
  }

  readonly setTimeout = (run: () => void, delay: number): Alarm => {
    const [timer, delays] = [this.#next, this.#delays];
    if (timer === null || delays === null) return setAlarm(this.#now() + delay, this.#now, run);
    let alarm: Alarm = { cancel: () => {} };
    const due = () => {
      const late = delays.due(timer);
      if (late === 0) run();
      else if (late !== null) alarm = setAlarm(this.#now() + late, this.#now, run);
    };
    alarm = setAlarm(this.#now() + delay, this.#now, due);
    return {
      cancel: () => {
        alarm.cancel();
        delays.gone(timer);
      },
    };
  };

  readonly clearTimeout = (alarm: Alarm | undefined): void => alarm?.cancel();
}

/** The delayed events on their way: one object for each, so that a received object tells which delayed event it is. */
export class DelayedEvents {
  readonly #fired = new WeakMap<object, Fired>();

  /** Makes the object with which a delayed event will be received. */
  make(event: AnyEventObject, fired: Fired): AnyEventObject {
    const own = { ...event };
    this.#fired.set(own, fired);
    return own;
  }

  /** The delayed event of a received object; undefined for any other event. */
  of(event: AnyEventObject): Fired | undefined {
    return this.#fired.get(event);
  }
}

/** The parts of a run that deal with the timers of its machine. */
export interface TimerWatch {
  /** The plans of restored timers, by their events. */
  readonly planned: WeakMap<object, TimerPlan>;
  readonly delayed: DelayedEvents;
  readonly watcher: Watcher;
  readonly clock: TimerClock;
}

/** Watches the scheduler of an actor system, from before its root starts. */
export function watchTimers(root: AnyActorRef, { planned, delayed, watcher, clock }: TimerWatch): void {
  const { scheduler } = systemOf(root);
  const { schedule, cancel } = scheduler;
  scheduler.schedule = (source, target, event, delay, id = `belay.${Math.random().toString(36).slice(2)}`) => {
    const from = source as AnyActorRef;
    const own = delayed.make(event, { source: from, id });
    clock.arming(from, event, delay, id, () => schedule(source, target, own, delay, id));
    const timer = armed(from, planned.get(event), event, delay, id);
    watcher.armed(from, { ...timer, target: source === target ? null : (target as AnyActorRef) });
  };
  scheduler.cancel = (source, id) => {
    cancel(source, id);
    watcher.disarmed(source as AnyActorRef, id);
  };
}

/** The name of a delayed event: its state and delay (`waiting after 1000`), or its type if it belongs to no state. */
function nameOf(machine: AnyStateMachine, type: string): string {
  const node = nodeOfTimer(machine, type);
  if (node === undefined) return type;
  const delay = delayedBy(type).slice(0, -node.id.length - 1);
  return `${pathOf(node) || '(root)'} after ${delay}`;
}

function armed(
  source: AnyActorRef,
  plan: TimerPlan | undefined,
  event: AnyEventObject,
  delay: number,
  id: string,
): Omit<Parameters<Watcher['armed']>[1], 'target'> {
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
