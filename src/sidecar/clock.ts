/** The clock of a run: the time, and waiting. */

/** Tells the time, and waits. */
export interface Clock {
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  /** Waits so many milliseconds. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** The clock of a process. It waits by the timers of the platform, which a driven clock replaces. */
export function processClock(now: () => number = () => Date.now()): Clock {
  return { now, pause: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)) };
}
