/** The clock of a process: the time, and every wait of Belay. Nothing else sets a timer of the platform, which a driven clock replaces. */

/** A wait that is set. */
export interface Alarm {
  /** Takes it back. */
  cancel(): void;
}

/** A wait that is set again and again. */
export interface Beat extends Alarm {
  /** Sets whether the alarm keeps the process alive; at first it does not. */
  keepAlive(is: boolean): void;
}

/** Tells the time, and waits. */
export interface Clock {
  /** The wall clock, in milliseconds. */
  readonly now: () => number;
  /** Waits so many milliseconds, or until a signal is given. */
  readonly pause: (milliseconds: number, until?: AbortSignal) => Promise<void>;
  /** Waits until everything that waits for its turn in the process has had it. No time passes for that. */
  readonly turn: () => Promise<void>;
  /**
   * Calls a function in so many milliseconds, 24.8 days at most.
   * @param keepsAlive false where the process may end before.
   */
  readonly after: (milliseconds: number, run: () => void, keepsAlive?: boolean) => Alarm;
  /** Calls a function every so many milliseconds, as long as something else keeps the process alive. */
  readonly every: (milliseconds: number, run: () => void) => Beat;
}

/** The clock of a process. @param now its wall clock. */
export function processClock(now: () => number = () => Date.now()): Clock {
  return { now, pause, turn, after, every };
}

/** The clock of this process, for waits that are measured in the time of the process and not in the time of a run. */
export const PROCESS = processClock();

/** The result of some work, or null where it takes longer than so many milliseconds. @throws what the work throws. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<{ readonly is: T } | null> {
  let alarm: Alarm = { cancel: () => {} };
  const late = new Promise<null>((resolve) => {
    alarm = after(milliseconds, () => resolve(null));
  });
  try {
    return await Promise.race([work.then((is) => ({ is })), late]);
  } finally {
    alarm.cancel();
  }
}

function after(milliseconds: number, run: () => void, keepsAlive = true): Alarm {
  const timer = setTimeout(run, milliseconds);
  if (!keepsAlive) timer.unref();
  return { cancel: () => clearTimeout(timer) };
}

function every(milliseconds: number, run: () => void): Beat {
  const timer = setInterval(run, milliseconds).unref();
  return { cancel: () => clearInterval(timer), keepAlive: (is) => void (is ? timer.ref() : timer.unref()) };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(milliseconds: number, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      alarm.cancel();
      until?.removeEventListener('abort', over);
      resolve();
    };
    const alarm = after(milliseconds, over);
    until?.addEventListener('abort', over, { once: true });
    if (until?.aborted) over();
  });
}
