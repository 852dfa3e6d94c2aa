/** The first macrostep of a machine, microstep by microstep. */
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine, AnyStateNode } from 'xstate';
import { INIT } from '../../model/reply-event.ts';
import type { Announcements, Micro, Scope } from './announcements.ts';
import { taken } from './microsteps.ts';

/** The first snapshot of a machine, and the microsteps that led to it. */
export interface Begun {
  readonly snapshot: AnyMachineSnapshot;
  readonly micros: readonly Micro[];
}

/**
 * Makes the first snapshot of an actor microstep by microstep; xstate announces only the microsteps after the first.
 * Eventless transitions wait until the first is announced; the events that its entry actions raise come after them, as
 * in xstate.
 */
export function begun(
  machine: AnyStateMachine,
  scope: Scope,
  input: unknown,
  getInitialSnapshot: AnyStateMachine['getInitialSnapshot'],
  announcements: Announcements,
): Begun {
  const event = { type: INIT, input };
  const raised: AnyEventObject[] = [];
  const resume = holdBack(machine, raised);
  let initial: AnyMachineSnapshot;
  try {
    [initial] = announcements.collect(scope, () => getInitialSnapshot(scope, input) as AnyMachineSnapshot);
  } finally {
    resume();
  }
  const micros: Micro[] = [{ event, snapshot: initial, transitions: [], sent: [] }];
  let snapshot = initial;
  for (const next of [{ type: INIT }, ...raised]) {
    if (snapshot.status !== 'active') break;
    try {
      const [after, more] = announcements.collect(scope, () => plainStep(machine, snapshot, next, scope));
      micros.push(...more.map((micro) => (micro.event.type === INIT ? { ...micro, event } : micro)));
      snapshot = after;
    } catch (error) {
      snapshot = { ...snapshot, status: 'error', error } as unknown as AnyMachineSnapshot;
    }
  }
  return { snapshot, micros: taken(micros, null) };
}

/** Has a machine take no transition, and its raised events gathered, until the function that is returned is called. */
function holdBack(machine: AnyStateMachine, raised: AnyEventObject[]): () => void {
  const nodes = [machine.root, ...initialNodes(machine.root)];
  const always = nodes.map((node) => node.always);
  const { getTransitionData } = machine;
  machine.getTransitionData = (_, waits) => {
    raised.push(waits as AnyEventObject);
    return [];
  };
  for (const node of nodes) node.always = undefined as never;
  return () => {
    machine.getTransitionData = getTransitionData;
    for (const [index, node] of nodes.entries()) node.always = always[index] as never;
  };
}

/** A macrostep of the machine as xstate makes it. */
function plainStep(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  event: AnyEventObject,
  scope: Scope,
): AnyMachineSnapshot {
  const { transition } = Object.getPrototypeOf(machine) as AnyStateMachine;
  return transition.call(machine, snapshot, event, scope) as AnyMachineSnapshot;
}

function initialNodes(node: AnyStateNode): AnyStateNode[] {
  const children =
    node.type === 'parallel'
      ? Object.values(node.states)
      : node.type === 'compound'
        ? [...(node.initial.target ?? [])]
        : [];
  return children.filter((child) => child.type !== 'history').flatMap((child) => [child, ...initialNodes(child)]);
}
