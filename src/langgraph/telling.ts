/** Tells a run the steps of a graph: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import { advanced, BEGIN, type Lane, laneNamed, lanesOf, type Part, placeOf } from '../runtime/lanes.ts';
import type { ActorHandle, Child, Microstep, Place, RuntimeEvent } from '../runtime/microstep.ts';
import { type ControlChange, plainStep } from '../runtime/plain-step.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { type Memory, OWN } from './checkpoint/memory.ts';
import { placesIn, plainPlace, stateFor } from './line/control.ts';

/** A step of a lane, or of the graph around its lanes. */
export type Change = (
  | {
      readonly lane: Lane;
      readonly part: Part;
      /** True where the node of the lane is entered by it from the one before, perhaps itself. */
      readonly isEntered?: true;
    }
  /** The graph leaves its superstep, and enters another one or its end. */
  | { readonly to: StateValue; readonly entered: readonly Place[]; readonly done?: boolean }
) & {
  readonly event: RuntimeEvent;
  readonly memory?: (before: Memory) => Memory;
  readonly started?: readonly Child[];
  readonly gone?: readonly ActorHandle[];
  /** The keys that a node was seen to read; left out where none of the user's code had a part in the step. */
  readonly reads?: readonly (readonly string[])[];
  readonly outside?: boolean;
  /** The output of the graph, where it is done. */
  readonly output?: () => unknown;
};

const NONE: readonly never[] = [];

/** The control and the context of one run. */
export class Telling {
  memory: Memory = { [OWN]: {} };
  #value: StateValue | null = null;
  /** The lanes and the places of control, where they were asked for since it was put there. */
  #lanes: readonly Lane[] | null = null;
  #places: readonly Place[] | null = null;
  readonly #root: ActorHandle;
  readonly #watcher: Watcher;

  constructor(root: ActorHandle, watcher: Watcher) {
    this.#root = root;
    this.#watcher = watcher;
  }

  /** Null before the first step. */
  get value(): StateValue | null {
    return this.#value;
  }

  set value(value: StateValue | null) {
    this.#value = value;
    this.#lanes = null;
    this.#places = null;
  }

  /** The lanes of the superstep in which control stands: one, in a graph that runs one node at a time. */
  get lanes(): readonly Lane[] {
    const isPlain = typeof this.#value === 'string';
    this.#lanes ??= isPlain ? Object.keys(this.memory[OWN].lanes ?? {}).map(laneNamed) : lanesOf(this.#value);
    return this.#lanes;
  }

  /** Tells the first step: the graph stands before its first node. */
  begin(): void {
    this.value = BEGIN;
    const after = this.#standing();
    const control = { value: BEGIN, before: null, after, sources: NONE, entered: after, moves: [''] };
    const begins = { event: { type: 'graph.begin' }, remembered: {}, bare: true, own: OWN };
    this.#watcher.steps(this.#root, [plainStep(control, begins, this.memory, this.memory)]);
  }

  /** Tells steps that happen at once. */
  tell(changes: readonly Change[]): void {
    this.#watcher.steps(
      this.#root,
      changes.map((change) => this.#step(change)),
    );
  }

  #step(change: Change): Microstep {
    const contextBefore = this.memory;
    const control = 'to' in change ? this.#ofGraph(change) : this.#ofTask(change);
    this.memory = change.memory?.(contextBefore) ?? contextBefore;
    return stepOf(control, change, contextBefore, this.memory);
  }

  /** All places in which control is. One that goes on is one and the same before and after a step. */
  #standing(): readonly Place[] {
    this.#places ??= placesIn(this.#value as StateValue);
    return this.#places;
  }

  #ofTask({ lane, part, isEntered }: Extract<Change, { readonly lane: Lane }>): ControlChange {
    if (typeof this.#value !== 'string') return this.#ofLane(lane, part);
    const before = this.#standing();
    const value = stateFor(lane.node, part);
    const isMoved = isEntered === true || value !== this.#value;
    const entered = isMoved ? [plainPlace(value)] : NONE;
    const after = isMoved ? entered : before;
    this.value = value;
    this.#places = after;
    return { value, before, after, sources: before, entered, moves: [''] };
  }

  #ofLane(lane: Lane, part: Part): ControlChange {
    const [before, lanes] = [this.#standing(), this.#lanes];
    const source = before.find(({ region }) => region === lane.name) ?? placeOf(lane, 'ready');
    const place = placeOf(lane, part);
    const isMoved = place.path !== source.path;
    const after = isMoved ? before.map((each) => (each === source ? place : each)) : before;
    this.value = advanced(this.#value as StateValue, lane, part);
    this.#lanes = lanes;
    this.#places = after;
    const value = this.#value as StateValue;
    return { value, before, after, sources: [source], entered: isMoved ? [place] : NONE, moves: [lane.name] };
  }

  #ofGraph({ to, entered }: { readonly to: StateValue; readonly entered: readonly Place[] }): ControlChange {
    const before = this.#standing();
    const lanes = [...lanesOf(this.#value), ...lanesOf(to)];
    this.value = to;
    const known = new Map(before.map((place) => [keyOf(place), place]));
    const after = this.#standing().map((place) => known.get(keyOf(place)) ?? place);
    this.#places = after;
    const same = (place: Place) => after.find((other) => keyOf(other) === keyOf(place)) ?? place;
    const moves = new Set(['', ...lanes.map(({ name }) => name)]);
    return { value: to, before, after, sources: before.slice(0, 1), entered: entered.map(same), moves: [...moves] };
  }
}

function keyOf({ path, region }: Place): string {
  return `${region} ${path}`;
}

function stepOf(control: ControlChange, change: Change, contextBefore: unknown, context: unknown): Microstep {
  const { event, reads = NONE, started = NONE, gone = NONE, outside = false, output } = change;
  const done = 'done' in change && change.done === true;
  const bare = change.reads === undefined;
  const told = { event, done, output: output?.(), bare, started, outside, gone, reads, own: OWN };
  return plainStep(control, told, contextBefore, context);
}
