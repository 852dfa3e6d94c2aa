/**
 * The names of events: the names of xstate's own events that this room needs, and the private events that it sends to
 * machines.
 */

/** The event that stops an actor. */
export const STOP = 'xstate.stop';

/** The event with which a promise tells itself its value. */
export const RESOLVED = 'xstate.promise.resolve';

/** The event by which an observable reports its own completion. */
export const COMPLETED = 'xstate.observable.complete';

/** The private event that rewinds a machine. */
export const RESTORE = '@belay.restore';

/** The private event with which a machine whose end had to wait is over. */
export const END = '@belay.end';

/** The private event with which a machine begins whose first macrostep threw. */
export const BEGIN = '@belay.begin';

/** The private event that tells when an actor takes events. */
export const WAKE = '@belay.wake';

/** True for an event that xstate makes itself. */
export function isXstates(type: string): boolean {
  return type.startsWith('xstate.');
}

/** True for an event by which a child reports a snapshot to its machine, and goes on. */
export function isSnapshot(type: string): boolean {
  return type.startsWith('xstate.snapshot.');
}

/** True for an event that tells of an error. */
export function tellsError(type: string): boolean {
  return type.startsWith('xstate.error.');
}

/** The name of the event that tells that a state is complete. */
export function stateDone(id: string): string {
  return `xstate.done.state.${id}`;
}

/** True for an event that tells that a state is complete. */
export function tellsStateDone(type: string): boolean {
  return type.startsWith('xstate.done.state.');
}

/** True for the name that xstate gives to logic that stands in a state itself. */
export function isInline(src: string): boolean {
  return src.startsWith('xstate.invoke.');
}

/** True for an action that raises an event, or may. */
export function isRaising(type: string | undefined): boolean {
  return type === 'xstate.raise' || type === 'xstate.enqueueActions';
}

/** True for an action that sends an event to another actor, or may. */
export function maySend(type: string | undefined): boolean {
  return isSending(type) || type === 'xstate.enqueueActions';
}

/** True for an action that sends an event to another actor. */
export function isSending(type: string | undefined): boolean {
  return type === 'xstate.sendTo';
}
