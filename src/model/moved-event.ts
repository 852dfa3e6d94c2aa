/** The event of a move: a run that goes on from where it stands by another machine receives it first (semantics.md CO11). */
import type { Digests } from './entry.ts';
import type { EdgeShape } from './machine.ts';

/** The event that tells a machine that a run was moved to it. */
export const MOVED_EVENT = '@belay.moved';

/** An event of a move. */
export interface MovedEvent {
  readonly [key: string]: unknown;
  readonly type: string;
  /** The number of the move among those of the run, from 1. */
  readonly nth: number;
  /** The release that the run was moved from. */
  readonly from: { readonly machine: string; readonly config: string; readonly version?: string };
}

/** The event of a move. */
export function movedEvent(nth: number, { machine, config, version }: Digests): MovedEvent {
  return { type: MOVED_EVENT, nth, from: { machine, config, ...(version !== undefined && { version }) } };
}

export function isMoved(event: unknown): event is MovedEvent {
  return (event as { readonly type?: unknown }).type === MOVED_EVENT;
}

/** True for an edge that only the event of a move takes: no run comes by it that the machine has begun. */
export function isOfMove({ event }: EdgeShape): boolean {
  return event === MOVED_EVENT;
}

/** The id of the event of a move. */
export function idOfMove({ nth }: Pick<MovedEvent, 'nth'>): string {
  return `@belay.moved:${nth}`;
}
