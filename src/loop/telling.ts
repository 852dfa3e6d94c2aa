/** Tells a run the steps of a loop: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import { advanced, BEGIN, END, type Lane, lanesOf, type Part, partOf, placeOf, placesOf } from '../runtime/lanes.ts';
import type { ActorHandle, Child, Microstep, Place, RuntimeEvent } from '../runtime/microstep.ts';
import { type ControlChange, plainStep, rootPlace } from '../runtime/plain-step.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { firstMemory, type Memory, OWN } from './memory.ts';

/** A step of a call's lane, or of the loop around its lanes. */
export type Change = (
  | { readonly lane: Lane; readonly part: Part }
  | { readonly to: StateValue; readonly entered: readonly Place[]; readonly done?: boolean }
) & {
  readonly event: RuntimeEvent;
  readonly memory?: (before: Memory) => Memory;
  readonly started?: readonly Child[];
  readonly gone?: readonly ActorHandle[];
  /** The keys that the program had read; left out where it had no part in the step. */
  readonly reads?: readonly (readonly string[])[];
  readonly outside?: boolean;
  readonly output?: unknown;
};

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
    const control = 'to' in change ? this.#ofLoop(change) : this.#ofLane(change.lane, change.part);
    this.memory = change.memory?.(before) ?? before;
    const { event, reads = NONE, started = NONE, gone = NONE, outside = false, output } = change;
    const done = 'done' in change && change.done === true;
    const told = { event, done, output, bare: change.reads === undefined, started, outside, gone, reads, own: OWN };
    return plainStep(control, told, before, this.memory);
  }

  #ofLane(lane: Lane, part: Part): ControlChange {
    const before = placesOf(this.value as StateValue);
    const source = before.find(({ region }) => region === lane.name) ?? placeOf(lane, 'ready');
    const place = placeOf(lane, part);
    const isMoved = place.path !== source.path;
    const after = isMoved ? before.map((each) => (each === source ? place : each)) : before;
    this.value = advanced(this.value as StateValue, lane, part);
    return {
      value: this.value,
      before,
      after,
      sources: [source],
      entered: isMoved ? [place] : NONE,
      moves: [lane.name],
    };
  }

  #ofLoop({ to, entered }: { readonly to: StateValue; readonly entered: readonly Place[] }): ControlChange {
    const before = placesOf(this.value as StateValue);
    const lanes = [...lanesOf(this.value), ...lanesOf(to)];
    this.value = to;
    const known = new Map(before.map((place) => [keyOf(place), place]));
    const after = placesOf(to).map((place) => known.get(keyOf(place)) ?? place);
    const same = (place: Place) => after.find((other) => keyOf(other) === keyOf(place)) ?? place;
    const moves = new Set(['', ...lanes.map(({ name }) => name)]);
    return { value: to, before, after, sources: before.slice(0, 1), entered: entered.map(same), moves: [...moves] };
  }
}

function keyOf({ path, region }: Place): string {
  return `${region} ${path}`;
}

/** The place of a loop between its calls. */
export const AT_BEGIN = { to: BEGIN, entered: [rootPlace(BEGIN)] } as const;
/** The place of a loop behind its calls. */
export const AT_END = { to: END, entered: [rootPlace(END)] } as const;
