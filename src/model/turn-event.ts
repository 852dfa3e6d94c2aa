/** The events that bring the inputs of turns, as journals have them. */
import { eventType } from './reply-event.ts';

/** The types of the events that bring the input of a turn: those of loops, flows and graphs. */
const TYPES: readonly string[] = ['loop.input', 'flow.input', 'graph.input'];

/** The input of a turn. */
export interface JournaledTurn {
  readonly type: string;
  readonly input: unknown;
  /** Its number; left out of one that waits for its turn. */
  readonly turn?: number;
  /** The digest of the input. */
  readonly is: string;
  readonly id?: string;
}

/** An event as the input of a turn; null for any other event. */
export function turnIn(event: unknown): JournaledTurn | null {
  return TYPES.includes(eventType(event)) ? (event as JournaledTurn) : null;
}
