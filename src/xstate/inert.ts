/**
 * Makes a machine that is watched inert: it takes its transitions and computes its context, and nothing leaves it. Actions of its own,
 * logs and emitted events are dropped; actors that are no watched machine are never started.
 */
import type { AnyStateMachine } from 'xstate';
import type { Child } from '../runtime/microstep.ts';

/** The actions of xstate's own that move the machines themselves; every other action is the program's. */
const OWN: ReadonlySet<string> = new Set([
  'xstate.raise',
  'xstate.sendTo',
  'xstate.spawnChild',
  'xstate.stopChild',
  'xstate.cancel',
]);

type Scope = Parameters<AnyStateMachine['transition']>[2];

/** Drops the actions of a watched machine and of those that it invokes by name. Guards and assigns still run: they decide where it goes. */
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

/** Keeps an actor from ever starting, unless it is a machine that is watched. Called before it would start. */
export function keepUnstarted({ ref, kind, src }: Pick<Child, 'ref' | 'kind' | 'src'>): void {
  if (kind === 'machine' && src !== null) return;
  (ref as { start(): unknown }).start = () => ref;
}
