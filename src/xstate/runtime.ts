/** The xstate runtime: a machine's actors, as a run asks them and puts them somewhere (semantics.md §11). */
import {
  type Actor,
  type ActorOptions,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  createActor,
} from 'xstate';
import { endedChild, INIT } from '../model/reply-event.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { Place, RuntimeEvent } from '../runtime/microstep.ts';
import type { ActorPlan, TimerPlan } from '../runtime/restore-plan.ts';
import type { Arrival, Completion, Machines, Runtime, Watcher } from '../runtime/runtime.ts';
import { toolsAhead } from './ahead.ts';
import type { Delays } from './delays.ts';
import { BEGIN, END, RESTORE, WAKE } from './events.ts';
import { dropActions, keepWithin, NEVER_DUE, watchingInert } from './inert.ts';
import { ActorPlaces } from './references.ts';
import { nodeAt } from './structure.ts';
import { systemOf } from './system.ts';
import { DelayedEvents, stateOfTimer, TimerClock, watchTimers } from './timers.ts';
import { toolOf } from './toolbox.ts';
import { MachineWatch } from './watch/watch.ts';

/** The setting that the actors of a machine are made in. */
interface Setting {
  readonly inspect: ActorOptions<AnyStateMachine>['inspect'];
  /** The clock of the run, in milliseconds. */
  readonly now: () => number;
  /** True where the machine takes its transitions and nothing leaves it: a recorded run is gone through. */
  readonly inert?: boolean;
  readonly delays?: Delays | undefined;
  /** The actors of the run, where its journal is to have them by their places. */
  readonly places?: ActorPlaces;
}

/** The setting of a machine that a recorded run is gone through with. */
export function inertSetting(places?: ActorPlaces): Setting {
  return { inspect: undefined, now: () => 0, inert: true, delays: NEVER_DUE, ...(places && { places }) };
}

interface Inside {
  readonly logic: AnyStateMachine;
  readonly options?: { readonly input?: unknown };
  _send(event: AnyEventObject): void;
}

/** A machine under a run. */
export class MachineRuntime implements Runtime, Machines {
  readonly machines = this;
  readonly receives = null;
  readonly enterable = null;
  readonly isRunning = false;
  readonly settling: RuntimeEvent = { type: INIT };
  readonly #watch: MachineWatch;
  readonly #machine: AnyStateMachine;
  readonly #watcher: Watcher;
  readonly #setting: Setting;
  readonly #planned = new WeakMap<object, TimerPlan>();
  readonly #delayed = new DelayedEvents();
  readonly #places: ActorPlaces;

  constructor(machine: AnyStateMachine, watcher: Watcher, setting: Setting) {
    this.#machine = machine;
    this.#watcher = setting.inert === true ? watchingInert(watcher) : watcher;
    this.#setting = setting;
    this.#places = setting.places ?? new ActorPlaces();
    const timers = { planned: this.#planned, delayed: this.#delayed };
    this.#watch = new MachineWatch(machine, this.#watcher, timers, this.#places);
    if (setting.inert === true) dropActions(this.#watch.machine);
  }

  inert(watcher: Watcher): Runtime & Machines {
    return new MachineRuntime(this.#machine, watcher, inertSetting());
  }

  placeAt(path: string): Place | undefined {
    return this.#watch.layout.placeAt(path);
  }

  valueWithin(prefix: string, region: string, path: string): StateValue | undefined {
    return this.#watch.layout.valueWithin(prefix, region, path);
  }

  toolNamed(name: string): ((call: object) => Promise<unknown>) | undefined {
    return this.#watch.toolNamed(name);
  }

  make(from: { readonly input: unknown } | { readonly plan: ActorPlan }): Actor<AnyStateMachine> {
    const { inspect, now, delays = null } = this.#setting;
    const start = 'plan' in from ? { snapshot: { status: 'active', belay: from.plan } } : { input: from.input };
    const clock = new TimerClock(now, delays);
    const options = { ...start, clock, ...(inspect !== undefined && { inspect }) };
    const root = createActor(this.#watch.machine, options as never);
    const { status, error } = root.getSnapshot() as { status: string; error?: unknown };
    if (status === 'error') throw error;
    if (this.#setting.inert === true) keepWithin(root);
    watchTimers(root, { planned: this.#planned, delayed: this.#delayed, watcher: this.#watcher, clock });
    return root;
  }

  announce(ref: AnyActorRef): void {
    this.#watch.announce(ref);
  }

  begin(root: AnyActorRef, input: unknown): void {
    inside(root)._send({ type: BEGIN, input });
  }

  end(root: AnyActorRef, output: unknown): void {
    inside(root)._send({ type: END, output });
  }

  toolsAhead(ref: AnyActorRef): ReadonlySet<string> | null {
    const { _nodes: nodes, status } = ref.getSnapshot() as AnyMachineSnapshot;
    return status === 'active' ? toolsAhead(nodes) : new Set();
  }

  wake(root: AnyActorRef): void {
    inside(root)._send({ type: WAKE });
  }

  onceTold(root: AnyActorRef, run: () => void): void {
    const first = root.subscribe(() => {
      first.unsubscribe();
      run();
    });
  }

  stop(root: AnyActorRef): void {
    (root as unknown as Actor<AnyStateMachine>).stop();
  }

  restore(ref: AnyActorRef, plan: ActorPlan): void {
    ref.send({ type: RESTORE, plan });
  }

  send(ref: AnyActorRef, event: RuntimeEvent): void {
    ref.send(this.#places.settled(event));
  }

  deliver(ref: AnyActorRef, event: RuntimeEvent): void {
    inside(ref)._send(this.#places.settled(event));
  }

  raise(ref: AnyActorRef, event: RuntimeEvent): void {
    const raised = this.#places.settled(event);
    this.#watch.markInner(raised);
    inside(ref)._send(raised);
  }

  relay(source: AnyActorRef, ref: AnyActorRef, event: RuntimeEvent): void {
    systemOf(source)._relay(source, ref, this.#places.settled(event));
  }

  teller(ref: AnyActorRef, event: RuntimeEvent): AnyActorRef | null | undefined {
    if (endedChild(event.type) === null) return null;
    const { children } = ref.getSnapshot() as { children?: Record<string, AnyActorRef | undefined> };
    return children?.[String(event.actorId)];
  }

  isOver(ref: AnyActorRef): boolean {
    return (ref.getSnapshot() as { status?: unknown } | undefined)?.status === 'done';
  }

  seen(context: unknown): unknown {
    return context;
  }

  outputOf(ref: AnyActorRef): unknown {
    return (ref.getSnapshot() as { output?: unknown }).output;
  }

  inputOf(ref: AnyActorRef): unknown {
    return toolOf(nameOf(ref), inside(ref).logic, inside(ref).options?.input).input;
  }

  inputFor(
    ref: AnyActorRef,
    child: { readonly id: string; readonly at: string | null; readonly input?: unknown },
    context: unknown,
    event: RuntimeEvent,
  ): unknown {
    if (child.at === null) return child.input;
    const { logic } = inside(ref);
    const invoke = nodeAt(logic, child.at)?.invoke.find(({ id }) => id === child.id);
    const given = invoke?.input as unknown;
    const whole =
      typeof given === 'function' ? (given as (of: object) => unknown)({ context, event, self: ref }) : given;
    const src = typeof invoke?.src === 'string' ? invoke.src : '';
    return toolOf(src, logic.implementations.actors[src] as AnyActorLogic | undefined, whole).input;
  }

  stateOfTimer(ref: AnyActorRef, type: string): string | null {
    return stateOfTimer(inside(ref).logic, type);
  }

  takers(root: AnyActorRef, event: RuntimeEvent): readonly string[] {
    const snapshot = root.getSnapshot() as AnyMachineSnapshot;
    if (snapshot.status !== 'active') return [];
    const transitions = snapshot.machine.getTransitionData(
      snapshot as never,
      event as never,
    ) as readonly AnyTransitionDefinition[];
    return [...new Set(transitions.map(({ source }) => this.#watch.layout.of(source as AnyStateNode).region))];
  }

  completions(ref: AnyActorRef, value: StateValue, context: unknown): readonly Completion[] {
    return this.#watch.layout.completions(standing(ref, value, context));
  }

  arrival(ref: AnyActorRef, value: StateValue, context: unknown, region: string): Arrival {
    return this.#watch.layout.arrival(inside(ref).logic, standing(ref, value, context), region);
  }
}

/** A snapshot of an actor that stands in a value, with nothing running. */
function standing(ref: AnyActorRef, value: StateValue, context: unknown): AnyMachineSnapshot {
  return inside(ref).logic.resolveState({ value, context } as never) as AnyMachineSnapshot;
}

/** The name of an actor's logic. */
function nameOf({ src }: AnyActorRef): string {
  return typeof src === 'string' ? src : '';
}

/** An actor as this room uses it beyond xstate's public API. */
function inside(ref: AnyActorRef): Inside {
  return ref as unknown as Inside;
}
