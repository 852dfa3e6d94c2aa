/** Takes the failures of a run in, and has them answered one after the other. */
import type { Raised } from '../parts.ts';
import type { Pausing } from '../pausing.ts';
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
  readonly #pausing: Pausing;
  readonly #stopping: AbortSignal;
  readonly #handler: () => FailureHandler;
  #last: Promise<unknown> = Promise.resolve();
  #length = 0;

  /**
   * @param stopping is aborted when the process takes leave of the run.
   * @param handler answers failures; it is asked for with the first one.
   */
  constructor(
    open: OpenFailures,
    machine: RecoveredMachine,
    write: Writing,
    pausing: Pausing,
    stopping: AbortSignal,
    handler: () => FailureHandler,
  ) {
    this.#open = open;
    this.#machine = machine;
    this.#write = write;
    this.#pausing = pausing;
    this.#stopping = stopping;
    this.#handler = handler;
  }

  /** The number of recoveries that are under way or wait for their turn. */
  get length(): number {
    return this.#length;
  }

  /**
   * Takes a failure in. Resolves once it was looked at, and never rejects: an error of the handler breaks the journal's writing.
   */
  raise(raised: Raised): Promise<void> {
    this.#open.take(raised);
    const recovered = this.add(
      () => {
        this.#open.queued.delete(raised);
        return this.#handler()
          .recover(raised)
          .finally(() => this.#open.answered(raised));
      },
      (error) => this.#write.break(error),
    );
    return recovered.catch(ignored);
  }

  /** Has the questions asked again that the run is parked on. */
  askAgain(): Promise<void> {
    return this.#handler().askAgain();
  }

  /** Does work after all recoveries before it, and not while the run is paused (LC10). @param failed is told of its error, as the caller is. */
  add<T>(work: () => T | Promise<T>, failed: (error: unknown) => void = ignored): Promise<T> {
    this.#length += 1;
    const pausing = this.#pausing;
    const done = this.#last.then(() => (pausing.isOn ? pausing.passed().then(work) : work()));
    this.#last = done.then(ignored, failed).finally(() => this.#answered());
    return done;
  }

  /** Does work at once, counted among the recoveries. */
  async beside(work: () => Promise<void>): Promise<void> {
    this.#length += 1;
    try {
      await work();
    } finally {
      this.#length -= 1;
      this.#machine.settled();
    }
  }

  /** One recovery is over: where the run waits for nothing else, the machine goes on. */
  #answered(): void {
    this.#length -= 1;
    if (this.#length > 0) return;
    const { parked, stuck } = this.#open;
    if (parked.length === 0 && stuck === null && !this.#stopping.aborted) this.#machine.release();
    this.#machine.settled();
  }
}

/** The caller hears of it in another way. */
function ignored(): void {}
