/**
 * The failures of a run that have no answer yet, and the plan that waits for its undos: both keep a run from going on.
 */
import type { Decision } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import type { Lifecycle } from '../lifecycle/lifecycle.ts';
import type { Raised } from '../parts.ts';
import type { Owed } from '../report.ts';
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
  readonly #lifecycle: Lifecycle;
  #parked: readonly Raised[] = [];
  #asking: Decision | null = null;
  #stuck: StuckPlan | null = null;
  #owed: readonly Owed[] = [];
  /** The failures that were raised and are not looked at yet. */
  readonly queued = new Set<Raised>();
  /** The failed calls that are made again once the run is not parked any more. */
  deferred: Raised[] = [];
  /**
   * The questions of the last process, while they are asked again before the machine is there: what they are about is no work to
   * build on.
   */
  unanswered: readonly Raised[] = [];

  constructor(ending: RunEnding, lifecycle: Lifecycle) {
    this.#ending = ending;
    this.#lifecycle = lifecycle;
  }

  /** The questions that the run is parked on. */
  get parked(): readonly Raised[] {
    return this.#parked;
  }

  set parked(questions: readonly Raised[]) {
    this.#parked = questions;
    this.#note();
  }

  /** The decision that the run stands on while counterparties are still to be asked; null where none is. */
  get asking(): Decision | null {
    return this.#asking;
  }

  set asking(decision: Decision | null) {
    this.#asking = decision;
    this.#note();
  }

  /** The plan that waits for its undos: nothing is decided before it is finished, which another decision would displace (E5, R5). */
  get stuck(): StuckPlan | null {
    return this.#stuck;
  }

  set stuck(plan: StuckPlan | null) {
    this.#stuck = plan;
    this.#note();
  }

  /** The undos that an abort owes and that a person has to make (AB4). */
  set owed(owed: readonly Owed[]) {
    this.#owed = owed;
    this.#note();
  }

  #note(): void {
    const waitsFor = this.#asking === null ? 'person' : 'counterparty';
    const parkedOn = this.#parked.length === 0 ? 'nothing' : waitsFor;
    this.#lifecycle.note({ parkedOn, isStuck: this.#stuck !== null || this.#owed.length > 0 });
  }

  /** Asks again what the run was parked on: until it is answered, no call leaves. */
  async askedAgain(ask: () => Promise<unknown>): Promise<void> {
    this.#lifecycle.note({ isAskedAgain: true });
    try {
      this.unpark();
      await ask();
    } finally {
      this.#lifecycle.note({ isAskedAgain: false });
    }
  }

  /** Lets go of all questions that the run is parked on: they are answered, or asked again. */
  unpark(): void {
    this.asking = null;
    this.owed = [];
    this.parked = [];
    this.#ending.goOn();
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
