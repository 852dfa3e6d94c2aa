/**
 * Replaces the first step of a run by one with another input (semantics.md ST3). Work that rests on the old step was
 * undone before.
 */
import { contextKey, diff, fold } from '../history/context.ts';
import type { Places } from '../history/places.ts';
import type { Begun } from '../model/entry.ts';
import type { Key } from '../model/key.ts';
import type { StepEntry } from '../model/step-entry.ts';
import type { Actors } from './actors.ts';
import { changeOf } from './edits.ts';
import type { RecordedStep } from './state-types.ts';

/** Has the first step be another one, and folds the context of the machine anew. Costs the steps of the machine. */
export function beginAnew(
  places: Places<RecordedStep>,
  actors: Actors,
  event: unknown,
  { context, inputs }: Begun,
): void {
  const first = places.first as RecordedStep;
  const entry = first.entry as StepEntry;
  const given = new Map(inputs);
  first.become({
    ...entry,
    event,
    edits: entry.edits.map((edit) => ({ ...edit, value: context })),
    started: entry.started.map((child, place) => (given.has(place) ? { ...child, input: given.get(place) } : child)),
  });
  const root = actors.at(0);
  let is: unknown;
  for (const step of places.steps.all) {
    if (step.actor !== 0) continue;
    is = fold(is, step.edits.map(changeOf));
    if (step.context !== null) step.context = { is };
  }
  root.context = is;
}

/** The keys that the first step of a run writes differently with another input. */
export function keysBegunAnew(places: Places<RecordedStep>, { context }: Begun): Key[] {
  const [edit] = places.first?.edits ?? [];
  return diff(edit?.op === 'set' ? edit.value : undefined, context, () => false).map(({ path }) => contextKey(path));
}
