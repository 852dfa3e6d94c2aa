/** Tells a run the steps of a loop: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import { type LaneStep, laneChange, laneMove, type Superstep, superstepMove } from '../runtime/lane-steps.ts';
import { BEGIN, END, type Lane, lanesOf, type Part, partOf, placesOf } from '../runtime/lanes.ts';
import type { ActorHandle, Microstep } from '../runtime/microstep.ts';
import { plainStep, rootPlace } from '../runtime/plain-step.ts';
import { OWN } from '../runtime/receiving.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { firstMemory, type Memory } from './memory.ts';

/** A step of a call's lane, or of the loop around its lanes. */
export type Change = ({ readonly lane: Lane; readonly part: Part } | Superstep) &
  LaneStep<Memory> & { readonly output?: unknown };

const NONE: readonly never[] = [];

/** The control and the context of one run. */
export class Telling {
  memory: Memory = firstMemory(undefined, '');
  /** Null before the first step. */
  value: StateValue | null = null;
  readonly #root: ActorHandle;
  readonly #watcher: Watcher;

  constructor(root: ActorHandle, watcher: Watcher) {
    this.#root = root;
    this.#watcher = watcher;
  }

  /** Tells the first step: the loop stands before its first call. */
  begin(): void {
    this.value = BEGIN;
    const after = placesOf(BEGIN);
    const control = { value: BEGIN, before: null, after, sources: NONE, entered: after, moves: [''] };
    const begins = { event: { type: 'loop.begin' }, remembered: {}, bare: true, own: OWN };
    this.#watcher.steps(this.#root, [plainStep(control, begins, this.memory, this.memory)]);
  }

  /** Tells steps that happen at once. */
  tell(changes: readonly Change[]): void {
    this.#watcher.steps(
      this.#root,
      changes.map((change) => this.#step(change)),
    );
  }

  /** The lanes of calls that have no answer yet. */
  get open(): readonly Lane[] {
    return lanesOf(this.value).filter((lane) => partOf(this.value, lane) !== 'end');
  }

  #step(change: Change): Microstep {
    const before = this.memory;
    const places = placesOf(this.value as StateValue);
    const control =
      'to' in change
        ? superstepMove(this.value, places, placesOf(change.to), change)
        : laneMove(this.value as StateValue, places, change.lane, change.part);
    this.value = control.value;
    this.memory = change.memory?.(before) ?? before;
    return plainStep(control, laneChange(change, change.output, OWN), before, this.memory);
  }
}

/** The place of a loop between its calls. */
export const AT_BEGIN = { to: BEGIN, entered: [rootPlace(BEGIN)] } as const;
/** The place of a loop behind its calls. */
export const AT_END = { to: END, entered: [rootPlace(END)] } as const;
