/**
 * Control as a versioned key, one for each region of a machine (semantics.md C1): the steps that read and wrote a
 * region's control, their parties, and the steps that belong together. The line lowers over control as it does over
 * data.
 */
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Region, split } from '../model/region.ts';
import { countBelow, countUpToNth, sweep, withOne } from './sorted-steps.ts';

/** A step, as far as control is concerned. Numbers are those of the history. */
export interface PlacedStep {
  /** Its number among the steps of the run: never given out again. */
  readonly nth: number;
  /** The number of the last event before the step's own acts: what is kept up to here lacks the step. */
  readonly act: number;
  /** The number of its last event. */
  readonly to: number;
  readonly actor: number;
  readonly parties: readonly { readonly name: string; readonly region: Region }[];
  /** The regions whose control it read and wrote. */
  readonly moves: readonly Region[];
  /** The regions whose control it only read. */
  readonly looks: readonly Region[];
  /** The names of the instances that it entered. */
  readonly entered: readonly string[];
  /** Later steps that depend on it wholly, whatever their regions are. */
  leads: readonly PlacedStep[];
  /** Earlier steps that are undone with it (C1a). */
  readonly ties: readonly PlacedStep[];
  /** True if it spawned an actor, which goes on whatever happens to the states around it. */
  readonly spawns: boolean;
  /** The number of delayed events that it scheduled by actions and that are still to come: they go on whatever happens to the states around it. */
  owes: number;
  /** True once a restore has taken it out. */
  gone: boolean;
}

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
  /** True if a boundary of it was certified at that step, so that it may be set aside (C2). */
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
export class Places<Step extends PlacedStep = PlacedStep> {
  readonly steps: Step[] = [];
  readonly actors: PlacedActor[] = [];
  readonly #places = new Map<string, Place>();
  readonly #roots = new Map<Region, InstanceId>();
  readonly #chains = new Map<Region, Step[]>();
  readonly #byParty = new Map<string, Step[]>();
  /** Another number after every change of the instances that are live, and of the roots that are there. */
  liveVersion = 0;
  #next = 0;
  #removals = 0;

  /** The number of removals of steps: between two, lists of them only grow. */
  get removals(): number {
    return this.#removals;
  }

  /** The number of the step that comes next. */
  get next(): number {
    return this.#next;
  }

  get parts() {
    return { places: this.#places, roots: this.#roots, regions: [...this.#chains.keys()] };
  }

  /** Goes on from there, before any step is added: `regions` are those whose control was ever written. */
  resumeAt(next: number, removals: number, regions: Iterable<Region> = []): void {
    for (const region of regions) this.#chains.set(region, []);
    [this.#next, this.#removals] = [next, removals];
  }

  /** Records a step. Costs the number of its regions and parties. */
  add(step: Step): void {
    this.#next = step.nth + 1;
    this.steps.push(step);
    for (const region of step.moves) push(this.#chains, region, step);
    for (const region of step.looks) push(this.#chains, region, step);
    for (const { name } of step.parties) push(this.#byParty, name, step);
    for (const tied of step.ties) tied.leads = withOne(tied.leads, step);
  }

  /** Removes steps. Costs the steps behind the first of them in its regions and parties. */
  remove(undone: ReadonlySet<PlacedStep>): void {
    const regions = new Set<Region>();
    const names = new Set<string>();
    this.#removals += 1;
    let first = Number.POSITIVE_INFINITY;
    for (const step of undone) {
      step.gone = true;
      first = Math.min(first, step.nth);
      for (const region of [...step.moves, ...step.looks]) regions.add(region);
      for (const { name } of step.parties) names.add(name);
    }
    sweep(this.steps, first);
    for (const region of regions) sweep(this.#chains.get(region) ?? [], first);
    for (const name of names) sweep(this.#byParty.get(name) ?? [], first);
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

  /**
   * The steps that an instance had a part in and that are undone where it is kept up to event `after`, but not if kept up to
   * `upTo`.
   */
  stepsOf(name: string, after: number, upTo: number): readonly Step[] {
    const steps = this.#byParty.get(name) ?? [];
    const from = countBelow(steps, after);
    const until = upTo === Number.POSITIVE_INFINITY ? steps.length : countBelow(steps, upTo);
    return from === 0 && until === steps.length ? steps : steps.slice(from, until);
  }

  /** The steps that depend on the control which a step left in a region: every later one, up to the next that moves it. */
  *afterIn(region: Region, step: PlacedStep): Generator<Step> {
    const chain = this.#chains.get(region) ?? [];
    for (let index = countUpToNth(chain, step.nth); index < chain.length; index += 1) {
      const later = chain[index] as Step;
      yield later;
      if (later.moves.includes(region)) return;
    }
  }

  /** The steps that read or wrote the control of a region, in order. */
  chain(region: Region): readonly Step[] {
    return this.#chains.get(region) ?? [];
  }

  /** The last step that wrote the control of a region, among those up to a number that `stands` accepts. */
  lastMover(
    region: Region,
    stands: (step: Step) => boolean = () => true,
    upTo = Number.POSITIVE_INFINITY,
  ): Step | undefined {
    const chain = this.#chains.get(region) ?? [];
    const from = upTo === Number.POSITIVE_INFINITY ? chain.length : countUpToNth(chain, upTo);
    for (let index = from - 1; index >= 0; index -= 1) {
      const step = chain[index] as Step;
      if (step.moves.includes(region) && stands(step)) return step;
    }
    return undefined;
  }

  /** Every region whose control was ever written. */
  regions(): IterableIterator<Region> {
    return this.#chains.keys();
  }

  /** The regions of an actor whose control was written. */
  regionsOf(actor: number): Region[] {
    const prefix = `${actor}:`;
    return [...this.#chains.keys()].filter((region) => region.startsWith(prefix));
  }

  /** The steps numbered above `after` and up to `upTo`. Costs its result and two searches. */
  between(after: number, upTo: number): readonly Step[] {
    return this.steps.slice(countUpToNth(this.steps, after), countUpToNth(this.steps, upTo));
  }

  /** The steps of an actor before a number, the last one first. Costs those that are asked for, and those of other actors among them. */
  *before(nth: number, actor: number): Generator<Step> {
    for (let index = countUpToNth(this.steps, nth - 1) - 1; index >= 0; index -= 1) {
      const step = this.steps[index] as Step;
      if (step.actor === actor) yield step;
    }
  }

  /** The first step of an actor after a number. */
  nextOf(nth: number, actor: number): Step | undefined {
    for (let index = countUpToNth(this.steps, nth); index < this.steps.length; index += 1)
      if (this.steps[index]?.actor === actor) return this.steps[index];
    return undefined;
  }

  /**
   * The index of the last step whose acts lie at or before event `at`: a checkpoint there stands for the control after
   * that step.
   */
  stepAt(at: number): number {
    return countBelow(this.steps, at) - 1;
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

function push<Step>(of: Map<string, Step[]>, key: string, step: Step): void {
  const list = of.get(key);
  if (list === undefined) of.set(key, [step]);
  else if (list.at(-1) !== step) list.push(step);
}
