/** The steps of a run in a base, and where its instances live. */
import type { Places } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { instanceName } from '../../model/instance.ts';
import type { ActorState, RecordedStep } from '../state-types.ts';
import type { Loading } from './loading.ts';
import type { Pages } from './pages.ts';
import type { Saving } from './saving.ts';
import { type StepRows, stepRows, stepsOf } from './step-rows.ts';

/**
 * The interval, in steps of an actor, at which a base stores the actor's context: among old steps, and among the newest
 * steps.
 */
const CONTEXT_EVERY = 1_024;
const NEWEST_EVERY = 64;

/** Lays down where everything is. The steps themselves follow, once all are met: `savedSteps`. */
export function savedPlaces(places: Places<RecordedStep>, pages: Pages, to: Saving) {
  for (const step of places.steps.here) to.step(step);
  const here = to.steps.all.length;
  for (const step of pages.pinned()) to.step(step);
  const { places: all, roots } = places.parts;
  const lived = [...all.values()].map(({ id, region, root, entered, closed, certified }) => {
    const flags = (root ? 1 : 0) + (certified ? 2 : 0);
    return [to.id(id), to.word(region), flags, to.step(entered), to.step(closed)] as const;
  });
  const ofRegions = [...roots].map(([region, id]) => [to.word(region), to.id(id)] as const);
  const words = [...places.regions()].map((region) => to.word(region));
  const { names, regions, movers, first } = places.pagedOut;
  const out = {
    names: names.map(([name, newest]) => [to.word(name), newest] as const),
    regions: regions.map(([region, newest]) => [to.word(region), newest] as const),
    movers: movers.map(([region, step]) => [to.word(region), to.step(step)] as const),
    first: to.step(first),
  };
  return { here, next: places.next, removals: places.removals, lived, roots: ofRegions, regions: words, out };
}

/** Lays down all steps that were met, and those that they lead to. */
export function savedSteps(pages: Pages, to: Saving) {
  const rare: unknown[] = [];
  // Those that are met on the way are added to the list.
  for (let index = 0; index < to.steps.all.length; index += 1) {
    const seldom = savedRare(to.steps.all[index] as RecordedStep, to);
    if (seldom !== null) rare.push([index, ...seldom]);
  }
  const out = to.steps.all.flatMap((step, index) => (pages.isOut(step) ? [index] : []));
  return { ...stepRows(to.steps.all, to), rare, out: to.texts.numbers(out), count: to.steps.all.length };
}

function savedRare({ leads, ties, owes, closes, origins }: RecordedStep, to: Saving) {
  if (leads.length === 0 && ties.length === 0 && owes === 0 && closes.length === 0 && origins === null) return null;
  const numbers = (steps: readonly PlacedStep[]) => steps.map((step) => to.step(step));
  const first = origins?.map((origin) => origin ?? -1) ?? null;
  return [numbers(leads), numbers(ties), owes, closes.map((name) => to.word(name)), first] as const;
}

/** The steps of a page whose contexts are kept: the first of each actor that has one, and one every so often after it. */
export function* contextsOfPage(steps: readonly RecordedStep[]): Generator<RecordedStep> {
  const since = new Map<number, number>();
  for (const step of steps) {
    const count = (since.get(step.actor) ?? CONTEXT_EVERY) + 1;
    const isKept = step.context !== null && count >= CONTEXT_EVERY;
    since.set(step.actor, isKept ? 0 : count);
    if (isKept) yield step;
  }
}

/**
 * The steps that are here and whose contexts a base keeps: the last of each actor that has one, and others the further apart, the further back they
 * are. A restore goes to the newest nearly always, and folds the changes since the context before it.
 */
function* keptContexts({ steps }: Places<RecordedStep>): Generator<RecordedStep> {
  const counts = new Map<number, { back: number; next: number }>();
  for (const step of steps.here.toReversed()) {
    const count = counts.get(step.actor) ?? { back: -1, next: 0 };
    counts.set(step.actor, count);
    count.back += 1;
    if (step.context === null || count.back < count.next) continue;
    count.next = count.back + Math.min(CONTEXT_EVERY, Math.max(NEWEST_EVERY, 2 * count.back));
    yield step;
  }
}

/** Has old steps keep no contexts but those that a base has: a wide context that every step copies would be held as often as there are steps. */
export function dropContexts(places: Places<RecordedStep>): void {
  const kept = new Set(keptContexts(places));
  const old = places.steps.here.slice(0, -CONTEXT_EVERY);
  for (const step of old) if (!kept.has(step)) step.context = null;
}

/** Lays down the contexts after some of the steps: the edits lead from there to all others. */
export function savedContexts(places: Places<RecordedStep>, actors: readonly ActorState[], to: Saving) {
  const contexts: (readonly [step: number, context: unknown])[] = [];
  for (const step of keptContexts(places)) contexts.push([to.step(step), to.texts.value(step.context?.is, 'memory')]);
  const present = actors.map(({ context }) => (context === undefined ? -1 : to.texts.value(context, 'memory')));
  return { contexts, present };
}

/** Makes the steps again: first of all, since everything refers to them. */
export function loadSteps(saved: StepRows, from: Loading): void {
  for (const step of stepsOf(saved, from, () => undefined)) from.steps.push(step);
}

/** Puts the steps and the instances in their places. */
export function loadPlaces(
  places: Places<RecordedStep>,
  saved: ReturnType<typeof savedPlaces>,
  { steps, pages }: { readonly steps: ReturnType<typeof savedSteps>; readonly pages: Pages },
  from: Loading,
): void {
  places.resumeAt(
    0,
    0,
    saved.regions.map((region) => from.word(region)),
  );
  for (const step of from.steps.slice(0, saved.here)) places.add(step);
  const { names, regions, movers, first } = saved.out;
  const out = {
    names: names.map(([name, newest]) => [from.word(name), newest] as const),
    regions: regions.map(([region, newest]) => [from.word(region), newest] as const),
    movers: movers.map(([region, step]) => [from.word(region), from.step(step)] as const),
    first: first === -1 ? null : from.step(first),
  };
  if (pages.count > 0) places.arePagedOut(out, pages);
  places.resumeAt(saved.next, saved.removals);
  for (const row of steps.rare as [number, ...NonNullable<ReturnType<typeof savedRare>>][]) {
    const [index, leads, ties, owes, closes, origins] = row;
    const step = from.step(index);
    if (leads.length > 0) step.leads = leads.map((lead) => from.step(lead));
    if (ties.length > 0) step.ties = ties.map((tie) => from.step(tie));
    step.owes = owes;
    if (closes.length > 0) step.closes = closes.map((name) => from.word(name));
    step.origins = origins?.map((origin) => (origin === -1 ? undefined : origin)) ?? null;
  }
  for (const index of from.source.numbers(steps.out)) pages.keep(from.step(index));
  const { places: all, roots } = places.parts;
  for (const [id, region, flags, entered, closed] of saved.lived)
    all.set(instanceName(from.id(id)), {
      id: from.id(id),
      region: from.word(region),
      root: (flags & 1) !== 0,
      entered: from.step(entered),
      closed: from.stepOrNull(closed),
      certified: (flags & 2) !== 0,
    });
  for (const [region, id] of saved.roots) roots.set(from.word(region), from.id(id));
}
