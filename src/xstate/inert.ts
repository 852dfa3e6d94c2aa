/**
 * Makes a machine that is watched inert: it takes its transitions and computes its context, and nothing leaves it. Actions of its own,
 * logs and emitted events are dropped; actors that are no watched machine are never started.
 */
import type { AnyActorLogic, AnyActorRef, AnyStateMachine } from 'xstate';
import type { Child } from '../runtime/microstep.ts';
import type { Watcher } from '../runtime/runtime.ts';
import type { Delays } from './delays.ts';
import { kindOf } from './shape.ts';
import { systemOf } from './system.ts';

/** The actions of xstate's own that move the machines themselves; every other action is the program's. */
const OWN: ReadonlySet<string> = new Set([
  'xstate.raise',
  'xstate.sendTo',
  'xstate.spawnChild',
  'xstate.stopChild',
  'xstate.cancel',
]);

type Scope = Parameters<AnyStateMachine['transition']>[2];

/**
 * Drops the actions of a watched machine and of the machines that it invokes by name. Guards and assigns still run:
 * they decide the next state.
 */
export function dropActions(machine: AnyStateMachine, seen: Set<AnyStateMachine> = new Set()): void {
  if (seen.has(machine)) return;
  seen.add(machine);
  const { transition, getInitialSnapshot } = machine;
  machine.transition = (snapshot, event, scope) => transition(snapshot, event, quiet(scope));
  machine.getInitialSnapshot = (scope, input) => getInitialSnapshot(quiet(scope), input);
  for (const logic of Object.values(machine.implementations.actors)) {
    if (typeof logic === 'object' && logic !== null && 'root' in logic) dropActions(logic as AnyStateMachine, seen);
  }
}

function quiet(scope: Scope): Scope {
  return {
    ...scope,
    actionExecutor: (action) => {
      if (OWN.has(action.type)) scope.actionExecutor(action);
    },
  };
}

/** The delays of an inert machine: none of them rings. */
export const NEVER_DUE: Delays = { armed: () => {}, due: () => null, gone: () => {} };

/** A watcher of an inert machine: what its machine starts or takes over, and is no watched machine, never starts. */
export function watchingInert(watcher: Watcher): Watcher {
  const steps: Watcher['steps'] = (ref, seen) => {
    for (const { started } of seen) for (const child of started) keepUnstarted(child);
    watcher.steps(ref, seen);
  };
  const adopted: Watcher['adopted'] = (ref, number) => {
    const { logic, src, _parent } = ref as AnyActorRef & { readonly logic: AnyActorLogic; readonly _parent?: unknown };
    const kind = kindOf(logic) === 'machine' ? 'machine' : 'other';
    if (_parent !== undefined) keepUnstarted({ ref, kind, src: typeof src === 'string' ? src : null });
    watcher.adopted(ref, number);
  };
  const own = new Map<string | symbol, unknown>(Object.entries({ steps, adopted }));
  return new Proxy(watcher, {
    get(of, name) {
      const value: unknown = own.get(name) ?? Reflect.get(of, name, of);
      return typeof value === 'function' ? value.bind(of) : value;
    },
  });
}

/** Keeps the actors of a system from sending anything to an actor of another one. */
export function keepWithin(root: AnyActorRef): void {
  const system = systemOf(root);
  const relay = system._relay.bind(system);
  system._relay = (source, target, event) => {
    if (systemOf(target) === system) relay(source, target, event);
  };
}

/** Keeps an actor from ever starting, unless it is a machine that is watched. Called before it would start. */
function keepUnstarted({ ref, kind, src }: Pick<Child, 'ref' | 'kind' | 'src'>): void {
  if (kind === 'machine' && src !== null) return;
  (ref as { start(): unknown }).start = () => ref;
}
