/**
 * Puts a machine where a plan says, in place or in a fresh process (semantics.md §10, §11). Kept actors keep their
 * references and go on running; undone actors are stopped; restored actors are made anew. Entry actions do not run
 * again.
 */
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import { doneEvent } from '../model/reply-event.ts';
import type { ActorPlan, TimerPlan } from '../runtime/restore-plan.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { makeChild } from './children.ts';
import { stateDone } from './events.ts';
import type { ActorPlaces } from './references.ts';
import { activeNodes, pathOf } from './structure.ts';
import { systemOf } from './system.ts';
import type { Scope } from './watch/announcements.ts';

/** Told of an actor that was made in the place of the one that the journal numbers so. */
export type Adopt = (ref: AnyActorRef, number: number) => void;

/** The plans of the timers that were armed by one: the scheduler is told only how long is left. */
type PlannedTimers = WeakMap<object, TimerPlan>;

/** The surroundings of a restore. */
export interface Around {
  readonly machine: AnyStateMachine;
  readonly scope: Scope;
  readonly adopt: Adopt;
  readonly timers: PlannedTimers;
  readonly watcher: Pick<Watcher, 'actorAt' | 'disarmed'>;
  readonly places: ActorPlaces;
}

type Children = Readonly<Record<string, AnyActorRef>>;

/** Rewinds a running machine: the snapshot that its transition returns. */
export function rewind(around: Around, now: AnyMachineSnapshot, plan: ActorPlan): AnyMachineSnapshot {
  const { scope } = around;
  const keep = new Set(plan.keep);
  const children = now.children as Record<string, AnyActorRef | undefined>;
  for (const [id, ref] of Object.entries(children)) {
    if (ref === undefined || keep.has(id)) continue;
    unregister(ref, scope);
    scope.stopChild(ref);
  }
  const { scheduler } = systemOf(scope);
  for (const id of plan.cancel) scheduler.cancel(scope.self, id);
  const kept = Object.fromEntries(plan.keep.flatMap((id) => (children[id] === undefined ? [] : [[id, children[id]]])));
  const next = build(around, plan, kept as Children);
  for (const { id } of plan.make) {
    const ref = next.children[id] as AnyActorRef | undefined;
    if (ref?.getSnapshot().status === 'active') scope.defer(() => ref.start());
  }
  for (const [id, ref] of Object.entries(kept)) {
    const { status, output } = ref.getSnapshot() as { status: string; output?: unknown };
    // The event that the child had sent was lost with the step that failed on it, or is undone.
    if (status !== 'done') continue;
    const event = { type: doneEvent(id), output, actorId: id };
    scope.defer(() => systemOf(scope)._relay(ref, scope.self, event));
  }
  return next;
}

/** Makes the snapshot that a plan describes, with its children made but not started. */
export function build(around: Around, plan: ActorPlan, kept: Children = {}): AnyMachineSnapshot {
  return around.places.building(around.scope.self, () => built(around, plan, kept));
}

function built(around: Around, plan: ActorPlan, kept: Children): AnyMachineSnapshot {
  const { machine, scope, adopt, places } = around;
  const next = standing(machine, plan, scope);
  const children: Record<string, AnyActorRef> = { ...kept };
  for (const ref of Object.values(kept)) places.takeIn(ref);
  for (const child of plan.make) {
    const ref = makeChild({ machine, next, scope, places }, child, plan.context);
    if (ref === undefined) continue;
    children[child.id] = ref;
    adopt(ref, child.number);
    // An actor that is done tells its parent, which does not know it yet; xstate starts only actors that go on.
    if (ref.getSnapshot().status === 'done') scope.defer(() => ref.start());
  }
  next.children = children;
  next.context = places.contextOf(plan, (context) => {
    next.context = context;
  });
  const final = completion(next, machine.root);
  if (final !== null)
    Object.assign(next, {
      status: 'done',
      output: outputOf(machine, final, next.context, places.settled(plan.last), scope),
    });
  const owed = final === null ? owedTimers(machine, next, plan) : [];
  for (const timer of [...plan.timers, ...owed]) scope.defer(() => arm(around, plan, timer));
  return next;
}

/** A snapshot with the control of a plan, and nothing else of it. */
function standing(machine: AnyStateMachine, { value, remembered }: ActorPlan, scope: Scope): AnyMachineSnapshot {
  const historyValue = Object.fromEntries(
    Object.entries(remembered).map(([id, ids]) => [id, ids.map((node) => ({ id: node }))]),
  );
  const nothing = { context: {}, children: {}, output: undefined, error: undefined };
  const { restoreSnapshot } = Object.getPrototypeOf(machine) as AnyStateMachine;
  const bare = { status: 'active', value, historyValue, ...nothing };
  return restoreSnapshot.call(machine, bare as never, scope) as AnyMachineSnapshot;
}

function arm({ scope, timers, watcher, places }: Around, plan: ActorPlan, timer: TimerPlan): void {
  const target = timer.to === null ? scope.self : watcher.actorAt(timer.to);
  // As without Belay, what is sent to an actor that is not there is lost.
  if (target === undefined) {
    watcher.disarmed(scope.self, timer.id);
    return;
  }
  // One event may be armed again: each time it is another object, so that nothing else takes it for planned.
  const event = { ...places.settled(timer.event) } as AnyEventObject;
  timers.set(event, timer);
  const left = Math.max(0, timer.due - plan.now());
  systemOf(scope).scheduler.schedule(scope.self, target, event, left, timer.id);
}

/** The delayed events of active states that were never armed, each with its whole delay. */
function owedTimers(machine: AnyStateMachine, next: AnyMachineSnapshot, plan: ActorPlan): TimerPlan[] {
  const known = new Set(plan.timers.map(({ id }) => id));
  return activeNodes(next).flatMap((node) =>
    node.after.flatMap(({ eventType, delay }) => {
      if (known.has(eventType) || plan.isArmed(eventType, pathOf(node))) return [];
      known.add(eventType);
      const whole = delayOf(machine, delay, plan);
      return [{ id: eventType, event: { type: eventType }, due: plan.now() + whole, delay: whole, to: null }];
    }),
  );
}

function delayOf(machine: AnyStateMachine, delay: unknown, { context, last }: ActorPlan): number {
  const given = typeof delay === 'string' ? (machine.implementations.delays[delay] ?? Number(delay)) : delay;
  const value = typeof given === 'function' ? given({ context: context, event: last }, undefined) : given;
  return typeof value === 'number' && value >= 0 ? value : 0;
}

/**
 * The state with which a machine is done: a final state at its top, or the root if all its regions are final; null
 * while the machine goes on.
 */
function completion(snapshot: AnyMachineSnapshot, root: AnyStateNode): AnyStateNode | null {
  const active = activeNodes(snapshot);
  const final = (node: AnyStateNode): AnyStateNode | null => {
    const children = Object.values(node.states);
    if (node.type === 'compound')
      return children.find((child) => child.type === 'final' && active.includes(child)) ?? null;
    if (node.type === 'parallel') return children.every((child) => final(child) !== null) ? node : null;
    return node.type === 'final' ? node : null;
  };
  return final(root);
}

/** The output of a machine that is done, computed as xstate computes it on the way there. */
function outputOf(
  machine: AnyStateMachine,
  final: AnyStateNode,
  context: unknown,
  event: ActorPlan['last'],
  { self }: Scope,
): unknown {
  const mapped = (mapper: unknown, by: object) =>
    typeof mapper === 'function' ? mapper({ context, event: by, self }) : mapper;
  const output = final.parent === undefined ? undefined : mapped(final.output, event);
  return mapped(machine.root.output, { type: stateDone(final.id), output });
}

interface Stoppable {
  getSnapshot(): { children?: Record<string, AnyActorRef> } | undefined;
}

function unregister(ref: AnyActorRef, scope: Scope): void {
  for (const child of Object.values((ref as Stoppable).getSnapshot()?.children ?? {})) {
    if (child !== undefined) unregister(child, scope);
  }
  systemOf(scope)._unregister(ref);
}
