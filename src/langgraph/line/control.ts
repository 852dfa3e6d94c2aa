/**
 * The control of a graph that runs one node at a time: a plain state in the root's own region. To leave one node and to enter the next is
 * one move of it, so that a unit goes on where the next node is one of its own.
 */
import type { StateValue } from '../../model/step-entry.ts';
import { END, type Part, placesOf } from '../../runtime/lanes.ts';
import type { Place } from '../../runtime/microstep.ts';
import { rootPlace } from '../../runtime/plain-step.ts';

/** The state behind a node whose unit is over, or that belongs to none: LangGraph goes on from there by its edges. */
export const BEHIND = '#';

/** The state before a node that has not begun. */
export function beforeNode(node: string): string {
  return `${BEHIND}${node}`;
}

/** True where the node at which control stands has not begun. */
export function isReady(value: StateValue | null): boolean {
  return typeof value === 'string' && value.startsWith(BEHIND) && value !== BEHIND;
}

/** The state of a node, by how far it is. */
export function stateFor(node: string, part: Part): string {
  if (part === 'ready') return beforeNode(node);
  return part === 'end' ? BEHIND : node;
}

/** The place of a plain state, in the words of a config. */
export function plainPlace(value: string): Place {
  if (value === BEHIND) return rootPlace(END);
  return rootPlace(isReady(value) ? BEHIND : value);
}

/** All places in which control is, for a graph of either kind. */
export function placesIn(value: StateValue): Place[] {
  return typeof value === 'string' ? [plainPlace(value)] : placesOf(value);
}
