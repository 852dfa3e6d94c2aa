/** Tells a run the steps of a graph: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import type { ActorHandle, Child, Microstep, Place, RuntimeEvent } from '../runtime/microstep.ts';
import { type ControlChange, plainStep } from '../runtime/plain-step.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { type Memory, OWN } from './checkpoint/memory.ts';
import { advanced, BEGIN, type Lane, lanesOf, type Part, placeOf, placesOf } from './lanes.ts';

/** A step of a lane, or of the graph around its lanes. */
export type Change = (
  | { readonly lane: Lane; readonly part: Part }
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

  /** The lanes of the superstep in which control stands. */
  get lanes(): readonly Lane[] {
    this.#lanes ??= lanesOf(this.#value);
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
    const control = 'lane' in change ? this.#ofLane(change.lane, change.part) : this.#ofGraph(change);
    this.memory = change.memory?.(contextBefore) ?? contextBefore;
    return stepOf(control, change, contextBefore, this.memory);
  }

  /** All places in which control is. One that goes on is one and the same before and after a step. */
  #standing(): readonly Place[] {
    this.#places ??= placesOf(this.#value as StateValue);
    return this.#places;
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
    const left = this.lanes;
    this.value = to;
    const known = new Map(before.map((place) => [keyOf(place), place]));
    const after = this.#standing().map((place) => known.get(keyOf(place)) ?? place);
    this.#places = after;
    const same = (place: Place) => after.find((other) => keyOf(other) === keyOf(place)) ?? place;
    const moves = new Set(['', ...[...left, ...this.lanes].map(({ name }) => name)]);
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
