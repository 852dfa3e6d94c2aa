/**
 * The names that journals give the events of a runtime's own: how a child ended, which delay is over. xstate names them so, journals hold
 * them so since their first format, and every runtime tells its own by these names.
 */

/** The type of an event; '' where it has none. */
export function eventType(event: unknown): string {
  const { type } = (event ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type : '';
}

/** The event with which an actor begins; it selects nothing but eventless transitions. */
export const INIT = 'xstate.init';

const DONE = 'xstate.done.actor.';
const FAILED = 'xstate.error.actor.';
const DELAY = 'xstate.after.';

/** The name of the event that tells the output of a child. */
export function doneEvent(child: string): string {
  return `${DONE}${child}`;
}

/** The name of the event that tells the error of a child. */
export function errorEvent(child: string): string {
  return `${FAILED}${child}`;
}

/** The id of the child whose output an event tells; null for any other event. */
export function answeringChild(type: unknown): string | null {
  return typeof type === 'string' && type.startsWith(DONE) ? type.slice(DONE.length) : null;
}

/** The id of the child whose end an event tells, with an output or an error; null for any other event. */
export function endedChild(type: unknown): string | null {
  if (typeof type !== 'string') return null;
  return type.startsWith(FAILED) ? type.slice(FAILED.length) : answeringChild(type);
}

/** True for the event that a delayed transition waits for. */
export function isDelay(type: unknown): type is string {
  return typeof type === 'string' && type.startsWith(DELAY);
}

/** The rest of a delayed event's name: the delay, and the id of the state behind it. */
export function delayedBy(type: string): string {
  return type.slice(DELAY.length);
}
