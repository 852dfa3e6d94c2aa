/** Tells a run the steps of a graph: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import { type LaneStep, laneChange, laneMove, type Superstep, superstepMove } from '../runtime/lane-steps.ts';
import { BEGIN, type Lane, laneNamed, lanesOf, type Part } from '../runtime/lanes.ts';
import type { ActorHandle, Microstep, Place } from '../runtime/microstep.ts';
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
  | Superstep
) &
  LaneStep<Memory> & {
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
    return plainStep(control, laneChange(change, change.output?.(), OWN), contextBefore, this.memory);
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
    const lanes = this.#lanes;
    const control = laneMove(this.#value as StateValue, this.#standing(), lane, part);
    this.#stands(control);
    this.#lanes = lanes;
    return control;
  }

  #ofGraph(change: Superstep): ControlChange {
    const control = superstepMove(this.#value, this.#standing(), placesIn(change.to), change);
    this.#stands(control);
    return control;
  }

  #stands({ value, after }: ControlChange): void {
    this.value = value as StateValue;
    this.#places = after;
  }
}
