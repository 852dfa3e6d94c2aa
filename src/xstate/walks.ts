/** The ways through the states of a machine by value: found in its structure, with the answers of a run in place of its actors. */
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { getAdjacencyMap, getShortestPaths, type StatePath } from 'xstate/graph';
import { isDelay } from '../model/reply-event.ts';
import type { StateValue } from '../model/step-entry.ts';

/** An event of a path through the machine, and the state in which it is sent. */
export interface WalkStep {
  readonly send: AnyEventObject;
  readonly at: StateValue;
}

/** The events that a machine receives on its ways. */
export interface Heard {
  readonly input: unknown;
  /** The events that tell of the ends of its actors, with the outputs that they had in a run. */
  readonly answers: readonly AnyEventObject[];
  /** The events that may be sent from outside, wherever the machine takes them. */
  readonly events: readonly AnyEventObject[];
}

type Path = StatePath<AnyMachineSnapshot, AnyEventObject>;

/** The most transitions of a machine that are looked at. */
const MOST_TRANSITIONS = 5_000;

/**
 * The ways that take each event from outside in each state, and go on to each end by the shortest way: the events from outside, in order.
 * @throws what the guards and assignments of the machine throw.
 */
export function walksOf(machine: AnyStateMachine, { input, answers, events }: Heard): readonly (readonly WalkStep[])[] {
  const outside = new Set(events);
  const options = {
    events: (state: AnyMachineSnapshot) => [...answers, ...delaysOf(state), ...events],
    serializeState: ({ value, status }: AnyMachineSnapshot) => `${status} ${JSON.stringify(value)}`,
    limit: MOST_TRANSITIONS,
  };
  const shortest = (from: object): readonly Path[] =>
    getShortestPaths(machine, { ...options, ...from } as never) as unknown as readonly Path[];
  const given = { input };
  const ways = new Map(shortest(given).map((path) => [options.serializeState(path.state), path]));
  const found: WalkStep[][] = [];
  for (const [name, { state, transitions }] of Object.entries(
    getAdjacencyMap(machine, { ...options, ...given } as never),
  )) {
    const way = ways.get(name);
    for (const { event, state: next } of Object.values(transitions) as {
      event: AnyEventObject;
      state: AnyMachineSnapshot;
    }[]) {
      if (way === undefined || !outside.has(event) || !state.can(event)) continue;
      const ends = shortest({ fromState: next }).filter((path) => path.state.status === 'done');
      const before = sentOn(way, outside);
      const sent = { send: event, at: (way.state as AnyMachineSnapshot).value };
      for (const end of ends) found.push([...before, sent, ...sentOn(end, outside)]);
    }
  }
  const unsent = [...ways.values()].filter((way) => way.state.status === 'done').map((way) => sentOn(way, outside));
  const all = new Map([...unsent, ...found].map((walk) => [JSON.stringify(walk), walk]));
  return [...all.values()];
}

/** The events from outside on a path, each with the state before it. */
function sentOn({ steps }: Path, outside: ReadonlySet<AnyEventObject>): WalkStep[] {
  return steps.flatMap(({ event }, index) => {
    const before = steps[index - 1]?.state.value;
    return outside.has(event) && before !== undefined ? [{ send: event, at: before }] : [];
  });
}

function delaysOf({ _nodes: nodes }: AnyMachineSnapshot): readonly AnyEventObject[] {
  return nodes.flatMap(({ ownEvents }) => ownEvents.filter(isDelay).map((type) => ({ type })));
}
