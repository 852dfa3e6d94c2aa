/** Tells an event of a move that the sidecar has not sent (semantics.md CO11). */
import { idOfMove, isMoved } from '../model/moved-event.ts';
import type { Received } from './received.ts';

/** True for an event that says that the run was moved, and that no move has brought, or that the run has taken. */
export function isForgedMove(received: Pick<Received, 'get'>, event: object): boolean {
  if (!isMoved(event)) return false;
  const known = received.get(idOfMove(event));
  return known === undefined || known.step !== null || known.is === 'refused';
}
