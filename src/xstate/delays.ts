/** Says how delayed events come: a rehearsal has a timer ring late, or never. */

/** A delayed event that is armed. */
export interface DelayedEvent {
  /** Tells it from the others that are armed. */
  readonly key: string;
  /** Its state and delay (`waiting after 1000`), or its type where it belongs to no state. */
  readonly name: string;
  /** Milliseconds. */
  readonly delay: number;
}

/** Told of the delayed events of a machine, each time that one is armed. */
export interface Delays {
  armed(timer: DelayedEvent): void;
  /**
   * Called when the delay is over. @returns the milliseconds by which the event is late, 0 for none; null if it never
   * rings.
   */
  due(timer: DelayedEvent): number | null;
  /** It was taken back before it rang. */
  gone(timer: DelayedEvent): void;
}

/** The option by which a rehearsal controls delayed events; no other run has it. */
export const DELAYS: unique symbol = Symbol('the delays of the run');
