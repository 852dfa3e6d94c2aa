/**
 * Puts a machine where a plan says, in place or in a fresh process (semantics.md §10, §11). What is kept keeps its references
 * and goes on running; what is undone is stopped; what is restored is made anew, its input taken from the restored memory and
 * never from a snapshot (R7). Entry actions do not run again.
 */
import {
  type AnyActorLogic,
  type AnyActorRef,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  createActor,
} from 'xstate';
import { isReference } from '../model/actor-reference.ts';
import type { HistoryValue, StateValue } from '../model/entry.ts';
import { activeNodes, nodeAt, pathOf } from './structure.ts';

/** The type of the private event that rewinds a machine. */
export const RESTORE = '@belay.restore';

/** The type of the private event with which a machine whose end had to wait is over. */
export const END = '@belay.end';

/** The type of the private event with which a machine begins whose first macrostep threw. */
export const BEGIN = '@belay.begin';

/** The event that tells when an actor takes events. */
export const WAKE = '@belay.wake';

/** A delayed event, when it is due on the clock of the run, and its whole delay, in milliseconds. */
export interface TimerPlan {
  readonly id: string;
  readonly event: AnyEventObject;
  readonly due: number;
  readonly delay: number;
}

/** The plans of the timers that were armed by one: the scheduler is told only how long is left. */
const planned = new WeakMap<AnyEventObject, TimerPlan>();

/** The plan by which a delayed event was armed; undefined for one that the machine armed itself. */
export function planOfTimer(event: AnyEventObject): TimerPlan | undefined {
  return planned.get(event);
}

/** An actor to be made anew. */
export interface ChildPlan {
  /** Its number in the journal. */
  readonly number: number;
  readonly id: string;
  /** The name of its logic; null where it is inline and invoked. */
  readonly src: string | null;
  /** The path of the state that invokes it; null for a spawned one. */
  readonly at: string | null;
  /** The event of the step that started it, for the function that computes its input. */
  readonly event: AnyEventObject;
  /** The input of a spawned one. */
  readonly input: unknown;
  /** Where a machine stands; null for one that starts afresh, and for what is no machine. */
  readonly plan: ActorPlan | null;
  readonly kind: 'promise' | 'machine' | 'other';
}

/** Where a machine is to stand. */
export interface ActorPlan {
  readonly value: StateValue;
  readonly remembered: HistoryValue;
  readonly context: unknown;
  /** The event of its last step, for the functions that compute the output of a machine that is done. */
  readonly last: AnyEventObject;
  /** The ids of the children that stay as they are. */
  readonly keep: readonly string[];
  readonly make: readonly ChildPlan[];
  /** The ids of the timers to take back before `timers` are armed. */
  readonly cancel: readonly string[];
  readonly timers: readonly TimerPlan[];
  /**
   * Whether a delayed event of a state was armed since control came there: what was not, is armed with the state (a crash, a
   * claim).
   */
  isArmed(id: string, state: string): boolean;
  /** The clock of the run, in milliseconds. */
  now(): number;
}

type Scope = Parameters<AnyStateMachine['transition']>[2];
type Adopt = (ref: AnyActorRef, number: number) => void;
interface Stoppable {
  getSnapshot(): { children?: Record<string, AnyActorRef> } | undefined;
}

/** Rewinds a running machine: the snapshot that its transition returns. */
export function rewind(
  machine: AnyStateMachine,
  now: AnyMachineSnapshot,
  plan: ActorPlan,
  scope: Scope,
  adopt: Adopt,
): AnyMachineSnapshot {
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
  const { restoreSnapshot } = Object.getPrototypeOf(machine) as AnyStateMachine;
  const next = build(machine, plan, scope, restoreSnapshot.bind(machine), adopt, kept as Record<string, AnyActorRef>);
  for (const { id } of plan.make) {
    const ref = next.children[id] as AnyActorRef | undefined;
    if (ref?.getSnapshot().status === 'active') scope.defer(() => ref.start());
  }
  for (const [id, ref] of Object.entries(kept)) {
    const { status, output } = ref.getSnapshot() as { status: string; output?: unknown };
    // What it had told was lost with the step that failed over it, or is undone.
    if (status === 'done') scope.defer(() => systemOf(scope)._relay(ref, scope.self, doneEvent(id, output)));
  }
  return next;
}

function doneEvent(id: string, output: unknown): AnyEventObject {
  return { type: `xstate.done.actor.${id}`, output, actorId: id };
}

/** Makes the snapshot that a plan describes, with its children made but not started. */
export function build(
  machine: AnyStateMachine,
  plan: ActorPlan,
  scope: Scope,
  restoreSnapshot: AnyStateMachine['restoreSnapshot'],
  adopt: Adopt,
  kept: Readonly<Record<string, AnyActorRef>> = {},
): AnyMachineSnapshot {
  const { value, remembered, timers } = plan;
  const historyValue = Object.fromEntries(
    Object.entries(remembered).map(([id, ids]) => [id, ids.map((node) => ({ id: node }))]),
  );
  const bare = {
    status: 'active',
    value,
    historyValue,
    context: {},
    children: {},
    output: undefined,
    error: undefined,
  };
  const next = restoreSnapshot(bare as never, scope) as AnyMachineSnapshot;
  const children: Record<string, AnyActorRef> = { ...kept };
  for (const child of plan.make) {
    const ref = makeChild(machine, next, child, plan.context, scope);
    if (ref === undefined) continue;
    children[child.id] = ref;
    adopt(ref, child.number);
    // One that is done tells its parent, who has not heard of it yet; xstate starts only those that go on.
    if (ref.getSnapshot().status === 'done') scope.defer(() => ref.start());
  }
  next.children = children;
  next.context = withReferences(plan.context, children);
  const final = completion(next, machine.root);
  if (final !== null)
    Object.assign(next, { status: 'done', output: outputOf(machine, final, next.context, plan.last, scope) });
  const { scheduler } = systemOf(scope);
  const owed = final === null ? owedTimers(machine, next, plan) : [];
  for (const timer of [...timers, ...owed]) {
    scope.defer(() => {
      // One event may be armed again: each time it is another object, so that nothing else takes it for planned.
      const event = { ...timer.event };
      planned.set(event, timer);
      scheduler.schedule(scope.self, scope.self, event, Math.max(0, timer.due - plan.now()), timer.id);
    });
  }
  return next;
}

/** The delayed events of active states that were never armed, each with its whole delay. */
function owedTimers(machine: AnyStateMachine, next: AnyMachineSnapshot, plan: ActorPlan): TimerPlan[] {
  const known = new Set(plan.timers.map(({ id }) => id));
  return activeNodes(next).flatMap((node) =>
    node.after.flatMap(({ eventType, delay }) => {
      if (known.has(eventType) || plan.isArmed(eventType, pathOf(node))) return [];
      known.add(eventType);
      const whole = delayOf(machine, delay, plan);
      return [{ id: eventType, event: { type: eventType }, due: plan.now() + whole, delay: whole }];
    }),
  );
}

function delayOf(machine: AnyStateMachine, delay: unknown, { context, last }: ActorPlan): number {
  const given = typeof delay === 'string' ? (machine.implementations.delays[delay] ?? Number(delay)) : delay;
  const value = typeof given === 'function' ? given({ context: context, event: last }, undefined) : given;
  return typeof value === 'number' && value >= 0 ? value : 0;
}

/** The state with which a machine is done: a final one at its top, or the root where all its regions are; null while it goes on. */
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
  event: AnyEventObject,
  { self }: Scope,
): unknown {
  const mapped = (mapper: unknown, by: AnyEventObject) =>
    typeof mapper === 'function' ? mapper({ context, event: by, self }) : mapper;
  const output = final.parent === undefined ? undefined : mapped(final.output, event);
  return mapped(machine.root.output, { type: `xstate.done.state.${final.id}`, output });
}

function makeChild(
  machine: AnyStateMachine,
  next: AnyMachineSnapshot,
  child: ChildPlan,
  context: unknown,
  scope: Scope,
): AnyActorRef | undefined {
  const node = child.at === null ? undefined : nodeAt(machine, child.at);
  const invoke = node?.invoke.find((definition) => definition.id === child.id);
  if (child.at !== null && (node === undefined || invoke === undefined || !activeNodes(next).includes(node)))
    return undefined;
  const logic =
    child.src === null
      ? inlineLogic(node, child.id)
      : (machine.implementations.actors[child.src] as AnyActorLogic | undefined);
  if (logic === undefined) return undefined;
  const given = invoke === undefined ? child.input : invoke.input;
  const input =
    typeof given === 'function' ? given({ context: context, event: child.event, self: scope.self } as never) : given;
  const options = {
    id: child.id,
    parent: scope.self,
    src: child.src ?? invoke?.src,
    systemId: invoke?.systemId,
    syncSnapshot: invoke?.onSnapshot !== undefined,
    input,
    ...(child.plan !== null && { snapshot: { status: 'active', belay: child.plan } }),
  };
  return createActor(logic, options as never) as unknown as AnyActorRef;
}

/** The logic that a state invokes without a name. */
function inlineLogic(node: ReturnType<typeof nodeAt>, id: string): AnyActorLogic | undefined {
  const index = node?.invoke.findIndex((definition) => definition.id === id) ?? -1;
  const configured = node?.config.invoke;
  const one = Array.isArray(configured) ? configured[index] : configured;
  return typeof one?.src === 'object' ? (one.src as AnyActorLogic) : undefined;
}

/** A memory in which references to actors point to those that are there now. Copies only what holds one. */
function withReferences(context: unknown, children: Readonly<Record<string, AnyActorRef>>): unknown {
  if (typeof context !== 'object' || context === null) return context;
  if (isReference(context)) return children[context.id] ?? context;
  if (!Array.isArray(context) && Object.getPrototypeOf(context) !== Object.prototype) return context;
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(context)) {
    const revived = withReferences(value, children);
    if (revived === value) continue;
    copy ??= (Array.isArray(context) ? [...context] : { ...context }) as Record<string, unknown>;
    copy[name] = revived;
  }
  return copy ?? context;
}

function unregister(ref: AnyActorRef, scope: Scope): void {
  for (const child of Object.values((ref as Stoppable).getSnapshot()?.children ?? {})) {
    if (child !== undefined) unregister(child, scope);
  }
  systemOf(scope)._unregister(ref);
}

interface System {
  readonly scheduler: {
    schedule(source: unknown, target: unknown, event: AnyEventObject, delay: number, id?: string): void;
    cancel(source: unknown, id: string): void;
  };
  _unregister(ref: AnyActorRef): void;
  _relay(source: AnyActorRef, target: AnyActorRef, event: AnyEventObject): void;
}

/** The actor system as §11 uses it: the scheduler is no public API, and a test pins it. */
export function systemOf(scope: { system: unknown }): System {
  return scope.system as System;
}
