/** The failures of a run that have no answer yet, and the plan that waits for its undos: what keeps a run from going on. */
import type { Decision } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import type { Raised } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { RestoredParts } from './recovered-machine.ts';
import type { RunEnding } from './run-ending.ts';

/** A plan with an undo that failed. */
interface StuckPlan {
  readonly decision: Decision;
  readonly parts: RestoredParts;
}

/** The unanswered failures of one run. */
export class OpenFailures {
  readonly #ending: RunEnding;
  /** The failures that were raised and are not looked at yet. */
  readonly queued = new Set<Raised>();
  /** The questions that the run is parked on. */
  parked: readonly Raised[] = [];
  /** The failed calls that are made again once the run is not parked any more. */
  deferred: Raised[] = [];
  /**
   * The questions of the last process, while they are asked again before the machine is there: what they are about is no work to
   * build on.
   */
  unanswered: readonly Raised[] = [];
  /** The decision that the run stands on while counterparties are still to be asked; null where none is. */
  asking: Decision | null = null;
  /**
   * The plan that waits for its undos: nothing is decided before it is finished, which another decision would displace (E5, R5).
   */
  stuck: StuckPlan | null = null;
  /** The complaints that were taken and are not answered: nothing leaves or is committed that may rest on their subjects (LC5). */
  readonly #suspects = new Set<Raised>();
  /** True while what the run was parked on is asked again. */
  #isAskedAgain = false;
  /** The calls that wait. */
  #waiting: (() => void)[] = [];

  constructor(ending: RunEnding) {
    this.#ending = ending;
  }

  get isParked(): boolean {
    return this.parked.length > 0;
  }

  /** True while it is in question what a call rests on: the run is parked, or what it was parked on is asked again. */
  get isOpen(): boolean {
    return this.isParked || this.#isAskedAgain;
  }

  /** True while a complaint was taken and is not answered (LC5). */
  get isSuspecting(): boolean {
    return this.#suspects.size > 0;
  }

  /** Takes a failure in. */
  take(raised: Raised): void {
    this.queued.add(raised);
    if (raised.suspect === true) this.#suspects.add(raised);
  }

  /** Lets go of a failure that has its answer, which may be that the run stands on it. */
  answered(raised: Raised): void {
    if (this.#suspects.delete(raised) && !this.isSuspecting) this.wakeCalls();
  }

  /** Resolves once calls that wait are to look again. */
  woken(): Promise<void> {
    return new Promise((again) => this.#waiting.push(again));
  }

  /** Has the calls that wait look again. */
  wakeCalls(): void {
    for (const again of this.#waiting.splice(0)) again();
  }

  /** Asks again what the run was parked on: until it is answered, no call leaves. */
  async askedAgain(ask: () => Promise<unknown>): Promise<void> {
    this.#isAskedAgain = true;
    try {
      this.unpark();
      await ask();
    } finally {
      this.#isAskedAgain = false;
      this.wakeCalls();
    }
  }

  /** Lets go of all questions that the run is parked on: they are answered, or asked again. */
  unpark(): void {
    this.parked = [];
    this.asking = null;
    this.#ending.goOn();
    this.wakeCalls();
  }

  /** Takes questions from those that the run is parked on. */
  unask(questions: readonly Raised[]): void {
    if (questions.length === 0) return;
    const left = this.parked.filter((one) => !questions.includes(one));
    if (left.length === 0) this.unpark();
    this.parked = left;
  }

  /** Lists the failure that is being decided, and all that wait to be. */
  complaintsWith(raised: Raised): Raised[] {
    return [...new Set([raised, ...this.parked, ...this.queued])];
  }

  /** Names the instances that the other waiting failures are about: they are no work to build on (C12). */
  suspectsBeside(failure: Failure): string[] {
    const waiting = [...this.parked, ...this.queued, ...this.unanswered];
    const others = waiting.filter((other) => other.failure !== failure);
    return others.flatMap((other) => (other.failure.in === null ? [] : [instanceName(other.failure.in)]));
  }

  /** @throws SidecarError `stuck` while an undo has failed: nothing is decided before its plan is finished (E5). */
  refuseIfStuck(): void {
    if (this.stuck !== null) throw stuckError();
  }
}

/** The error of a request that a stuck plan refuses. */
export function stuckError(): SidecarError {
  const text =
    'an undo has failed, and nothing else is decided before it is done: have it tried again by reconcile(), or undo it by hand and settle it';
  return new SidecarError('stuck', text);
}
