/**
 * Watches a running machine and the machines that it invokes, without changing their behaviour. Each microstep is
 * handed on, an error is caught where it happens, named promises are called through a guard, and a private event
 * rewinds the machine in place (semantics.md §11). The caller's machine is not touched; a provided copy of it runs.
 */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  fromPromise,
} from 'xstate';
import { errorEvent } from '../../model/reply-event.ts';
import type { ToolVersion } from '../../model/tool-version.ts';
import type { Microstep, Place } from '../../runtime/microstep.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import type { Watcher } from '../../runtime/runtime.ts';
import type { Act } from '../../runtime/tool-call.ts';
import { BEGIN, END, RESTORE, STOP, tellsError, WAKE } from '../events.ts';
import { machineOf } from '../reducer.ts';
import type { ActorPlaces } from '../references.ts';
import { type Adopt, type Around, build, rewind } from '../restore.ts';
import { kindOf } from '../shape.ts';
import type { TimerWatch } from '../timers.ts';
import { versionOf } from '../tool.ts';
import { changedTools, toolsIn } from '../toolbox.ts';
import { Announcements, type Scope } from './announcements.ts';
import { begun } from './begin.ts';
import { Layout } from './layout.ts';
import { MicrostepReader, taken } from './microsteps.ts';

/** The function of an actor that is a promise. */
type Creator = Parameters<typeof fromPromise<unknown, unknown>>[0];

/** A machine that is watched. */
export class MachineWatch {
  readonly machine: AnyStateMachine;
  readonly layout = new Layout();
  readonly #watcher: Watcher;
  readonly #timers: Pick<TimerWatch, 'planned' | 'delayed'>;
  readonly #announcements = new Announcements();
  readonly #reader: MicrostepReader;
  readonly #begun = new WeakMap<object, Microstep[]>();
  readonly #copies = new Map<AnyStateMachine, AnyStateMachine>();
  readonly #tools = new Map<string, (call: object) => Promise<unknown>>();
  readonly #adopt: Adopt;
  readonly #places: ActorPlaces;

  constructor(
    machine: AnyStateMachine,
    watcher: Watcher,
    timers: Pick<TimerWatch, 'planned' | 'delayed'>,
    places: ActorPlaces,
  ) {
    this.#watcher = watcher;
    this.#timers = timers;
    this.#places = places;
    this.#reader = new MicrostepReader(this.layout, this.#announcements, timers.delayed);
    this.#adopt = (ref, number) => watcher.adopted(ref, number);
    this.machine = this.#copy(machine, '');
  }

  /** Tells the first steps of an actor that was made without being restored, once. */
  announce(ref: AnyActorRef): void {
    const seen = this.#begun.get(ref);
    if (seen === undefined) return;
    this.#begun.delete(ref);
    this.#watcher.steps(ref, seen);
  }

  /** The function of a tool, for a call that is made when no actor waits for it any more. */
  toolNamed(name: string): ((call: object) => Promise<unknown>) | undefined {
    return this.#tools.get(name);
  }

  /** Notes that an event comes from inside the machine, though the run hands it in. */
  markInner(event: object): void {
    this.#announcements.markInner(event);
  }

  #copy(machine: AnyStateMachine, prefix: string): AnyStateMachine {
    const known = this.#copies.get(machine);
    if (known !== undefined) return known;
    const copy = machine.provide({}) as AnyStateMachine;
    this.#copies.set(machine, copy);
    this.layout.add(copy, prefix);
    const { actors } = copy.implementations;
    for (const [name, logic] of Object.entries(actors))
      actors[name] = this.#guard(name, logic as AnyActorLogic, prefix);
    this.#instrument(copy);
    return copy;
  }

  #guard(name: string, logic: AnyActorLogic, prefix: string): AnyActorLogic {
    const kind = kindOf(logic);
    if (kind === 'machine') return this.#copy(logic as AnyStateMachine, `${prefix}${name}/`);
    if (kind === 'transition') return this.#copy(machineOf(name, logic), `${prefix}${name}/`);
    if (kind !== 'promise') return logic;
    const tools = toolsIn(logic);
    if (tools !== null)
      return changedTools(tools, (tool, act) => this.#guarded(`${name}/${tool}`, act as never) as unknown as Act);
    const { config: act } = logic as unknown as { config: (call: object) => Promise<unknown> };
    return fromPromise(this.#guarded(name, act, versionOf(logic)));
  }

  /** The function of a tool, called through the guard. */
  #guarded(name: string, act: (call: object) => Promise<unknown>, version?: ToolVersion): Creator {
    this.#tools.set(name, act);
    return ({ input, system, self, signal, emit }) =>
      this.#watcher.call({
        ref: self,
        tool: name,
        input,
        signal,
        ...(version !== undefined && { version }),
        // A call that is made again is handed what was journaled, with the actors that are there now.
        act: async (key, own, counts, sandbox) => {
          const given = { input: this.#places.settled(counts), system, self, signal: own, emit, key };
          return act(sandbox === undefined ? given : { ...given, sandbox });
        },
        handles: (error) => handles(self, error),
      });
  }

  #instrument(machine: AnyStateMachine): void {
    const { transition, getInitialSnapshot, restoreSnapshot } = machine;
    machine.getInitialSnapshot = (scope, input) => {
      if (isRoot(scope.self)) this.#places.rootIs(scope.self);
      const { snapshot, micros } = begun(machine, scope, input, getInitialSnapshot, this.#announcements);
      if (isRoot(scope.self)) scope.defer(() => this.#watcher.started());
      if (snapshot.status === 'error' && isRoot(scope.self)) {
        this.#watcher.failedToBegin(snapshot.error);
        return { ...snapshot, status: 'active', error: undefined } as unknown as AnyMachineSnapshot;
      }
      if (snapshot.status === 'error') return snapshot;
      this.#begun.set(scope.self, this.#reader.steps(null, micros));
      return this.#ending(scope.self, snapshot);
    };
    machine.restoreSnapshot = (snapshot, scope) => {
      this.#announcements.listen(scope);
      if (isRoot(scope.self)) this.#places.rootIs(scope.self);
      const plan = (snapshot as { belay?: ActorPlan }).belay;
      return plan === undefined
        ? restoreSnapshot(snapshot, scope)
        : this.#ending(scope.self, build(this.#around(machine, scope), plan));
    };
    machine.transition = (snapshot, event, scope) =>
      this.#private(machine, snapshot, event, scope) ?? this.#step(transition, snapshot, event, scope);
  }

  #around(machine: AnyStateMachine, scope: Scope): Around {
    const [timers, places] = [this.#timers.planned, this.#places];
    return { machine, scope, adopt: this.#adopt, timers, watcher: this.#watcher, places };
  }

  /** A snapshot of the root that has come to its end stays active while something is to be decided about that. */
  #ending(self: AnyActorRef, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
    if (snapshot.status !== 'done' || !isRoot(self) || !this.#watcher.holdsEnd(snapshot.output)) return snapshot;
    return { ...snapshot, status: 'active', output: undefined, children: {} } as unknown as AnyMachineSnapshot;
  }

  /** The snapshot that a private event leads to; null for an event of the machine's. */
  #private(
    machine: AnyStateMachine,
    snapshot: AnyMachineSnapshot,
    event: AnyEventObject,
    scope: Scope,
  ): AnyMachineSnapshot | null {
    const { self } = scope;
    switch (event.type) {
      case RESTORE:
        return this.#ending(self, rewind(this.#around(machine, scope), snapshot, event.plan as ActorPlan));
      case END:
        return { ...snapshot, status: 'done', output: event.output } as unknown as AnyMachineSnapshot;
      case BEGIN: {
        const first = machine.getInitialSnapshot(scope, event.input as never) as AnyMachineSnapshot;
        scope.defer(() => {
          for (const child of Object.values(first.children) as (AnyActorRef | undefined)[])
            if (child?.getSnapshot().status === 'active') child.start();
        });
        this.announce(self);
        return first;
      }
      case WAKE:
        this.#watcher.woken();
        return snapshot;
      default:
        return null;
    }
  }

  #step(
    transition: AnyStateMachine['transition'],
    snapshot: AnyMachineSnapshot,
    event: AnyEventObject,
    scope: Scope,
  ): AnyMachineSnapshot {
    const { self } = scope;
    if (event.type === STOP && isRoot(self)) this.#watcher.stopping();
    if (event.type === STOP) return transition(snapshot, event, scope) as AnyMachineSnapshot;
    const from = {
      sender: () => this.#senderOf(event),
      source: () => this.#announcements.sourceOf(event),
      isOutside: () => this.#announcements.isOutside(event),
    };
    if (this.#watcher.stops(self, event, from)) return snapshot;
    if (tellsError(event.type) && !snapshot.can(event)) {
      this.#crashed(self, event, event.error, this.layout.placesOf(snapshot));
      return snapshot;
    }
    // Deferred work of a transition runs only if the transition went well: a failed one must not start its spawned
    // actors.
    const deferred: Parameters<Scope['defer']>[0][] = [];
    try {
      const local = { ...scope, defer: (fn: (typeof deferred)[number]) => void deferred.push(fn) };
      const run = () => transition(snapshot, event, local) as AnyMachineSnapshot;
      const [next, micros] = this.#announcements.collect(scope, run);
      const steps = taken(micros, snapshot);
      if (steps.length > 0) this.#watcher.steps(self, this.#reader.steps(snapshot, steps));
      else this.#unheard(event);
      const ended = this.#ending(self, next);
      for (const fn of deferred) scope.defer(fn);
      return ended;
    } catch (error) {
      this.#crashed(self, event, error, this.layout.hearing(snapshot, event.type));
      return snapshot;
    }
  }

  /** The machine that sent an event; null if no machine did, and for a delayed event, which is journaled as such. */
  #senderOf(event: AnyEventObject): AnyActorRef | null {
    return this.#timers.delayed.of(event) === undefined ? this.#announcements.senderOf(event) : null;
  }

  /** A delayed event that fired and that no state heard does not come again, as little as without Belay. */
  #unheard(event: AnyEventObject): void {
    const fired = this.#timers.delayed.of(event);
    if (fired !== undefined) this.#watcher.disarmed(fired.source, fired.id);
  }

  #crashed(self: AnyActorRef, event: AnyEventObject, error: unknown, places: readonly Place[]) {
    const outside = this.#announcements.isFromOutside(event) ? ('outside' as const) : undefined;
    const from = this.#senderOf(event) === null ? outside : ('machine' as const);
    void this.#watcher.crashed(self, { event, error, places, ofChild: tellsError(event.type), ...(from && { from }) });
  }
}

/** True where the machine that has invoked an actor takes an error of it. */
function handles(child: AnyActorRef, error: unknown): boolean {
  const parent = (child as unknown as { _parent?: AnyActorRef })._parent;
  const snapshot = parent?.getSnapshot() as AnyMachineSnapshot | undefined;
  try {
    return snapshot?.can({ type: errorEvent(child.id), error, actorId: child.id }) ?? false;
  } catch {
    return false;
  }
}

function isRoot(self: unknown): boolean {
  return (self as { _parent?: unknown })._parent === undefined;
}
