/**
 * From a line to what is to be done: which instances are kept how far, where control stands in each region, which actors go
 * on, which are made anew, which timers are armed again (semantics.md §10). A pure reading of the fold.
 */
import { type Place, type Places, type Region, regionName, split } from '../history/places.ts';
import type { ControlEntry, HistoryValue, Started, StateValue } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Back, regionsBack } from '../recovery/control.ts';
import type { ActorPlan, ChildPlan, TimerPlan } from '../xstate/restore.ts';
import type { Fold } from './fold.ts';
import type { FoldedActor, FoldedStep } from './folded.ts';

/** How far an instance is kept: a number of the history, 0 for ⊥. */
export type Kept = readonly [InstanceId, number];

/** A plan that can be carried out, and again after a crash. */
export interface Plan {
  readonly kept: readonly Kept[];
  readonly gates: readonly InstanceId[];
  readonly controls: readonly ControlEntry[];
  /** The actors to rewind in place, outermost first. Their memories are read once the fold has undone what is undone. */
  readonly rewinds: readonly Rewind[];
}

interface Rewind {
  readonly actor: number;
  plan(): ActorPlan;
}

/** A state at which a region resumes instead of where its checkpoint stands (§4, Separable), by the region. */
export type Resumes = ReadonlyMap<Region, StateValue>;

/** Plans a restore. Must be asked before the fold has undone anything. */
export function planRestore(fold: Fold, kept: readonly Kept[], resumes: Resumes): Plan {
  const planner = new Planner(fold, backOf(fold, kept), resumes);
  return { kept, gates: planner.gates(kept), ...planner.actors() };
}

/** For every region that goes back with a plan, how far, and on whose account. */
export function backOf(fold: Fold, kept: readonly Kept[]): Map<Region, Back> {
  return regionsBack(
    fold.places,
    kept.map(([id, at]) => [id, checkpointOf(fold, id, at)] as const),
  );
}

function checkpointOf(fold: Fold, id: InstanceId, at: number) {
  if (at === 0) return null;
  const entry = fold.history.registry.get(id)?.checkpoints[0]?.at;
  return { kind: entry === at ? ('entry' as const) : ('commit' as const), at };
}

/** The plan of a fresh process: everything stands where the journal ends. */
export function planResume(fold: Fold): ActorPlan {
  return new Planner(fold, new Map(), new Map()).head(0);
}

/** The way on behind the gate of a kept instance (R3): its region stands where the instance left it, the others as they do. */
export function planPass(fold: Fold, { region, closed }: Place): { readonly control: ControlEntry; plan(): ActorPlan } {
  const [number, path] = split(region);
  const actor = fold.actor(number);
  const step = fold.steps[closed ?? -1] as FoldedStep;
  const then = valueAt(step.value, path);
  const value = then === undefined ? actor.value : withValue(actor.value, path, then);
  const remembered = path === '' ? step.remembered : actor.remembered;
  const isInside = (other: Region | null) => other !== null && fold.places.within(other, region);
  const isBehind = (child: FoldedActor) =>
    isInside(child.region) && fold.places.actors[child.number]?.started === closed;
  const plan = (): ActorPlan => {
    const children = fold.actors.filter(({ parent, ended, started }) => {
      return parent === number && ended === null && started !== null;
    });
    const keep = children.filter((child) => !isBehind(child)).map(({ started }) => started?.id as string);
    const make = children.filter(isBehind).map((child): ChildPlan => {
      const { id, src, at, kind, input } = child.started as Started;
      return { number: child.number, id, src, at, kind, input, plan: null, event: child.event as ChildPlan['event'] };
    });
    const timers = fold.timers.filter((timer) => timer.actor === number && isInside(timer.region));
    return {
      value,
      remembered,
      memory: fold.actor(number).memory,
      last: actor.last as ActorPlan['last'],
      keep,
      make,
      cancel: timers.filter(({ gone }) => gone === null).map(({ id }) => id),
      timers: timers.filter(({ armed }) => armed === closed).map((timer) => timerPlan(timer, step.time)),
    };
  };
  return { control: { actor: number, value, remembered }, plan };
}

class Planner {
  readonly #fold: Fold;
  readonly #back: ReadonlyMap<Region, Back>;
  readonly #resumes: Resumes;

  constructor(fold: Fold, back: ReadonlyMap<Region, Back>, resumes: Resumes) {
    this.#fold = fold;
    this.#back = back;
    this.#resumes = resumes;
  }

  /** The instances kept whole whose steps lie behind the point that their region goes back to (R2, R3). */
  gates(kept: readonly Kept[]): InstanceId[] {
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    return [...this.#fold.places.all()]
      .filter(({ id, region, root, entered, gate }) => {
        const step = this.#back.get(region)?.step;
        return !root && gate && step !== undefined && entered > step && !moved.has(instanceName(id));
      })
      .map(({ id }) => id);
  }

  actors(): Pick<Plan, 'controls' | 'rewinds'> {
    const controls: ControlEntry[] = [];
    const rewinds: Rewind[] = [];
    const touched = new Set([...this.#back.keys()].map((region) => split(region)[0]));
    for (const number of [...touched].sort((a, b) => a - b)) {
      const actor = this.#fold.actor(number);
      if (this.#isRemade(actor)) continue;
      if (actor.ended !== null) continue;
      rewinds.push({ actor: number, plan: this.#planOf(actor, controls, true) });
    }
    return { controls, rewinds };
  }

  /** An actor as it stands, everything in it made anew: for a fresh process. */
  head(number: number): ActorPlan {
    const actor = this.#fold.actor(number);
    const make = this.#fold.actors
      .filter((child) => child.parent === number && child.ended === null && child.started !== null)
      .map((child) => this.#child(child, child.started?.kind === 'machine' ? this.head(child.number) : null));
    const timers = this.#fold.timers
      .filter((timer) => timer.actor === number && timer.gone === null)
      .map((timer) => timerPlan(timer, this.#fold.time));
    return {
      value: actor.value,
      remembered: actor.remembered,
      memory: actor.memory,
      last: actor.last as ActorPlan['last'],
      keep: [],
      make,
      cancel: [],
      timers,
    };
  }

  /** How far the region that an actor is invoked in goes back, if it does. */
  #surroundings(actor: FoldedActor): number | null {
    if (actor.region === null) return null;
    let step: number | null = null;
    for (const [region, back] of this.#back) {
      if (!this.#fold.places.within(actor.region, region)) continue;
      step = step === null ? back.step : Math.min(step, back.step);
    }
    return step;
  }

  /** Whether an actor is stopped and made anew together with its surroundings, or not made again at all. */
  #isRemade(actor: FoldedActor): boolean {
    const step = this.#surroundings(actor);
    return step !== null && !this.#goesOn(actor, step);
  }

  /** A machine that was there already, still is, and loses nothing, goes on; a promise in a region that goes back is asked again. */
  #goesOn(actor: FoldedActor, step: number): boolean {
    const placed = this.#fold.places.actors[actor.number];
    if (actor.started?.kind !== 'machine' || actor.ended !== null || (placed?.started ?? 0) > step) return false;
    return ![...this.#back.keys()].some((region) => split(region)[0] === actor.number);
  }

  #planOf(actor: FoldedActor, controls: ControlEntry[], inPlace: boolean): () => ActorPlan {
    const { number } = actor;
    const { value, remembered } = this.#control(actor);
    controls.push({ actor: number, value, remembered });
    const keep: string[] = [];
    const make: { child: FoldedActor; plan: (() => ActorPlan) | null }[] = [];
    for (const child of this.#fold.actors) {
      if (child.parent !== number || child.started === null) continue;
      const step = this.#surroundings(child);
      const started = this.#fold.places.actors[child.number]?.started ?? 0;
      if (inPlace && child.ended === null && (step === null || this.#goesOn(child, step))) keep.push(child.started.id);
      else if (step !== null && started <= step && (child.ended === null || child.ended > step)) {
        make.push({ child, plan: this.#childPlan(child, controls) });
      }
    }
    const { cancel, timers } = this.#timers(number);
    return () => ({
      value,
      remembered,
      memory: this.#fold.actor(number).memory,
      last: actor.last as ActorPlan['last'],
      keep,
      make: make.map(({ child, plan }) => this.#child(child, plan?.() ?? null)),
      cancel: inPlace ? cancel : [],
      timers,
    });
  }

  /** Where a machine that is made anew stands; null where it has to begin again. */
  #childPlan(child: FoldedActor, controls: ControlEntry[]): (() => ActorPlan) | null {
    if (child.started?.kind !== 'machine') return null;
    const root = regionName(child.number, '');
    const step = this.#back.get(root)?.step ?? this.#surroundings(child) ?? this.#fold.steps.length;
    if (this.#fold.controlOf(root, step) === undefined) return null;
    return this.#planOf(child, controls, false);
  }

  #child(child: FoldedActor, plan: ActorPlan | null): ChildPlan {
    const { id, src, at, kind, input } = child.started as NonNullable<FoldedActor['started']>;
    return { number: child.number, id, src, at, kind, input, plan, event: child.event as ChildPlan['event'] };
  }

  /** The control of an actor with every region that goes back in its place, outer regions before inner ones. */
  #control(actor: FoldedActor): { value: StateValue; remembered: HistoryValue } {
    let { value, remembered } = actor;
    const own = [...this.#back].filter(([region]) => split(region)[0] === actor.number);
    own.sort(([a], [b]) => a.length - b.length);
    const around = this.#surroundings(actor);
    if (around !== null && !own.some(([region]) => split(region)[1] === '')) {
      own.unshift([regionName(actor.number, ''), { step: around, by: ROOTLESS }]);
    }
    for (const [region, { step }] of own) {
      const [, path] = split(region);
      const at = this.#fold.controlOf(region, Math.max(step, actor.parent === null ? 0 : step));
      const then = this.#resumes.get(region) ?? (at === undefined ? undefined : valueAt(at.value, path));
      if (then !== undefined) value = withValue(value, path, then);
      if (path === '' && at !== undefined) remembered = at.remembered;
    }
    return { value, remembered };
  }

  #timers(number: number): { cancel: string[]; timers: TimerPlan[] } {
    const cancel: string[] = [];
    const timers: TimerPlan[] = [];
    for (const timer of this.#fold.timers) {
      if (timer.actor !== number) continue;
      const step = this.#stepOf(timer.region);
      if (step === null) continue;
      if (timer.gone === null) cancel.push(timer.id);
      if (timer.armed > step || (timer.gone !== null && timer.gone <= step)) continue;
      timers.push(timerPlan(timer, this.#fold.steps[step]?.time ?? this.#fold.time));
    }
    return { cancel, timers };
  }

  #stepOf(region: Region): number | null {
    let step: number | null = null;
    for (const [outer, back] of this.#back) {
      if (this.#fold.places.within(region, outer)) step = step === null ? back.step : Math.min(step, back.step);
    }
    return step;
  }
}

const ROOTLESS: InstanceId = { skeleton: '', entity: '', ordinal: 0 };

function timerPlan(timer: { id: string; event: unknown; due: number }, since: number): TimerPlan {
  return { id: timer.id, event: timer.event as TimerPlan['event'], left: Math.max(0, timer.due - since) };
}

/** The part of a state value that is a region's. */
function valueAt(value: StateValue, path: string): StateValue | undefined {
  let at: StateValue | undefined = value;
  for (const key of path === '' ? [] : path.split('.')) at = typeof at === 'object' ? at[key] : undefined;
  return at;
}

/** A state value with a region's part in its place. A region that is not active has none. */
function withValue(value: StateValue, path: string, part: StateValue): StateValue {
  if (path === '') return part;
  const [key = '', ...rest] = path.split('.');
  if (typeof value !== 'object' || value[key] === undefined) return value;
  return { ...value, [key]: withValue(value[key], rest.join('.'), part) };
}

/** The numbers up to which a rerun keeps what it keeps: the first step of the run, and nothing after it (§8.4). */
export function keptByRerun(fold: Fold): Kept[] {
  const places: Places = fold.places;
  return [...places.all()].map(({ id, root, entered }): Kept => {
    if (entered > 0) return [id, 0];
    const checkpoints = fold.history.registry.get(id)?.positions ?? [];
    const first = root ? checkpoints[1] : checkpoints[0];
    return [id, first?.at ?? 0];
  });
}
