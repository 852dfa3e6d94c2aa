/**
 * A clock that is driven: it replaces the timers of the process, and time passes when no other work is left. A wait of
 * two days takes no time, and the same work ends the same way on a fast or slow machine. Reading and writing (files,
 * sockets, processes) goes on in real time: no timer fires while the process waits for it.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { NUMBER, refuseOther } from '../model/argument.ts';

interface Timer {
  due: number;
  readonly run: () => void;
  /** The period of an interval; null for a timer that fires once. */
  readonly every: number | null;
}

/** The longest wait of a platform timer, in milliseconds; a longer one fires at once. */
const LONGEST = 2 ** 31 - 1;
/** The time at which every driven clock begins, so that two runs write the same times. */
const BEGINNING = Date.UTC(2030, 0, 1, 9);
/** The longest real wait for input and output after which a timer fires nevertheless, in milliseconds. */
const PATIENCE = 5_000;
/** Real waits before a timer fires during a call whose work is not visible: for short timers, and for long ones. */
const GRACE = { short: 5, long: 250 } as const;
/** The most real waits for calls whose work is not visible and that no timer brings on: ten seconds of them. */
const MOST_WAITS = 40;
/** A timer is long from this wait on, in milliseconds. */
const LONG = 1_000;
/** Kinds of resources of the process that stand for no work of their own. */
const IDLE = /^(Timeout|Immediate|TTYWrap|.*ServerWrap)$/;
/** Above the numbers that the platform gives its own timers. */
const FIRST = 2 ** 40;
/** Kinds of requests: each ends by itself, so one that is under way when the clock begins is not usual. */
const REQUEST = /Req/;

/** Thrown when driven work waits for an event that no timer brings. */
export class StalledError extends Error {
  override readonly name = 'StalledError';
  readonly code = 'stalled';
}

/** Timers that fire when the process has nothing else to do. One clock holds the timers of the process at a time. */
export class DrivenClock {
  static #holder: DrivenClock | null = null;
  /** The clock that the work of now is done within. */
  static readonly #around = new AsyncLocalStorage<DrivenClock>();
  readonly #timers = new Map<number, Timer>();
  readonly #own = { setTimeout, clearTimeout, setInterval, clearInterval, Date };
  #now: number;
  #next = FIRST;
  #hasWork = false;
  #usual: ReadonlyMap<string, number> = new Map();

  /** @param beginning its first time, in milliseconds: the same for every clock, if left out. */
  constructor(beginning = BEGINNING) {
    refuseOther('DrivenClock', { beginning: [beginning, NUMBER] });
    this.#now = beginning;
  }

  /** The time of this clock, in milliseconds. */
  readonly now = (): number => this.#now;

  /**
   * Does work whose timers this clock holds, and no others: what else goes on in the process, such as a poll that a test
   * before has left, keeps its own. Without it, a clock holds every timer that is set while it holds them.
   */
  within<T>(work: () => T): T {
    this.#hasWork = true;
    return DrivenClock.#around.run(this, work);
  }

  /** Takes the place of the timers of the process, until `release`. @throws Error where another clock holds them. */
  hold(): void {
    if (DrivenClock.#holder !== null) throw new Error('another driven clock holds the timers: release it first');
    DrivenClock.#holder = this;
    this.#usual = new Map([...resources()].filter(([kind]) => !REQUEST.test(kind)));
    const own = this.#own;
    const set = (run: (...all: unknown[]) => void, wait = 0, ...all: unknown[]) =>
      this.#isMine()
        ? this.#add(wait > LONGEST ? 1 : wait, () => run(...all), null)
        : own.setTimeout(run, wait, ...all);
    const repeat = (run: (...all: unknown[]) => void, wait = 0, ...all: unknown[]) =>
      this.#isMine() ? this.#add(wait, () => run(...all), Math.max(1, wait)) : own.setInterval(run, wait, ...all);
    const clear = (handle?: unknown) => {
      if (Number(handle ?? 0) >= FIRST) this.#timers.delete(Number(handle));
      else own.clearTimeout(handle as NodeJS.Timeout);
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval: clear });
    globalThis.Date = drivenDate(own.Date, () => (this.#isMine() ? this.#now : own.Date.now()));
  }

  /** Gives the timers back. */
  release(): void {
    if (DrivenClock.#holder !== this) return;
    DrivenClock.#holder = null;
    Object.assign(globalThis, this.#own);
  }

  /**
   * Lets the time pass to the next timer and fires it. @returns false where none is set.
   * @param isBusy true where a call is under way that an interval may be looking after: then intervals let time pass, too.
   */
  fireNext(isBusy = false): boolean {
    const next = this.#first((timer) => isBusy || timer.every === null);
    if (next === null) return false;
    const [id, timer] = next;
    this.#now = Math.max(this.#now, timer.due);
    if (timer.every === null) this.#timers.delete(id);
    // An interval fires once however long the time that passes: it sees the state of then.
    const late = [...this.#timers.values()].filter(({ due, every }) => every !== null && due <= this.#now);
    for (const each of late) each.due = this.#now + (each.every as number);
    for (const each of late) if (each !== timer) each.run();
    timer.run();
    return true;
  }

  /**
   * Resolves once nothing but timers is left: promises, immediates, reading and writing.
   * @param calls the number of calls under way: their work is not visible, so they get a moment of real time.
   */
  async quiet(calls: () => number = () => 0): Promise<void> {
    let waited = 0;
    let grace = calls() === 0 ? 0 : this.#grace();
    for (;;) {
      await immediate();
      if (resources().has('Immediate')) continue;
      const isReading = this.#isReading();
      if (calls() === 0 && !isReading) return;
      if (isReading ? waited >= PATIENCE : grace <= 0) return;
      const before = calls();
      await new Promise((resolve) => this.#own.setTimeout(resolve, 1));
      waited += 1;
      grace = calls() < before ? 0 : grace - 1;
    }
  }

  /**
   * Runs some work on this clock and gives the timers back.
   * @throws StalledError where the work waits for an event that no timer brings.
   */
  async during<T>(work: () => Promise<T> | T): Promise<T> {
    this.hold();
    try {
      return await this.carry(work);
    } finally {
      this.release();
    }
  }

  /**
   * Fires timers until some work is done, while this clock holds them.
   * @param calls the number of calls under way: their work is not visible, so the work is given real time before it counts as stalled.
   * @throws StalledError where the work waits for an event that no timer brings.
   */
  async carry<T>(work: () => Promise<T> | T, calls: () => number = () => 0): Promise<T> {
    let isOver = false;
    const done = Promise.resolve(work()).finally(() => {
      isOver = true;
    });
    done.catch(() => {});
    let waits = 0;
    for (;;) {
      await this.quiet(calls);
      if (isOver) return await done;
      if (this.fireNext(true)) continue;
      if (calls() === 0 || waits++ >= MOST_WAITS)
        throw new StalledError('nothing is due any more, and the work is not done');
    }
  }

  /** True for work that this clock holds the timers of. */
  #isMine(): boolean {
    return !this.#hasWork || DrivenClock.#around.getStore() === this;
  }

  #add(wait: number, run: () => void, every: number | null): object {
    const id = this.#next++;
    this.#timers.set(id, { due: this.#now + Math.max(0, wait || 0), run, every });
    const handle = { ref: () => handle, unref: () => handle, hasRef: () => true, [Symbol.toPrimitive]: () => id };
    return handle;
  }

  #first(counts: (timer: Timer) => boolean): [number, Timer] | null {
    let first: [number, Timer] | null = null;
    for (const each of this.#timers)
      if (counts(each[1]) && (first === null || each[1].due < first[1].due)) first = each;
    return first;
  }

  #grace(): number {
    const next = this.#first(() => true);
    if (next === null) return GRACE.long;
    return next[1].due - this.#now >= LONG ? GRACE.long : GRACE.short;
  }

  /** True while the process reads or writes more than it did when the clock began. */
  #isReading(): boolean {
    for (const [kind, count] of resources()) if (!IDLE.test(kind) && count > (this.#usual.get(kind) ?? 0)) return true;
    return false;
  }
}

/** The resources that keep the process busy, counted by their kinds. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The class of dates that takes the time from a clock. */
function drivenDate(own: DateConstructor, now: () => number): DateConstructor {
  const driven = class extends own {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [now()] : given) as [number]));
    }
    static override now(): number {
      return now();
    }
    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof own;
    }
  };
  return driven as unknown as DateConstructor;
}
