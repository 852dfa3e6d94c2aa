/**
 * The life of one run (semantics.md LC1 to LC9): its one state. Callers ask here whether something may happen now, and
 * this module wakes the waiters whose answer has changed.
 */
import { type Answer, answer } from './answers.ts';
import { configurationOf, type Facts, type Journaled, lapsed, OPENING } from './facts.ts';
import { type RunStatus, statusOf, type Waited, waitsFor } from './status.ts';
import type { Configuration, Question } from './table.ts';

/** Work that waits for the answer to a question to be another one. */
interface Waiting {
  readonly question: Question;
  readonly go: () => void;
}

/** Work that goes on each time the answer to a question becomes yes. */
interface Listener {
  readonly question: Question;
  readonly go: () => void;
  wasYes: boolean;
}

/** The life of one run. */
export class Lifecycle {
  readonly #journaled: Journaled;
  readonly #leave = new AbortController();
  #facts: Facts = OPENING;
  #waiting: Waiting[] = [];
  /** The work that goes on each time an answer becomes yes. */
  readonly #listeners: Listener[] = [];

  constructor(journaled: Journaled) {
    this.#journaled = journaled;
  }

  /** The state of the run. */
  get configuration(): Configuration {
    return configurationOf(this.#facts, this.#journaled);
  }

  get status(): RunStatus {
    return statusOf(this.configuration);
  }

  get waitsFor(): readonly Waited[] {
    return waitsFor(this.configuration);
  }

  /** Aborted once the process takes leave of the run: the program's own functions are not called any more. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** True while a person ends the run with its undos: nothing but undos leaves (AB1). */
  get isAborting(): boolean {
    return this.configuration.will === 'aborting';
  }

  /** True once the process gives the run back: nothing begins any more, and what waits is the next one's. */
  get isLeft(): boolean {
    return this.#facts.hold === 'leaving' || this.#facts.hold === 'none';
  }

  /** True once the root takes events: it was started. */
  get isAwake(): boolean {
    return this.#facts.machine === 'awake';
  }

  /** The answer to a question, as the run stands. */
  answer(question: Question): Answer {
    return answer(question, this.configuration);
  }

  /** True where something may happen now. */
  may(question: Question): boolean {
    return this.answer(question).is === 'yes';
  }

  /** True where something waits here: the answer is to wait, and this process will have another one. */
  waits(question: Question): boolean {
    return !this.isLeft && this.answer(question).is === 'wait';
  }

  /**
   * Null where an answer is yes or no, or where the next process waits for it; else resolves once it is another one. Who has waited asks again: it may
   * have become a third.
   */
  until(question: Question): Promise<void> | null {
    return this.waits(question) ? new Promise((go) => this.#waiting.push({ question, go })) : null;
  }

  /** Resolves once an answer is not to wait. */
  async past(question: Question): Promise<void> {
    for (let wait = this.until(question); wait !== null; wait = this.until(question)) await wait;
  }

  /** True where something may happen now, or would but for the questions that are asked again, of which it is the answer: beside no complaint (LC5). */
  mayAnswerItself(question: Question): boolean {
    const { configuration } = this;
    const isRejudged = configuration.question === 'rejudging' && this.#facts.suspects === 0;
    return answer(question, isRejudged ? { ...configuration, question: 'clear' } : configuration).is === 'yes';
  }

  /** Calls a function each time the answer to a question has become yes, in a turn of its own: what is happening is over by then. */
  whenever(question: Question, go: () => void): void {
    this.#listeners.push({ question, go, wasYes: this.may(question) });
  }

  /** Notes facts that have changed, and wakes what they let go on (LC2). */
  note(change: Partial<Facts>): void {
    this.#facts = { ...this.#facts, ...change };
    this.moved();
  }

  /** Something begins that is counted. @returns what ends it. */
  begins(what: 'failures' | 'suspects'): () => void {
    const count = (by: 1 | -1) => this.note({ [what]: this.#facts[what] + by });
    count(1);
    let isOver = false;
    return () => {
      if (!isOver) count(-1);
      isOver = true;
    };
  }

  /** The process is to give the run back: nothing of it begins any more, what is under way may come back (LC7). */
  drains(): void {
    if (this.#facts.hold !== 'broken') this.note({ hold: 'leaving' });
  }

  /** The process takes leave of the run: what waits goes on waiting in the next one. */
  leaves(): void {
    this.drains();
    this.#leave.abort();
    this.moved();
  }

  /** The process has given the run back: what ends with it is over. */
  gone(): void {
    this.note({ ...lapsed(this.#facts), hold: 'none' });
  }

  /** The journal may have said something of the life of the run. */
  moved(): void {
    for (const listener of this.#listeners) this.#tell(listener);
    if (this.#waiting.length === 0) return;
    const woken = this.#waiting.filter(({ question }) => !this.waits(question));
    if (woken.length === 0) return;
    this.#waiting = this.#waiting.filter((one) => !woken.includes(one));
    for (const { go } of woken) go();
  }

  #tell(listener: Listener): void {
    const isYes = this.may(listener.question);
    if (isYes && !listener.wasYes) queueMicrotask(listener.go);
    listener.wasYes = isYes;
  }
}
