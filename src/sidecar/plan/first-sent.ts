/**
 * The events that the first step of a run has raised and sent, and its receivers have lost to a restore (semantics.md C1a). That step always stands,
 * and its actions do not run again: so its events are handed on again. A pure reading of the projections.
 */
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** The first step of a run, and the steps that have received an event of it and are taken out, the earliest first. */
export interface FirstSent {
  readonly first: RecordedStep;
  readonly owed: readonly RecordedStep[];
}

/**
 * Finds the events of the first step that are owed to their receivers, by the steps that had received them. Another step of the first
 * macrostep sends its own again as it is done again: what several may have sent is left to them. A delayed event comes by its timer.
 * Null before the run has a step.
 */
export function firstSent({ places, timers }: Pick<RunState, 'places' | 'timers'>): FirstSent | null {
  const { first } = places;
  if (first === null) return null;
  const delayed = timers.armedBy(first);
  const last: RecordedStep[] = [];
  for (const step of first.leads as RecordedStep[]) {
    const isItsOwn = step.ties.length > 0 && step.ties.every((tied) => tied === first);
    if (!isItsOwn || delayed.some(({ event }) => isEqual(event, step.entry?.event))) continue;
    const before = last.findIndex((other) => other.gone && isSame(other, step));
    if (before < 0) last.push(step);
    else last[before] = step;
  }
  return { first, owed: last.filter(({ gone }) => gone) };
}

function isSame(one: RecordedStep, other: RecordedStep): boolean {
  return one.actor === other.actor && isEqual(one.entry?.event, other.entry?.event);
}
