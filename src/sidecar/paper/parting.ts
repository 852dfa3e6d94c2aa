/** The first difference between the past of a run and what another machine takes of it (semantics.md CO3), and its words. */
import { eventType } from '../../model/reply-event.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { RecordedStep } from '../../projection/state-types.ts';

/** The first step at which another machine goes another way. */
export interface Parting {
  /** The number of the step among those of the run, from 1. */
  readonly step: number;
  readonly event: string;
  /** The part of the step that is another one. */
  readonly is: 'step' | 'event' | 'state' | 'context' | 'actors' | 'arguments' | 'delays';
  /** The state, the key of the context, or the tool. */
  readonly at: string;
  readonly expected: string;
  readonly found: string;
}

/** A difference of a step. */
export function parted({ nth, entry }: RecordedStep, difference: Omit<Parting, 'step' | 'event'>): Parting {
  return { step: nth + 1, event: eventType(entry?.event), ...difference };
}

/** The states of a value, as people write them. */
export function statesOf(value: StateValue): string {
  if (typeof value === 'string') return value;
  const parts = Object.entries(value).map(([name, inner]) => {
    const below = inner === undefined ? '' : statesOf(inner);
    return below === '' ? name : `${name}.${below}`;
  });
  return parts.join(', ');
}

/** The shape of a value: a message never shows what a context holds. */
export function shapeOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return `a text of ${value.length}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object')
    return `an object with ${Object.keys(value).toSorted().slice(0, 8).join(', ') || 'no keys'}`;
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}

/** The text of a finding, told apart from the text of the expectation. */
export function differently(expected: string, found: string): string {
  return expected === found ? `${found} that is another one` : found;
}
