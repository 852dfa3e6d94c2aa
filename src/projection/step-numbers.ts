/** Finds the steps of a run by numbers of its history. */
import type { Places } from '../history/places.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { RecordedStep } from './state-types.ts';

/** The id of the boundary that a checkpoint of an instance is; `entry` for its entry. */
export function boundaryAt(places: Places<RecordedStep>, id: InstanceId, at: number): string {
  const name = instanceName(id);
  const step = places.stepAt(at);
  return step?.certified.find((boundary) => boundary.name === name)?.id ?? 'entry';
}

/** The number under which a write happened first: a replay that takes a record over gives it another (C6, C12). */
export function originOf(places: Places<RecordedStep>, at: number): number {
  const step = places.stepAt(at);
  if (step === undefined || step.origins === null || step.entry === null) return at;
  let number = step.act;
  for (const [index, mark] of step.entry.marks.entries()) {
    if (mark.do !== 'enter') number += 1;
    if (number === at && mark.do !== 'enter') return step.origins[index] ?? at;
  }
  return at;
}
