/**
 * Plans a restore from a cut: where control stands in each region, which actors go on, which are made anew, which timers are armed again
 * (semantics.md C1, §10). A pure reading of the projections.
 */
import { isLife, lifeOf } from '../../history/sources.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import type { ControlEntry } from '../../model/entry.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { type Region, regionName, split } from '../../model/region.ts';
import type { HistoryValue, StateValue } from '../../model/step-entry.ts';
import { contextBefore, contextWithoutSteps, type Kept, undoneSteps } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import { withPart } from '../../projection/set-aside/translate.ts';
import type { ActorState, RecordedStep, Timer } from '../../projection/state-types.ts';
import type { ActorPlan, TimerPlan } from '../../runtime/restore-plan.ts';
import { armedIn, childPlan, timerPlan } from './actor-plan.ts';
import { controlAfter } from './control.ts';

/** A region that resumes at a state that the config names instead of where its past says (§4, Separable). */
export interface Resume {
  readonly region: Region;
  readonly by: InstanceId;
  readonly value: StateValue;
}

/** A plan that can be carried out, and again after a crash. */
export interface Plan {
  readonly controls: readonly ControlEntry[];
  /** The actors to rewind in place, outermost first. Their contexts are read once the projections have undone what is undone. */
  readonly rewinds: readonly Rewind[];
}

interface Rewind {
  readonly actor: number;
  plan(): ActorPlan;
}

/** The needs of a plan besides the projections of its run. */
export interface Surroundings {
  /** The name of the instance whose calls are made in a state: a live one, or the root of the region. */
  ownerOf(region: Region): string;
  /** The path of the state that a delayed transition belongs to; null for a delayed event of another kind. */
  stateOf(actor: number, type: string): string | null;
  /** True where a timer has fired, and the step that its event was to cause has failed: only a plan arms it again. */
  isLost(timer: Timer): boolean;
  /** True where a timer of an actor has. */
  hasLost(actor: number): boolean;
  /** True where a machine has come to its end. */
  isOver(actor: number): boolean;
  now(): number;
}

/**
 * Plans a restore. Must be asked before the projections have undone anything.
 * @param changed the actors whose context is another though they lose no step.
 */
export function planRestore(
  runState: RunState,
  kept: readonly Kept[],
  resumes: readonly Resume[],
  around: Surroundings,
  changed: ReadonlySet<number> = new Set(),
): Plan {
  const undone = undoneSteps(runState.places, kept);
  const moved = new Set(kept.map(([id]) => instanceName(id)));
  return new Planner(runState, undone, moved, { resumes, around, changed }).plan();
}

/** The surroundings of a past that nothing runs in. */
const AT_REST: Surroundings = {
  ownerOf: () => '',
  stateOf: () => null,
  isLost: () => false,
  hasLost: () => false,
  isOver: () => false,
  now: () => 0,
};

/** A plan of the whole run as it stood before a step, without its delays. */
export function planBefore(runState: RunState, step: PlacedStep): ActorPlan {
  const undone = new Set<PlacedStep>(runState.places.between(step.nth - 1, Number.POSITIVE_INFINITY));
  const contextOf = (actor: number) => contextBefore(runState.places, actor, step);
  const planner = new Planner(runState, undone, new Set(), { resumes: [], around: AT_REST, contextOf });
  return withoutDelays(planner.whole());
}

/**
 * A plan of the whole run without some of its steps, and without its delays.
 * @param contexts the contexts of its actors; null where they are those of the steps that are left.
 */
export function planWithout(
  runState: RunState,
  undone: ReadonlySet<PlacedStep>,
  contexts: ((actor: number) => unknown) | null = null,
): ActorPlan {
  const contextOf = contexts ?? ((actor: number) => contextWithoutSteps(runState.places, actor, undone));
  const planner = new Planner(runState, undone, new Set(), { resumes: [], around: AT_REST, contextOf });
  return withoutDelays(planner.whole());
}

function withoutDelays(plan: ActorPlan): ActorPlan {
  const make = plan.make.map((child) => (child.plan === null ? child : { ...child, plan: withoutDelays(child.plan) }));
  return { ...plan, make, timers: [], isArmed: () => true };
}

/** The settings of a planner: contexts are those of now, unless it is told others. */
interface Planned {
  readonly resumes: readonly Resume[];
  readonly around: Surroundings;
  /** The actors whose contexts were changed beside the undone steps. */
  readonly changed?: Iterable<number>;
  readonly contextOf?: (actor: number) => unknown;
}

class Planner {
  readonly #runState: RunState;
  readonly #undone: ReadonlySet<PlacedStep>;
  /** The actors that lose steps. */
  readonly #touched: ReadonlySet<number>;
  readonly #moved: ReadonlySet<string>;
  /** The lives of the sources that are begun anew: what an undone step has told them cannot be taken back (CH8). */
  readonly #anew: ReadonlySet<Region>;
  readonly #resumes: readonly Resume[];
  readonly #around: Surroundings;
  readonly #contextOf: (actor: number) => unknown;

  constructor(
    runState: RunState,
    undone: ReadonlySet<PlacedStep>,
    moved: ReadonlySet<string>,
    { resumes, around, changed = [], contextOf = (actor) => runState.actor(actor).context }: Planned,
  ) {
    this.#runState = runState;
    this.#undone = undone;
    this.#touched = new Set([...changed, ...[...this.#undone].map(({ actor }) => actor)]);
    this.#moved = moved;
    this.#contextOf = contextOf;
    this.#anew = new Set([...this.#undone].flatMap(({ moves }) => moves.filter(isLife)));
    this.#resumes = resumes;
    this.#around = around;
  }

  plan(): Plan {
    const controls: ControlEntry[] = [];
    const rewinds: Rewind[] = [];
    for (const actor of this.#runState.family.concerned(this.#undone)) {
      if (!this.#goesOn(actor)) continue;
      const children = this.#children(actor.number);
      const lost = this.#around.hasLost(actor.number);
      if (!lost && !this.#touched.has(actor.number) && children.every(({ fate }) => fate === 'keep' || fate === 'gone'))
        continue;
      rewinds.push({ actor: actor.number, plan: this.#planOf(actor, controls, true) });
    }
    return { controls, rewinds };
  }

  /** The plan of the root and of all in it, made anew. */
  whole(): ActorPlan {
    return this.#planOf(this.#runState.actor(0), [], false)();
  }

  #stands(step: PlacedStep | null): boolean {
    return step === null || !this.#undone.has(step);
  }

  /** True where a machine runs now and goes on: it, and all around it. */
  #goesOn(actor: ActorState): boolean {
    if (actor.parent === null) return true;
    if (actor.started?.kind !== 'machine' || this.#fateOf(actor) !== 'keep') return false;
    return this.#goesOn(this.#runState.actor(actor.parent));
  }

  /** The children of an actor, but for those that are gone and stay so. */
  #children(parent: number): { readonly child: ActorState; readonly fate: Fate }[] {
    const children = this.#runState.family.childrenOf(parent, this.#undone);
    return children.map((child) => ({ child, fate: this.#fateOf(child) }));
  }

  /** The fate of an actor: it goes on, is made anew where it stood or from its beginning, or is not there. */
  #fateOf(child: ActorState): Fate {
    const { by, ended, started, region } = child;
    if (by?.gone === true || !this.#stands(by)) return 'gone';
    if (ended !== null && (ended.gone || this.#stands(ended))) return 'gone';
    const isRunning = ended === null;
    const isMoved = region !== null && this.#moved.has(this.#around.ownerOf(region));
    if (started?.kind === 'machine') return this.#fateOfMachine(child, isMoved);
    if (started?.kind === 'other') return isRunning && !this.#anew.has(lifeOf(child.number)) ? 'keep' : 'afresh';
    return isRunning && !isMoved ? 'keep' : 'afresh';
  }

  #fateOfMachine({ number, begun, ended }: ActorState, isMoved: boolean): Fate {
    const stands = (step: PlacedStep) => this.#stands(step) && step.actor === number;
    if (this.#runState.places.lastMover(regionName(number, ''), stands) === undefined)
      return ended === null && !begun ? 'keep' : 'afresh';
    // One that has come to its end takes no plan any more; where nobody could take its output, it tells it again.
    const isAnew = this.#around.isOver(number) && (isMoved || this.#touched.has(number));
    return ended === null && !isAnew ? 'keep' : 'restored';
  }

  #planOf(actor: ActorState, controls: ControlEntry[], inPlace: boolean): () => ActorPlan {
    const { number } = actor;
    const value = this.#control(actor);
    const remembered = this.#remembered(actor);
    controls.push({ actor: number, value, remembered });
    const children = this.#children(number);
    const keep = inPlace
      ? children.filter(({ fate }) => fate === 'keep').map(({ child }) => child.started?.id as string)
      : [];
    const make = children
      .filter(({ fate }) => fate === 'afresh' || fate === 'restored' || (fate === 'keep' && !inPlace))
      .map(({ child, fate }) => {
        const isMachine = child.started?.kind === 'machine' && fate !== 'afresh';
        return { child, plan: isMachine ? this.#planOf(child, controls, false) : null };
      });
    const owing = new Set(make.flatMap(({ child }) => (child.started?.kind === 'promise' ? [child.started.at] : [])));
    const { cancel, timers } = this.#timers(number, owing, inPlace);
    return () => ({
      value,
      remembered,
      context: this.#contextOf(number),
      last: actor.last as ActorPlan['last'],
      keep,
      make: make.map(({ child, plan }) => childPlan(child, plan?.() ?? null)),
      cancel,
      timers,
      isArmed: armedIn(this.#runState, number, (step) => !step.gone && this.#stands(step)),
      now: () => this.#around.now(),
    });
  }

  #control(actor: ActorState): StateValue {
    let value = controlAfter(this.#runState, this.#undone, actor.number) ?? actor.value;
    for (const resume of this.#resumes) {
      const [number, path] = split(resume.region);
      if (number === actor.number) value = withPart(value, path, resume.value);
    }
    return value;
  }

  #remembered({ number, remembered }: ActorState): HistoryValue {
    const isChanged = [...(this.#undone as ReadonlySet<RecordedStep>)].some(
      (step) => step.actor === number && Object.keys(step.recalled).length > 0,
    );
    if (!isChanged) return remembered;
    const stands = this.#runState.places.steps.all.filter((step) => step.actor === number && !this.#undone.has(step));
    return Object.assign({}, ...stands.map(({ recalled }) => recalled));
  }

  #timers(
    number: number,
    owing: ReadonlySet<string | null>,
    inPlace: boolean,
  ): { cancel: string[]; timers: TimerPlan[] } {
    const cancel: string[] = [];
    const timers: TimerPlan[] = [];
    for (const timer of this.#runState.timers.besides(number, this.#undone)) {
      const isOwed = this.#stands(timer.armed) && (timer.gone === null || this.#undone.has(timer.gone));
      if (inPlace && timer.gone === null && !isOwed) cancel.push(timer.id);
      if (!isOwed) continue;
      const { type } = timer.event as { type: string };
      const isFull = owing.has(this.#around.stateOf(number, type));
      if (inPlace && timer.gone === null && !isFull && !this.#around.isLost(timer)) continue;
      if (inPlace && timer.gone === null) cancel.push(timer.id);
      timers.push(timerPlan(timer, isFull ? this.#around.now() + timer.delay : timer.due));
    }
    return { cancel, timers };
  }
}

type Fate = 'keep' | 'afresh' | 'restored' | 'gone';
