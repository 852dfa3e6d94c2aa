/** Takes the failures of a run in, and has them answered one after the other. */
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Raised } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { OpenFailures } from './open-failures.ts';
import type { RecoveredMachine } from './recovered-machine.ts';

/** Answers what the queue takes in. */
export interface FailureHandler {
  recover(raised: Raised): Promise<void>;
  /** Asks the questions again that the run is parked on. */
  askAgain(): Promise<void>;
}

/** The sink of failures of one run. */
export class FailureQueue {
  readonly #open: OpenFailures;
  readonly #machine: RecoveredMachine;
  readonly #write: Writing;
  readonly #lifecycle: Lifecycle;
  readonly #handler: () => FailureHandler;
  #last: Promise<unknown> = Promise.resolve();

  /** @param handler answers failures; it is asked for with the first one. */
  constructor(
    open: OpenFailures,
    machine: RecoveredMachine,
    write: Writing,
    lifecycle: Lifecycle,
    handler: () => FailureHandler,
  ) {
    this.#open = open;
    this.#machine = machine;
    this.#write = write;
    this.#lifecycle = lifecycle;
    this.#handler = handler;
  }

  /**
   * Takes a failure in. Resolves once it was looked at, and never rejects: an error of the handler breaks the journal's writing.
   */
  raise(raised: Raised): Promise<void> {
    // From the moment at which a complaint is taken, nothing leaves that may rest on its subject (LC5).
    const answered = raised.suspect === true ? this.#lifecycle.begins('suspects') : ignored;
    this.#open.queued.add(raised);
    const recovered = this.add(
      () => {
        this.#open.queued.delete(raised);
        return this.#handler().recover(raised).finally(answered);
      },
      (error) => this.#write.break(error),
    );
    return recovered.catch(ignored);
  }

  /** Has the questions asked again that the run is parked on. */
  askAgain(): Promise<void> {
    return this.#handler().askAgain();
  }

  /** An effect was undone that the run may be parked on: what blocks no more is asked no more (C8, C9). */
  undone(): void {
    if (this.#open.parked.length > 0) void this.askAgain();
  }

  /** Does work after all recoveries before it, and not while the run is paused (LC10). @param failed is told of its error, as the caller is. */
  add<T>(work: () => T | Promise<T>, failed: (error: unknown) => void = ignored): Promise<T> {
    const ends = this.#lifecycle.begins('failures');
    const done = this.#last.then(() => {
      const paused = this.#lifecycle.until('ask');
      return paused === null ? work() : paused.then(() => this.#lifecycle.past('ask')).then(work);
    });
    this.#last = done.then(ignored, failed).finally(() => this.#ended(ends));
    return done;
  }

  /** Does work at once, counted among the recoveries. */
  async beside(work: () => Promise<void>): Promise<void> {
    const ends = this.#lifecycle.begins('failures');
    try {
      await work();
    } finally {
      this.#ended(ends);
    }
  }

  /** One recovery is over: where the run waits for nothing else, the machine goes on. */
  #ended(ends: () => void): void {
    this.#lifecycle.note({ isUnsure: false });
    ends();
    this.#machine.settled();
  }
}

/** The caller hears of it in another way. */
function ignored(): void {}
