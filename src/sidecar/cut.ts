/**
 * A restore as the fold carries it out: which retained steps it takes out, what stays of the others, and where everything that
 * refers to a step stands afterwards (semantics.md R1, C1, C2).
 */
import { fold } from '../history/memory.ts';
import type { PlacedStep, Places, Region } from '../history/places.ts';
import type { StateValue } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { changeOf } from './edits.ts';
import type { FoldedActor, FoldedStep, Live, TakenBack, Timer } from './folded.ts';

/** How far an instance is kept: a number of the history, 0 for ⊥. */
export type Kept = readonly [InstanceId, number];

/** What a cut changes of a run. */
export interface Cuttable {
  readonly places: Places<FoldedStep>;
  readonly actors: readonly FoldedActor[];
  timers: Timer[];
  readonly live: Map<string, Live>;
  enliven(id: InstanceId, region: Region): void;
}

/** The steps that a restore to these positions takes out: those in which any party loses its part (C1a). */
export function undoneSteps(places: Places<FoldedStep>, kept: Iterable<Kept>): Set<PlacedStep> {
  const undone = new Set<PlacedStep>();
  for (const [id, at] of kept) {
    for (const step of places.stepsOf(instanceName(id), at, Number.POSITIVE_INFINITY)) undone.add(step);
  }
  return undone;
}

/** The memory of an actor before one of the steps of the run. */
export function memoryBefore(places: Places<FoldedStep>, actor: number, before: PlacedStep): unknown {
  const edits: FoldedStep['edits'][] = [];
  const earlier = places.between(-1, before.nth - 1);
  for (let index = earlier.length - 1; index >= 0; index -= 1) {
    const step = earlier[index] as FoldedStep;
    if (step.actor !== actor) continue;
    if (step.memory !== null) return fold(step.memory.is, edits.reverse().flat().map(changeOf));
    edits.push(step.edits);
  }
  return fold(undefined, edits.reverse().flat().map(changeOf));
}

/**
 * The events from outside that steps took and a restore takes back, in order, with what they met then (C1b). Those of work that is set
 * aside belong to its record.
 */
export function takenBackBy(
  run: Cuttable,
  undone: ReadonlySet<PlacedStep>,
  aside: ReadonlySet<PlacedStep>,
): TakenBack[] {
  const steps = ([...undone] as FoldedStep[]).filter((step) => step.outside !== null && !aside.has(step));
  return steps.sort((a, b) => a.nth - b.nth).map((step) => metBy(run, step));
}

/** What the event of a step met. */
function metBy({ places }: Cuttable, step: FoldedStep): TakenBack {
  const before = places.between(-1, step.nth - 1).findLast(({ actor }) => actor === step.actor);
  const regions = [...step.moves, ...step.looks];
  return {
    event: step.outside,
    context: memoryBefore(places, step.actor, step),
    control: before?.value ?? ('' as StateValue),
    regions,
    moved: step.moves,
    heard: heardIn(places, regions, step.nth),
  };
}

/** The events from outside that regions have heard, before a step. */
export function heardIn(places: Places<FoldedStep>, regions: readonly Region[], before: number): string[] {
  const heard = new Set<FoldedStep>();
  for (const region of regions)
    for (const step of places.chain(region)) if (step.nth < before && step.outside !== null) heard.add(step);
  return [...heard].sort((a, b) => a.nth - b.nth).map(({ outside }) => String((outside as { type?: unknown }).type));
}

/** Takes the undone steps out, folds the memories of those after them anew, and has everything else refer to what is left. */
export function carryOut(run: Cuttable, undone: ReadonlySet<PlacedStep>): void {
  const { places } = run;
  if (undone.size > 0) {
    const first = Math.min(...[...undone].map(({ nth }) => nth));
    const from = places.between(first - 1, Number.POSITIVE_INFINITY);
    const memories = new Map<number, unknown>();
    for (const step of from)
      if (!memories.has(step.actor)) memories.set(step.actor, memoryBefore(places, step.actor, from[0] as FoldedStep));
    for (const step of from) {
      if (undone.has(step)) continue;
      const memory = fold(memories.get(step.actor), step.edits.map(changeOf));
      memories.set(step.actor, memory);
      if (step.memory !== null) step.memory = { is: memory };
    }
    places.remove(undone);
    for (const [number, memory] of memories) {
      const actor = run.actors[number] as FoldedActor;
      actor.memory = memory;
      actor.sinceBase = 0;
      actor.begun = places.lastMover(`${number}:`) !== undefined;
    }
  }
  for (const actor of run.actors) {
    if (actor.ended !== null && undone.has(actor.ended)) actor.ended = null;
    if (actor.by !== null && undone.has(actor.by)) actor.ended = actor.by;
  }
  run.timers = run.timers.filter(({ armed }) => !armed.gone);
  for (const timer of run.timers) if (timer.gone !== null && undone.has(timer.gone)) timer.gone = null;
  for (const step of [...undone] as FoldedStep[]) for (const name of step.closes) reopen(run, name);
}

/** An instance whose closing step was undone is live again, unless it never started. */
function reopen(run: Cuttable, name: string): void {
  const place = run.places.of(name);
  if (place === undefined || place.entered.gone) return;
  place.closed = null;
  place.certified = false;
  if (!run.live.has(name)) run.enliven(place.id, place.region);
}
