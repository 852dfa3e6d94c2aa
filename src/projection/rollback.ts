/**
 * A restore as the fold carries it out: the retained steps that it takes out, the rest of the other steps, and the new
 * targets of everything that refers to a step (semantics.md R1, C1, C2).
 */
import { fold } from '../history/context.ts';
import type { Places } from '../history/places.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import type { Discards } from './discards.ts';
import { changeOf } from './edits.ts';
import type { LiveInstances } from './live-instances.ts';
import { HeardThen, type Redelivery } from './redelivery.ts';
import type { RecordedStep, ToRedeliver } from './state-types.ts';
import type { Timers } from './timers.ts';

/** The point up to which an instance is kept: a number of the history, 0 for ⊥. */
export type Kept = readonly [InstanceId, number];

/** The projections that a rollback changes. */
interface Rollbackable {
  readonly places: Places<RecordedStep>;
  readonly actors: Actors;
  readonly timers: Timers;
  readonly instances: LiveInstances;
  readonly discards: Discards;
  readonly redelivery: Redelivery;
}

/** The steps that a restore to these positions takes out: those in which any party loses its part (C1a). */
export function undoneSteps(places: Places<RecordedStep>, kept: Iterable<Kept>): Set<PlacedStep> {
  const undone = new Set<PlacedStep>();
  for (const [id, at] of kept) {
    for (const step of places.stepsOf(instanceName(id), at, Number.POSITIVE_INFINITY)) undone.add(step);
  }
  return undone;
}

/**
 * The context of an actor before a step, folded only on demand: few of the events that come again need it at one time.
 */
class ContextBefore {
  readonly step: PlacedStep;
  /** The context or the value that the changes are folded into. */
  #from: ContextBefore | { readonly is: unknown };
  #edits: RecordedStep['edits'];

  /** @param earlier the context before an earlier step of the actor, so that only the steps between are folded. */
  constructor(places: Places<RecordedStep>, actor: number, before: PlacedStep, earlier: ContextBefore | null = null) {
    const edits: RecordedStep['edits'][] = [];
    this.step = before;
    this.#from = { is: undefined };
    for (const step of places.before(before.nth, actor)) {
      if (step.context !== null) this.#from = step.context;
      else edits.push(step.edits);
      if (step === earlier?.step && step.context === null) this.#from = earlier;
      if (step.context !== null || step === earlier?.step) break;
    }
    this.#edits = edits.reverse().flat();
  }

  get is(): unknown {
    const edits: RecordedStep['edits'][] = [];
    let from: ContextBefore | { readonly is: unknown } = this;
    for (; from instanceof ContextBefore; from = from.#from) edits.push(from.#edits);
    const is = fold(from.is, edits.reverse().flat().map(changeOf));
    [this.#from, this.#edits] = [{ is }, []];
    return is;
  }
}

/** The context that an actor had before a step. */
export function contextBefore(places: Places<RecordedStep>, actor: number, step: PlacedStep): unknown {
  return new ContextBefore(places, actor, step).is;
}

/** The context that an actor has without some of the retained steps. */
export function contextWithoutSteps(
  places: Places<RecordedStep>,
  actor: number,
  undone: ReadonlySet<PlacedStep>,
): unknown {
  const first = Math.min(...[...undone].map(({ nth }) => nth));
  const behind = places.between(first - 1, Number.POSITIVE_INFINITY);
  if (behind[0] === undefined) return undefined;
  const kept = behind.filter((step) => step.actor === actor && !undone.has(step));
  return fold(contextBefore(places, actor, behind[0]), kept.flatMap(({ edits }) => edits).map(changeOf));
}

/** The steps that took events from outside and that a restore takes back, in order, without steps of set-aside work. */
export function stepsFromOutside(
  undone: ReadonlySet<PlacedStep>,
  aside: ReadonlySet<PlacedStep>,
): readonly RecordedStep[] {
  const steps = ([...undone] as RecordedStep[]).filter((step) => step.isOutside && !aside.has(step));
  return steps.sort((a, b) => a.nth - b.nth);
}

/** The events from outside that a restore takes back, in order, with the values that they met then (C1b). */
export function eventsToRedeliver(
  places: Places<RecordedStep>,
  undone: ReadonlySet<PlacedStep>,
  aside: ReadonlySet<PlacedStep>,
  wrong: FoundWrong | null,
  nameOf: (step: RecordedStep) => string | null = () => null,
): ToRedeliver[] {
  const heard = new HeardThen(places, undone);
  const last = new Map<number, ContextBefore>();
  return stepsFromOutside(undone, aside).map((step) => {
    const context = new ContextBefore(places, step.actor, step, last.get(step.actor) ?? null);
    last.set(step.actor, context);
    return metBy(places, step, context, heard, wrong, nameOf(step));
  });
}

/**
 * Work that a restore takes back because it was found wrong: the event of its first wrong write, and the keys; no keys
 * means all its writes.
 */
export interface FoundWrong {
  readonly at: number;
  readonly keys: readonly string[];
}

/** The places that the event of a step met. */
function metBy(
  places: Places<RecordedStep>,
  step: RecordedStep,
  before: ContextBefore,
  heard: HeardThen,
  wrong: FoundWrong | null,
  name: string | null,
): ToRedeliver {
  const [last] = places.before(step.nth, step.actor);
  const regions = [...step.moves, ...step.looks];
  return {
    event: step.outside,
    get context() {
      return before.is;
    },
    control: last?.value ?? ('' as StateValue),
    regions,
    moved: step.moves,
    heard: heard.before(regions, step.nth),
    wrong: wrong !== null && step.act >= wrong.at ? wrong.keys : null,
    held: null,
    name,
  };
}

/**
 * Takes the undone steps out, folds the contexts of the steps after them anew, and updates every reference to an undone
 * step.
 */
export function rollBack(
  { places, actors, timers, instances, discards, redelivery }: Rollbackable,
  undone: ReadonlySet<PlacedStep>,
): void {
  redelivery.takeOut(places, undone);
  if (undone.size > 0) takeOut(places, actors, undone);
  actors.rollBack(undone as ReadonlySet<RecordedStep>);
  timers.rollBack(undone);
  for (const step of [...undone] as RecordedStep[]) {
    for (const name of step.closes) {
      instances.reopen(name);
      discards.reopen(name);
    }
  }
}

/** The context of an actor without the changes of one instance; null if that instance has changed nothing. */
export function contextWithout(
  places: Places<RecordedStep>,
  actor: number,
  name: string,
): { readonly is: unknown } | null {
  const isOwn = ({ parties }: RecordedStep, by: readonly number[]) =>
    by.every((index) => parties[index]?.name === name);
  const own = places.stepsOf(name, 0, Number.POSITIVE_INFINITY) as readonly RecordedStep[];
  const first = own.find((step) => step.actor === actor && step.edits.some(({ by }) => isOwn(step, by)));
  if (first === undefined) return null;
  const later = places.between(first.nth - 1, Number.POSITIVE_INFINITY).filter((step) => step.actor === actor);
  const edits = later.flatMap((step) => step.edits.filter(({ by }) => !isOwn(step, by)));
  return { is: fold(new ContextBefore(places, actor, first).is, edits.map(changeOf)) };
}

function takeOut(places: Places<RecordedStep>, actors: Actors, undone: ReadonlySet<PlacedStep>): void {
  let first = Number.POSITIVE_INFINITY;
  for (const { nth } of undone) first = Math.min(first, nth);
  const from = places.between(first - 1, Number.POSITIVE_INFINITY);
  const contexts = new Map<number, unknown>();
  for (const step of from)
    if (!contexts.has(step.actor))
      contexts.set(step.actor, new ContextBefore(places, step.actor, from[0] as RecordedStep).is);
  for (const step of from) {
    if (undone.has(step)) continue;
    const context = fold(contexts.get(step.actor), step.edits.map(changeOf));
    contexts.set(step.actor, context);
    if (step.context !== null) step.context = { is: context };
  }
  places.remove(undone);
  for (const [number, context] of contexts) {
    const actor = actors.at(number);
    actor.context = context;
    actor.sinceBase = 0;
    actor.begun = places.lastMover(`${number}:`) !== undefined;
  }
}
