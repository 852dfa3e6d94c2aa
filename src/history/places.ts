/**
 * Control as a versioned key, one for each region of a machine (semantics.md C1): the instances and actors in their places, beside the steps
 * that read and wrote a region's control. The line lowers over control as it does over data.
 */
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Region, split } from '../model/region.ts';
import { type PlacedStep, StepLists } from './step-lists.ts';

/** The place of an instance. */
export interface Place {
  readonly id: InstanceId;
  readonly region: Region;
  /** True for the root of a region: owner of the steps outside every skeleton. */
  readonly root: boolean;
  /** The step that entered it. */
  readonly entered: PlacedStep;
  /** The step that closed it; null while it is live. */
  closed: PlacedStep | null;
  /** True if a boundary of the instance was certified at that step; then a cut may set the instance aside (C2). */
  certified: boolean;
}

/** An actor of the run, as far as control is concerned. */
export interface PlacedActor {
  readonly parent: number | null;
  /** The path of the state of its parent that invokes it; '' for a spawned one. */
  readonly at: string;
  /** The step that started it; null for the root. */
  readonly started: PlacedStep | null;
}

/** The steps that are retained, in order, and the instances and actors in their places. */
export class Places<Step extends PlacedStep = PlacedStep> extends StepLists<Step> {
  readonly actors: PlacedActor[] = [];
  readonly #places = new Map<string, Place>();
  readonly #roots = new Map<Region, InstanceId>();
  /** Another number after every change of the instances that are live, and of the roots that are there. */
  liveVersion = 0;

  get parts() {
    return { places: this.#places, roots: this.#roots };
  }

  /** Records where an instance was entered. */
  enter(id: InstanceId, region: Region, root: boolean, entered: PlacedStep): void {
    this.#places.set(instanceName(id), { id, region, root, entered, closed: null, certified: false });
    if (root) this.#roots.set(region, id);
  }

  /** The root of a region, where it has had a part in a step. */
  rootOf(region: Region): InstanceId | undefined {
    return this.#roots.get(region);
  }

  of(name: string): Place | undefined {
    return this.#places.get(name);
  }

  all(): IterableIterator<Place> {
    return this.#places.values();
  }

  /** Forgets an instance that never started. */
  forget(name: string): void {
    const place = this.#places.get(name);
    if (place?.root === true) this.#roots.delete(place.region);
    this.#places.delete(name);
  }

  /** True if a region lies within another, or is it. */
  within(inner: Region, outer: Region): boolean {
    const [outerActor, outerPath] = split(outer);
    let [actor, path] = split(inner);
    for (;;) {
      if (actor === outerActor) return isInside(path, outerPath);
      const placed = this.actors[actor];
      if (placed === undefined || placed.parent === null) return false;
      actor = placed.parent;
      path = placed.at;
    }
  }
}

/** True if a path lies at or below another. */
function isInside(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}.`);
}
