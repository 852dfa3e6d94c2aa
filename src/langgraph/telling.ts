/** Tells a run the steps of a graph: where control and context stand, and how they change. */
import type { StateValue } from '../model/step-entry.ts';
import type { ActorHandle, Child, Microstep, Place, RuntimeEvent } from '../runtime/microstep.ts';
import type { Watcher } from '../runtime/runtime.ts';
import { type Memory, OWN } from './checkpoint/memory.ts';
import { advanced, BEGIN, type Lane, lanesOf, type Part, partOf, placeOf, placesOf } from './lanes.ts';

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

const SAME = { hears: true, remembered: null, own: OWN };
const NONE = { looks: [], parts: [], raisedBack: [], sender: null };

/** The control and the context of one run. */
export class Telling {
  memory: Memory = { [OWN]: {} };
  /** Null before the first step. */
  value: StateValue | null = null;
  readonly #root: ActorHandle;
  readonly #watcher: Watcher;

  constructor(root: ActorHandle, watcher: Watcher) {
    this.#root = root;
    this.#watcher = watcher;
  }

  /** Tells the first step: the graph stands before its first node. */
  begin(): void {
    this.value = BEGIN;
    const after = placesOf(BEGIN);
    const first = { before: null, after, entered: after, sources: [], moves: [''], value: BEGIN, remembered: {} };
    const nothing = { started: [], gone: [], outside: false, bare: true, done: false, output: undefined };
    const context = { contextBefore: undefined, context: this.memory };
    this.#watcher.steps(this.#root, [
      { ...SAME, ...NONE, ...nothing, ...first, ...context, event: { type: 'graph.begin' } },
    ]);
  }

  /** Tells steps that happen at once. */
  tell(changes: readonly Change[]): void {
    this.#watcher.steps(
      this.#root,
      changes.map((change) => this.#step(change)),
    );
  }

  #step(change: Change): Microstep {
    const before = this.value as StateValue;
    const contextBefore = this.memory;
    const { event, reads, started = [], gone = [], outside = false } = change;
    const control =
      'lane' in change ? ofLane(before, change.lane, change.part) : ofGraph(before, change.to, change.entered);
    this.value = control.value;
    this.memory = change.memory?.(contextBefore) ?? contextBefore;
    return {
      ...SAME,
      ...NONE,
      ...control,
      event,
      ...identified(placesOf(before), placesOf(control.value), control),
      contextBefore,
      context: this.memory,
      started,
      gone,
      outside,
      bare: reads === undefined,
      reads: reads ?? [],
      done: 'to' in change && change.done === true,
      output: change.output?.(),
    };
  }
}

/** The places of a step. One that goes on is one and the same before and after it. */
function identified(
  before: readonly Place[],
  behind: readonly Place[],
  { sources, entered }: { readonly sources: readonly Place[]; readonly entered: readonly Place[] },
) {
  const keyOf = ({ path, region }: Place) => `${region} ${path}`;
  const known = new Map(before.map((place) => [keyOf(place), place]));
  const after = behind.map((place) => known.get(keyOf(place)) ?? place);
  for (const place of after) known.set(keyOf(place), place);
  const same = (places: readonly Place[]) => places.map((place) => known.get(keyOf(place)) ?? place);
  return { before, after, sources: same(sources), entered: same(entered) };
}

function ofLane(before: StateValue, lane: Lane, part: Part) {
  const source = placeOf(lane, partOf(before, lane) ?? 'ready');
  const place = placeOf(lane, part);
  const entered = place.path === source.path ? [] : [place];
  return { value: advanced(before, lane, part), sources: [source], entered, moves: [lane.name] };
}

function ofGraph(before: StateValue, value: StateValue, entered: readonly Place[]) {
  const lanes = [...lanesOf(before), ...lanesOf(value)].map(({ name }) => name);
  return { value, sources: placesOf(before).slice(0, 1), entered, moves: [...new Set(['', ...lanes])] };
}
