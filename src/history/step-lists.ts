/**
 * The steps of a run that are retained: all steps, the steps that moved or looked at each region, and the steps that
 * each instance had a part in. The oldest may be paged out.
 */
import type { Region } from '../model/region.ts';
import { type Limits, Paged, type Pager } from './paged.ts';
import { withOne } from './sorted-steps.ts';

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

/** The name of a list with paged-out steps, and the numbers of its newest paged-out step if they are known. */
type ListOut = readonly [name: string, newest: Pick<Limits, 'nth' | 'act'> | null];

/** The lists with paged-out steps, and the last of these steps that moved each region. */
export interface PagedOut<Step> {
  readonly names: readonly ListOut[];
  readonly regions: readonly ListOut[];
  readonly movers: readonly (readonly [Region, Step])[];
  /** The first step of all. */
  readonly first: Step | null;
}

/** The lists of the steps of one run. */
export class StepLists<Step extends PlacedStep = PlacedStep> {
  readonly steps = new Paged<Step>();
  readonly #chains = new Map<Region, Paged<Step>>();
  readonly #byParty = new Map<string, Paged<Step>>();
  /** The last paged-out step that moved each region. */
  readonly #movers = new Map<Region, Step>();
  #first: Step | null = null;
  #next = 0;
  #removals = 0;

  /** The number of removals of steps: between two, lists of them only grow. */
  get removals(): number {
    return this.#removals;
  }

  /** The first step; null where there is none. Pages nothing in, but where that was removed. */
  get first(): Step | null {
    if (this.#first?.gone !== false) this.#first = this.steps.all[0] ?? null;
    return this.#first;
  }

  /** The number of the step that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Goes on from there, before any step is added: `regions` are those whose control was ever written. */
  resumeAt(next: number, removals: number, regions: Iterable<Region> = []): void {
    for (const region of regions) listOf(this.#chains, region);
    [this.#next, this.#removals] = [next, removals];
  }

  /** Records a step. Costs the number of its regions and parties. */
  add(step: Step): void {
    this.#next = step.nth + 1;
    this.#first ??= step;
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
    const sweep = (list: Paged<Step> | undefined) => list?.sweep(list.countUpTo(first - 1, 'nth'), ({ gone }) => gone);
    sweep(this.steps);
    for (const region of regions) sweep(this.#chains.get(region));
    for (const name of names) sweep(this.#byParty.get(name));
  }

  /** Lets go of the oldest steps in memory; each list pages them in again on demand. */
  pageOut(count: number, pager: Pager): void {
    this.#first = this.first;
    const counts = new Map<Paged<Step>, number>([[this.steps, count]]);
    for (const step of this.steps.here.slice(0, count)) {
      for (const region of step.moves) this.#movers.set(region, step);
      for (const list of this.#listsOf(step)) counts.set(list, (counts.get(list) ?? 0) + 1);
    }
    for (const [list, of] of counts) list.pageOut(of, pager);
  }

  /** Puts steps back in their places, before the ones in memory. */
  pageIn(steps: readonly Step[]): void {
    const lists = new Map<Paged<Step>, Step[]>([[this.steps, [...steps]]]);
    for (const step of steps)
      for (const list of this.#listsOf(step)) {
        const own = lists.get(list);
        if (own === undefined) lists.set(list, [step]);
        else own.push(step);
      }
    for (const [list, own] of lists) list.pageIn(own);
    const from = steps[0]?.nth ?? this.#next;
    for (const [region, step] of this.#movers) if (step.nth >= from) this.#movers.delete(region);
  }

  /** Says that steps were paged out by an earlier process; the last of them that moved each region stays in memory. */
  arePagedOut({ names, regions, movers, first }: PagedOut<Step>, pager: Pager): void {
    this.#first = first;
    this.steps.isBehind(pager);
    for (const [region, newest] of regions) listOf(this.#chains, region).isBehind(pager, newest ?? {});
    for (const [name, newest] of names) listOf(this.#byParty, name).isBehind(pager, newest ?? {});
    for (const [region, step] of movers) this.#movers.set(region, step);
  }

  /** The lists that have steps that are paged out. */
  get pagedOut(): PagedOut<Step> {
    const paged = (lists: ReadonlyMap<string, Paged<Step>>) =>
      [...lists].flatMap(([name, list]): ListOut[] => (list.isPaged ? [[name, list.newestOut]] : []));
    return { names: paged(this.#byParty), regions: paged(this.#chains), movers: [...this.#movers], first: this.#first };
  }

  /** The lists that a step is in, besides that of all steps. */
  #listsOf({ moves, looks, parties }: Step): ReadonlySet<Paged<Step>> {
    const regions = [...moves, ...looks].map((region) => listOf(this.#chains, region));
    return new Set([...regions, ...parties.map(({ name }) => listOf(this.#byParty, name))]);
  }

  /**
   * The steps that an instance had a part in and that are undone where it is kept up to event `after`, but not if kept up to
   * `upTo`.
   */
  stepsOf(name: string, after: number, upTo: number): readonly Step[] {
    return this.#byParty.get(name)?.between(after - 1, upTo - 1, 'act') ?? [];
  }

  /** The steps that depend on the control which a step left in a region: every later one, up to the next that moves it. */
  *afterIn(region: Region, step: PlacedStep): Generator<Step> {
    const chain = this.chain(region);
    for (let index = chain.countUpTo(step.nth, 'nth'); index < chain.end; index += 1) {
      const later = chain.at(index) as Step;
      yield later;
      if (later.moves.includes(region)) return;
    }
  }

  /** The steps that read or wrote the control of a region, in order. */
  chain(region: Region): Paged<Step> {
    return this.#chains.get(region) ?? new Paged();
  }

  /** The last step that wrote the control of a region, among those up to a number that `stands` accepts. */
  lastMover(
    region: Region,
    stands: (step: Step) => boolean = () => true,
    upTo = Number.POSITIVE_INFINITY,
  ): Step | undefined {
    const chain = this.chain(region);
    const isIt = (step: Step) => step.nth <= upTo && step.moves.includes(region) && stands(step);
    const here = chain.here.findLast(isIt);
    if (here !== undefined) return here;
    // The last step that moved the region stays in memory even if it is paged out.
    const mover = this.#movers.get(region);
    if (mover !== undefined && isIt(mover)) return mover;
    for (const step of chain.backwards()) if (isIt(step)) return step;
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
    return this.steps.between(after, upTo, 'nth');
  }

  /**
   * The steps of an actor before a number, the last one first. Costs the returned steps, and the steps of other actors
   * between them.
   */
  *before(nth: number, actor: number): Generator<Step> {
    for (const step of this.steps.backwards(this.steps.countUpTo(nth - 1, 'nth'))) if (step.actor === actor) yield step;
  }

  /** The first step of an actor after a number. */
  nextOf(nth: number, actor: number): Step | undefined {
    for (let index = this.steps.countUpTo(nth, 'nth'); index < this.steps.end; index += 1) {
      const step = this.steps.at(index);
      if (step?.actor === actor) return step;
    }
    return undefined;
  }

  /** The last step whose acts lie at or before event `at`: a checkpoint there stands for the control after that step. */
  stepAt(at: number): Step | undefined {
    return this.steps.at(this.steps.countUpTo(at - 1, 'act') - 1);
  }
}

function push<Step extends PlacedStep>(of: Map<string, Paged<Step>>, key: string, step: Step): void {
  const list = listOf(of, key);
  if (list.here.at(-1) !== step) list.push(step);
}

function listOf<Step extends PlacedStep>(of: Map<string, Paged<Step>>, key: string): Paged<Step> {
  const known = of.get(key);
  if (known !== undefined) return known;
  const list = new Paged<Step>();
  of.set(key, list);
  return list;
}
