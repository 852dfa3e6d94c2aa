/**
 * Replaces the timers of the process while something runs: nothing waits for the wall clock, and whoever holds the time says when the
 * next timer is due. The same timers fire in the same order, however fast the machine is and whatever else it does. `setImmediate`
 * stays, so that promises and the journal's flushes go on by themselves.
 */
interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** What a timer of the platform can wait for. */
const LONGEST = 2 ** 31 - 1;

/** Thrown where something waits for what no timer brings. */
class Stalled extends Error {}

/** Timers that fire when they are told to. */
export class VirtualTime {
  readonly #timers = new Map<number, Timer>();
  readonly #own = { setTimeout, clearTimeout, setInterval, clearInterval };
  readonly #clock = Date.now;
  #now = 1_000_000;
  #next = 1;

  /** Takes the place of the process's timers, until `release`. */
  hold(): void {
    const add = (wait: number, run: () => void) => {
      const id = this.#next++;
      this.#timers.set(id, { due: this.#now + wait, run });
      const handle = { ref: () => handle, unref: () => handle, hasRef: () => false, [Symbol.toPrimitive]: () => id };
      return handle;
    };
    // The platform's timers fire at once where they are set for longer than they can wait.
    const set = (run: (...all: unknown[]) => void, wait = 0, ...all: unknown[]) =>
      add(wait > LONGEST ? 1 : wait, () => run(...all));
    const clear = (handle?: unknown) => void this.#timers.delete(Number(handle ?? 0));
    // What polls would keep a run busy for ever: nobody in these runs has anything to tell it.
    const never = () => add(Number.POSITIVE_INFINITY, () => {});
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, setInterval: never, clearInterval: clear });
    Date.now = this.now;
  }

  release(): void {
    Object.assign(globalThis, this.#own);
    Date.now = this.#clock;
  }

  readonly now = (): number => this.#now;

  /** Lets time pass in which nothing runs: what would be due in it is due at its end. */
  sleep(wait: number): void {
    this.#now += wait;
  }

  /** Fires the timer that is due next. @returns false where none is set. */
  fireNext(): boolean {
    let next: [number, Timer] | null = null;
    for (const each of this.#timers)
      if (Number.isFinite(each[1].due) && (next === null || each[1].due < next[1].due)) next = each;
    if (next === null) return false;
    const [id, timer] = next;
    this.#timers.delete(id);
    this.#now = Math.max(this.#now, timer.due);
    timer.run();
    return true;
  }

  /**
   * Does some work in this time, which goes on whenever nothing else does. One at a time: the timers of the process are one.
   * @throws Stalled where the work waits for what no timer brings.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.hold();
    try {
      let isOver = false;
      const done = work().finally(() => {
        isOver = true;
      });
      done.catch(() => {});
      for (let idle = 0; ; ) {
        await settled();
        if (isOver) return await done;
        idle = this.fireNext() ? 0 : idle + 1;
        if (idle > PATIENCE) throw new Stalled('nothing is due any more, and nobody answers');
      }
    } finally {
      this.release();
    }
  }
}

/** After so many rounds in which nothing was due, nothing comes any more. */
const PATIENCE = 20;

/** Resolves once all that needs no timer is done: promises, and what they have flushed. */
async function settled(): Promise<void> {
  for (let rounds = 0; rounds < 2; rounds++) await new Promise((resolve) => setImmediate(resolve));
}
