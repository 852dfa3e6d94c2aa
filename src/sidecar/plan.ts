/**
 * From a cut to what is to be done: where control stands in each region, which actors go on, which are made anew, which timers are
 * armed again (semantics.md C1, §10). Control is the projection of the control writes that are retained; a pure reading of the fold.
 */
import type { PlacedStep } from '../history/places.ts';
import type { ControlEntry, HistoryValue, Started, StateValue } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { partOf, type WorkRecord } from '../projection/records.ts';
import { type Kept, undoneSteps } from '../projection/rollback.ts';
import type { RunState } from '../projection/run-state.ts';
import type { ActorState, RecordedStep, Timer } from '../projection/state-types.ts';
import { withPart } from '../projection/translate.ts';
import type { ActorPlan, ChildPlan, TimerPlan } from '../runtime/restore-plan.ts';

/** A region that resumes at a state that the config names instead of where its past says (§4, Separable). */
export interface Resume {
  readonly region: Region;
  readonly by: InstanceId;
  readonly value: StateValue;
}

/** A plan that can be carried out, and again after a crash. */
export interface Plan {
  readonly controls: readonly ControlEntry[];
  /** The actors to rewind in place, outermost first. Their memories are read once the fold has undone what is undone. */
  readonly rewinds: readonly Rewind[];
}

interface Rewind {
  readonly actor: number;
  plan(): ActorPlan;
}

/** What a plan asks of a run besides its fold. */
export interface Surroundings {
  /** The name of the instance whose calls are made in a state: a live one, or the root of the region. */
  ownerOf(region: Region): string;
  /** The path of the state that a delayed transition belongs to; null for a delayed event of another kind. */
  stateOf(actor: number, type: string): string | null;
  /** Whether a timer has fired, and the step that its event was to cause has failed: nobody but a plan arms it again. */
  isLost(timer: Timer): boolean;
  /** Whether a machine has come to its end. */
  isOver(actor: number): boolean;
  now(): number;
}

/** Plans a restore. Must be asked before the fold has undone anything. */
export function planRestore(
  runState: RunState,
  kept: readonly Kept[],
  resumes: readonly Resume[],
  around: Surroundings,
): Plan {
  return new Planner(runState, kept, resumes, around).plan();
}

/** The plan of a fresh process: everything stands where the journal ends. */
export function planResume(runState: RunState, now: () => number): ActorPlan {
  return head(runState, 0, now);
}

/** The control that a restore would leave in a region, or undefined where nothing has ever moved it. */
export function controlAfter(
  runState: RunState,
  undone: ReadonlySet<PlacedStep>,
  actor: number,
): StateValue | undefined {
  const stands = (step: RecordedStep) => step.actor === actor && !undone.has(step);
  const outer = runState.places.lastMover(regionName(actor, ''), stands);
  if (outer === undefined) return undefined;
  let { value } = outer;
  const paths = runState.places.regionsOf(actor).map((region) => split(region)[1]);
  for (const path of paths.filter((inner) => inner !== '').sort((a, b) => a.length - b.length)) {
    const mover = runState.places.lastMover(regionName(actor, path), stands);
    const part = mover === undefined || mover.nth < outer.nth ? undefined : partOf(mover.value, path);
    if (part !== undefined) value = withPart(value, path, part as StateValue);
  }
  return value;
}

/** The way on behind a record that was claimed: control stands where its last step left it, and what that owes is started (C5a). */
export function planClaim(
  runState: RunState,
  record: WorkRecord,
  region: Region,
  next: readonly number[],
  now: () => number,
): ActorPlan {
  const [number] = split(region);
  const actor = runState.actor(number);
  const running = runState.actors.filter(
    ({ parent, ended, started }) => parent === number && ended === null && started !== null,
  );
  const inside = runState.timers.filter(
    (timer) => timer.actor === number && runState.places.within(timer.region, region),
  );
  return {
    value: actor.value,
    remembered: actor.remembered,
    context: actor.context,
    last: actor.last as ActorPlan['last'],
    keep: running.filter((child) => !next.includes(child.number)).map(({ started }) => (started as Started).id),
    make: running.filter((child) => next.includes(child.number)).map((child) => childPlan(child, null)),
    cancel: inside.filter(({ gone }) => gone !== null).map(({ id }) => id),
    timers: record.next.timers.map((timer) => timerPlan(timer, now() + timer.delay)),
    isArmed: armedIn(runState, number, () => true),
    now,
  };
}

/** Whether a delayed event was armed in the visit of its state that goes on, by steps that stand. */
function armedIn(runState: RunState, actor: number, stands: (step: PlacedStep) => boolean): ActorPlan['isArmed'] {
  return (id, state) => {
    const timers = runState.timers.filter((timer) => timer.actor === actor && timer.id === id && stands(timer.armed));
    return timers.some(({ armed, gone, region }) => {
      if (gone === null) return true;
      if (!stands(gone)) return false;
      const since = visitOf(runState, region, state, stands);
      return since !== null && armed.nth >= since;
    });
  };
}

/** The number of the step with which the visit of a state began that goes on; null where it is not active. */
function visitOf(
  runState: RunState,
  region: Region,
  state: string,
  stands: (step: PlacedStep) => boolean,
): number | null {
  const [actor] = split(region);
  let since: number | null = null;
  for (const step of [...runState.places.chain(region)].reverse()) {
    if (step.actor !== actor || !step.moves.includes(region) || !stands(step)) continue;
    if (!isActive(step.value, state)) return since;
    since = step.nth;
  }
  return since;
}

function isActive(value: StateValue, path: string): boolean {
  const keys = path === '' ? [] : path.split('.');
  const last = keys.pop();
  const around = partOf(value, keys.join('.'));
  return last === undefined || around === last || (typeof around === 'object' && around !== null && last in around);
}

class Planner {
  readonly #runState: RunState;
  readonly #undone: ReadonlySet<PlacedStep>;
  /** The actors that lose steps. */
  readonly #touched: ReadonlySet<number>;
  readonly #moved: ReadonlySet<string>;
  readonly #resumes: readonly Resume[];
  readonly #around: Surroundings;

  constructor(runState: RunState, kept: readonly Kept[], resumes: readonly Resume[], around: Surroundings) {
    this.#runState = runState;
    this.#undone = undoneSteps(runState.places, kept);
    this.#touched = new Set([...this.#undone].map(({ actor }) => actor));
    this.#moved = new Set(kept.map(([id]) => instanceName(id)));
    this.#resumes = resumes;
    this.#around = around;
  }

  plan(): Plan {
    const controls: ControlEntry[] = [];
    const rewinds: Rewind[] = [];
    for (const actor of this.#runState.actors) {
      if (!this.#goesOn(actor)) continue;
      const children = this.#children(actor.number);
      const lost = this.#runState.timers.some((timer) => timer.actor === actor.number && this.#around.isLost(timer));
      if (!lost && !this.#touched.has(actor.number) && children.every(({ fate }) => fate === 'keep' || fate === 'gone'))
        continue;
      rewinds.push({ actor: actor.number, plan: this.#planOf(actor, controls, true) });
    }
    return { controls, rewinds };
  }

  #stands(step: PlacedStep | null): boolean {
    return step === null || !this.#undone.has(step);
  }

  /** Whether a machine runs now and goes on: it, and all around it. */
  #goesOn(actor: ActorState): boolean {
    if (actor.parent === null) return true;
    if (actor.started?.kind !== 'machine' || this.#fateOf(actor) !== 'keep') return false;
    return this.#goesOn(this.#runState.actor(actor.parent));
  }

  #children(parent: number): { readonly child: ActorState; readonly fate: Fate }[] {
    return this.#runState.actors
      .filter((child) => child.parent === parent && child.started !== null)
      .map((child) => ({ child, fate: this.#fateOf(child) }));
  }

  /** What becomes of an actor: it goes on, is made anew where it stood or from its beginning, or is not there. */
  #fateOf(child: ActorState): Fate {
    const { by, ended, started, region, number } = child;
    if (by?.gone === true || !this.#stands(by)) return 'gone';
    if (ended !== null && (ended.gone || this.#stands(ended))) return 'gone';
    const isRunning = ended === null;
    const isMoved = region !== null && this.#moved.has(this.#around.ownerOf(region));
    if (started?.kind === 'machine') {
      const hasBegun = this.#runState.places.lastMover(
        regionName(number, ''),
        (step) => this.#stands(step) && step.actor === number,
      );
      if (hasBegun === undefined) return isRunning && !child.begun ? 'keep' : 'afresh';
      // One that has come to its end takes no plan any more; where nobody could take its output, it tells it again.
      const isAnew = this.#around.isOver(number) && (isMoved || this.#touched.has(number));
      return isRunning && !isAnew ? 'keep' : 'restored';
    }
    if (started?.kind === 'other') return isRunning ? 'keep' : 'afresh';
    return isRunning && !isMoved ? 'keep' : 'afresh';
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
      context: this.#runState.actor(number).context,
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
    const stands = this.#runState.steps.filter((step) => step.actor === number && !this.#undone.has(step));
    return Object.assign({}, ...stands.map(({ recalled }) => recalled));
  }

  #timers(
    number: number,
    owing: ReadonlySet<string | null>,
    inPlace: boolean,
  ): { cancel: string[]; timers: TimerPlan[] } {
    const cancel: string[] = [];
    const timers: TimerPlan[] = [];
    for (const timer of this.#runState.timers) {
      if (timer.actor !== number) continue;
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

/** An actor as it stands, everything in it made anew: for a fresh process. */
function head(runState: RunState, number: number, now: () => number): ActorPlan {
  const actor = runState.actor(number);
  const make = runState.actors
    .filter((child) => child.parent === number && child.ended === null && child.started !== null)
    .map((child) =>
      childPlan(child, child.started?.kind === 'machine' && child.begun ? head(runState, child.number, now) : null),
    );
  const timers = runState.timers.filter((timer) => timer.actor === number && timer.gone === null);
  return {
    value: actor.value,
    remembered: actor.remembered,
    context: actor.context,
    last: actor.last as ActorPlan['last'],
    keep: [],
    make,
    cancel: [],
    timers: timers.map((timer) => timerPlan(timer, timer.due)),
    isArmed: armedIn(runState, number, () => true),
    now,
  };
}

function childPlan(child: ActorState, plan: ActorPlan | null): ChildPlan {
  const { id, src, at, kind, input } = child.started as Started;
  return { number: child.number, id, src, at, kind, input, plan, event: child.event as ChildPlan['event'] };
}

function timerPlan({ id, event, delay }: Timer, due: number): TimerPlan {
  return { id, event: event as TimerPlan['event'], due, delay };
}

/** The numbers up to which a rerun keeps what it keeps: the first step of the run, and nothing after it (§8.4). */
export function keptByRerun(runState: RunState): Kept[] {
  return [...runState.places.all()].map(({ id, root, entered }): Kept => {
    if (entered.nth > 0) return [id, 0];
    const checkpoints = runState.history.registry.get(id)?.positions ?? [];
    const first = root ? checkpoints.findLast(({ at }) => at <= entered.to) : checkpoints[0];
    return [id, first?.at ?? 0];
  });
}
