/**
 * Where each step of a run took place: in which region of the machine, and by whom (semantics.md R2). Memory can be undone
 * instance by instance; control cannot, and this is what the question "can control follow the line?" is answered from.
 */
import { type InstanceId, instanceName } from '../model/instance.ts';

/**
 * A region of a machine: an actor, by its number, and the path of the region's state in it, `''` for the whole machine.
 * Printed `0:A.b`.
 */
export type Region = string;

/** A step, as far as control asks. Numbers are those of the history. */
export interface PlacedStep {
  /** The number of the last event before the step's own acts: what is kept up to here lacks the step. */
  readonly act: number;
  /** The number of its last event. */
  readonly to: number;
  readonly actor: number;
  readonly parties: readonly { readonly name: string; readonly region: Region }[];
}

/** Where an instance lives. */
export interface Place {
  readonly id: InstanceId;
  readonly region: Region;
  /** True for the root of a region: the glue between the skeletons. */
  readonly root: boolean;
  /** The index of the step that entered it. */
  entered: number;
  /** The index of the step that closed it; null while it is live. */
  closed: number | null;
  /** Whether that step's successor may answer for it (R3). */
  gate: boolean;
}

/** An actor of the run, as far as control asks. */
export interface PlacedActor {
  readonly parent: number | null;
  /** The path of the state of its parent that invokes it; '' for a spawned one. */
  readonly at: string;
  /** The index of the step that started it; -1 for the root. */
  started: number;
  alive: boolean;
}

/** The steps that are retained, in order, and the instances and actors in their places. */
export class Places {
  readonly steps: PlacedStep[] = [];
  readonly actors: PlacedActor[] = [];
  readonly #places = new Map<string, Place>();

  /** Records where an instance is entered, by the step that will be recorded next. */
  enter(id: InstanceId, region: Region, root: boolean): void {
    this.#places.set(instanceName(id), { id, region, root, entered: this.steps.length, closed: null, gate: false });
  }

  of(name: string): Place | undefined {
    return this.#places.get(name);
  }

  all(): IterableIterator<Place> {
    return this.#places.values();
  }

  /** Forgets an instance that never started. */
  forget(name: string): void {
    this.#places.delete(name);
  }

  /** The index of the last step whose acts lie at or before event `at`: the control that a checkpoint there stands for. */
  stepAt(at: number): number {
    let low = 0;
    let high = this.steps.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.steps[middle] as PlacedStep).act < at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** Whether a region lies within another, or is it. */
  within(inner: Region, outer: Region): boolean {
    const [outerActor, outerPath] = split(outer);
    let [actor, path] = split(inner);
    for (;;) {
      if (actor === outerActor) return outerPath === '' || path === outerPath || path.startsWith(`${outerPath}.`);
      const placed = this.actors[actor];
      if (placed === undefined || placed.parent === null) return false;
      actor = placed.parent;
      path = placed.at;
    }
  }
}

/** A region from an actor's number and the path of a state. */
export function regionName(actor: number, path: string): Region {
  return `${actor}:${path}`;
}

/** The actor and the path of a region. */
export function split(region: Region): [actor: number, path: string] {
  const colon = region.indexOf(':');
  return [Number(region.slice(0, colon)), region.slice(colon + 1)];
}
