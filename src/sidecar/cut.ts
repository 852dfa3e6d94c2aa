/**
 * A restore as the fold carries it out: which retained steps it undoes, what stays of the others, and where everything that
 * refers to a step stands afterwards (semantics.md R1, R2).
 */
import { fold } from '../history/memory.ts';
import type { PlacedStep, Places, Region } from '../history/places.ts';
import type { Edit } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { changeOf } from './edits.ts';
import type { FoldedActor, FoldedStep, Live, Timer } from './folded.ts';

/** What a cut changes of a run. */
interface Cuttable {
  readonly steps: FoldedStep[];
  readonly places: Places;
  readonly timers: readonly Timer[];
  readonly live: Map<string, Live>;
  readonly dormant: Set<string>;
  readonly takenBack: unknown[];
  actor(number: number): FoldedActor;
  enliven(id: InstanceId, region: Region): void;
}

/** Where a step is after a cut, by its index before it: itself, or the last that is kept before it. */
interface Moved {
  to(index: number): number;
  isKept(index: number): boolean;
}

/** A cut back to positions; 0 is before an instance's start. */
export class Cut {
  readonly #fold: Cuttable;
  readonly #limits: ReadonlyMap<string, number>;
  /** The index before which no step is undone. */
  readonly #first: number;

  constructor(run: Cuttable, kept: readonly (readonly [InstanceId, number])[]) {
    this.#fold = run;
    this.#limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
    let first = run.steps.length;
    for (const [id, at] of kept) {
      const index = at === 0 ? run.places.of(instanceName(id))?.entered : run.places.stepAt(at);
      first = Math.min(first, Math.max(0, index ?? first));
    }
    this.#first = first;
  }

  /** The events from outside that it takes back, in order. */
  takesBack(): unknown[] {
    const back: unknown[] = [];
    for (let index = this.#first; index < this.#fold.steps.length; index += 1) {
      const { outside } = this.#fold.steps[index] as FoldedStep;
      const placed = this.#fold.places.steps[index] as PlacedStep;
      if (outside !== null && isUndone(placed, this.#limits)) back.push(outside);
    }
    return back;
  }

  /** The memory of an actor after the last of its steps before an index. */
  #memoryBefore(actor: number, before: number): unknown {
    const edits: Edit[][] = [];
    for (let index = before - 1; index >= 0; index -= 1) {
      const step = this.#fold.steps[index] as FoldedStep;
      if (step.actor !== actor) continue;
      if (step.memory !== null) return fold(step.memory.is, edits.reverse().flat().map(changeOf));
      edits.push([...step.edits]);
    }
    return undefined;
  }

  /** Takes the undone steps out, folds the memories of those after them anew, and has everything else refer to what is left (R1). */
  carryOut(): void {
    const { steps, places } = this.#fold;
    const first = this.#first;
    const memories = new Map<number, unknown>();
    for (let index = first; index < steps.length; index += 1) {
      const { actor } = steps[index] as FoldedStep;
      if (!memories.has(actor)) memories.set(actor, this.#memoryBefore(actor, first));
    }
    const after = steps.splice(first);
    const placed = places.steps.splice(first);
    const back: unknown[] = [];
    const kept = placed.map((step) => !isUndone(step, this.#limits));
    // What a step after the first undone one has in its place: itself, or the last that is kept before it.
    const shift: number[] = [];
    for (const [offset, step] of after.entries()) {
      if (kept[offset]) {
        const memory = fold(memories.get(step.actor), step.edits.map(changeOf));
        memories.set(step.actor, memory);
        step.memory = step.memory === null ? null : { is: memory };
        steps.push(step);
        places.steps.push(placed[offset] as PlacedStep);
      } else if (step.outside !== null) back.push(step.outside);
      shift.push(steps.length - 1);
    }
    this.#fold.takenBack.unshift(...back);
    for (const [actor, memory] of memories) this.#fold.actor(actor).memory = memory;
    const moved: Moved = {
      to: (index) => (index < first ? index : (shift[index - first] as number)),
      isKept: (index) => index < first || kept[index - first] === true,
    };
    this.#moveActors(moved);
    this.#moveTimers(moved);
    this.#movePlaces(moved);
  }

  #moveActors({ to, isKept }: Moved): void {
    for (const [number, placed] of this.#fold.places.actors.entries()) {
      const folded = this.#fold.actor(number);
      if (folded.ended !== null) folded.ended = isKept(folded.ended) ? to(folded.ended) : null;
      if (placed.started !== -1 && !isKept(placed.started)) folded.ended ??= -1;
      placed.started = to(placed.started);
      placed.alive = folded.ended === null;
    }
  }

  #moveTimers({ to, isKept }: Moved): void {
    for (const timer of this.#fold.timers) {
      if (timer.armed !== -1 && !isKept(timer.armed)) timer.gone = -1;
      else if (timer.gone !== null) timer.gone = isKept(timer.gone) ? to(timer.gone) : null;
      timer.armed = to(timer.armed);
    }
  }

  #movePlaces({ to, isKept }: Moved): void {
    const { places, live, dormant } = this.#fold;
    for (const place of places.all()) {
      const name = instanceName(place.id);
      const enteredKept = isKept(place.entered);
      const closed = place.closed !== null && isKept(place.closed) ? to(place.closed) : null;
      // One that has closed and is kept although its entering step is not begins with the first step that it still has.
      place.entered = to(place.entered) + (enteredKept || closed === null ? 0 : 1);
      place.closed = closed;
      place.gate = closed !== null && place.gate;
      if (place.root) continue;
      if (!enteredKept) {
        live.delete(name);
        if (closed === null) dormant.add(name);
      } else if (closed === null && !live.has(name)) this.#fold.enliven(place.id, place.region);
    }
  }
}

/** Whether a step is undone where its instances are kept up to these numbers only. */
function isUndone({ parties, act }: PlacedStep, limits: ReadonlyMap<string, number>): boolean {
  return parties.some(({ name }) => (limits.get(name) ?? Number.POSITIVE_INFINITY) <= act);
}
