/** The steps of a program with lanes: how each changes control, and what it tells besides. */
import type { StateValue } from '../model/step-entry.ts';
import { advanced, type Lane, lanesOf, type Part, placeOf } from './lanes.ts';
import type { ActorHandle, Child, Place, RuntimeEvent } from './microstep.ts';
import type { ControlChange, PlainChange } from './plain-step.ts';

/** A move of control to another superstep, or to the end. */
export interface Superstep {
  readonly to: StateValue;
  readonly entered: readonly Place[];
  readonly done?: boolean;
}

/** The rest of a step. */
export interface LaneStep<TMemory> {
  readonly event: RuntimeEvent;
  readonly memory?: (before: TMemory) => TMemory;
  readonly started?: readonly Child[];
  readonly gone?: readonly ActorHandle[];
  /** The keys that the program was seen to read; left out where none of the user's code had a part in the step. */
  readonly reads?: readonly (readonly string[])[];
  readonly outside?: boolean;
}

const NONE: readonly never[] = [];

/** Control after a step of one lane. @param before the places in which control was. */
export function laneMove(value: StateValue, before: readonly Place[], lane: Lane, part: Part): ControlChange {
  const source = before.find(({ region }) => region === lane.name) ?? placeOf(lane, 'ready');
  const place = placeOf(lane, part);
  const isMoved = place.path !== source.path;
  const after = isMoved ? before.map((each) => (each === source ? place : each)) : before;
  const entered = isMoved ? [place] : NONE;
  return { value: advanced(value, lane, part), before, after, sources: [source], entered, moves: [lane.name] };
}

/** Control after a step to another superstep. A place that goes on is one and the same before and after. @param places those of the superstep. */
export function superstepMove(
  value: StateValue | null,
  before: readonly Place[],
  places: readonly Place[],
  { to, entered }: Superstep,
): ControlChange {
  const known = new Map(before.map((place) => [keyOf(place), place]));
  const after = places.map((place) => known.get(keyOf(place)) ?? place);
  const same = (place: Place) => after.find((other) => keyOf(other) === keyOf(place)) ?? place;
  const moves = new Set(['', ...[...lanesOf(value), ...lanesOf(to)].map(({ name }) => name)]);
  return { value: to, before, after, sources: before.slice(0, 1), entered: entered.map(same), moves: [...moves] };
}

/** What a step tells besides control. @param own the key of the context that is the runtime's own. */
export function laneChange<TMemory>(
  change: LaneStep<TMemory> & ({ readonly lane: Lane } | Superstep),
  output: unknown,
  own: string,
): PlainChange {
  const { event, reads = NONE, started = NONE, gone = NONE, outside = false } = change;
  const done = 'done' in change && change.done === true;
  return { event, done, output, bare: change.reads === undefined, started, outside, gone, reads, own };
}

function keyOf({ path, region }: Place): string {
  return `${region} ${path}`;
}
