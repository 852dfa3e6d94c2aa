/**
 * The reads that the paper evaluates: reads by code outside every skeleton, which may read everything and is evaluated
 * again in its place.
 */
import type { Access } from '../../history/key-tree.ts';
import type { Places } from '../../history/places.ts';
import type { PlacedStep } from '../../history/step-lists.ts';
import { ROOT } from '../../model/instance.ts';
import { regionName } from '../../model/region.ts';
import { eventType } from '../../model/reply-event.ts';
import type { Started, StepEntry } from '../../model/step-entry.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** True for a read by code of a step that belongs to no skeleton and asks nothing: where that comes to the same on paper, it has read the same. */
export function isReadEvaluated(places: Places<RecordedStep>, { by, at }: Access): boolean {
  if (by.id.skeleton !== ROOT) return false;
  const entry = places.stepAt(at)?.entry ?? null;
  if (entry === null || isBelays(entry)) return false;
  return entry.started.every((child) => child.kind === 'machine' || isOfUnit(places, entry, child));
}

/** True for a step that only looked at control, in a guard (`stateIn`). What is said to sources, and to calls that are made again, is no guard. */
export function isLookEvaluated(step: PlacedStep): boolean {
  const { entry } = step as RecordedStep;
  return entry !== null && entry.source === undefined && entry.tells === undefined && !isBelays(entry);
}

function isBelays({ event }: StepEntry): boolean {
  return eventType(event).startsWith('@belay.');
}

/** True where an actor that a step starts is asked by a unit that the step enters, or that takes part in it. */
function isOfUnit(places: Places<RecordedStep>, entry: StepEntry, { at }: Started): boolean {
  if (at === null) return false;
  const state = regionName(entry.actor, at);
  const entered = entry.marks.filter((mark) => mark.do === 'enter');
  const around = [
    ...entered.map((mark, index) => ({ instance: mark.in, region: entry.regions[index] })),
    ...entry.parties,
  ];
  return around.some(
    ({ instance, region }) => instance.skeleton !== ROOT && region !== undefined && places.within(state, region),
  );
}
