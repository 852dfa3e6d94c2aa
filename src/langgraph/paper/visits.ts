/** How often the lanes of a graph were opened: by that, a call of a node is told from a call that the same node makes when control comes to it again. */

import { eventType } from '../../model/reply-event.ts';
import type { StateValue } from '../../model/step-entry.ts';
import { laneOf, lanesOf, PULLED } from '../../runtime/lanes.ts';
import { BEHIND, isReady } from '../line/control.ts';

/** The types of the events by which supersteps begin. */
const OPENING: readonly string[] = ['graph.step', 'graph.next'];

/** The lanes that were opened since a change, each with how often. */
export class Visits {
  readonly #counts = new Map<string, number>();

  /** Notes a step, by its event and the control after it. */
  takes(event: unknown, value: StateValue): void {
    if (!OPENING.includes(eventType(event))) return;
    for (const name of lanesAt(value)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** The name of a call, by the id of its actor, in the visit of its lane that goes on. */
  nameOf(id: string): string {
    return `${this.#counts.get(laneIn(id)) ?? 0} ${id}`;
  }
}

/** The names of the lanes in which control stands. */
function lanesAt(value: StateValue): readonly string[] {
  if (typeof value !== 'string') return lanesOf(value).map(({ name }) => name);
  return [laneOf(isReady(value) ? value.slice(BEHIND.length) : value, PULLED).name];
}

/** The lane in the id of the actor of a call. */
function laneIn(id: string): string {
  return id.slice(0, id.indexOf(':'));
}
