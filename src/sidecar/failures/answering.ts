/**
 * Answers failures: each is settled or decided, and a decision is carried out, or waits for a person (semantics.md §8,
 * R5).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isRestore } from '../../model/decision.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { split } from '../../model/region.ts';
import { goneCalls } from '../../projection/gone-calls.ts';
import type { Held, Raised, RunParts } from '../parts.ts';
import type { PlanRunner } from '../plan/plan-runner.ts';
import { complaintAbout } from '../queries/gone-effects.ts';
import { graphRefused } from '../queries/refused-questions.ts';
import type { Complaints } from './complaints.ts';
import { countingDecision } from './counting.ts';
import type { Decisions } from './decisions.ts';
import type { FailureHandler } from './failure-queue.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Parking } from './parking.ts';
import type { RecoveryParts } from './recovery-parts.ts';
import { Repeats } from './repeats.ts';
import type { Settling } from './settling.ts';
import type { TakingBack } from './taking-back.ts';
import { isTakenBack, recordOf } from './undone-work.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'queries' | 'open' | 'queue' | 'lifecycle'>;

/** The answer to a failure whose call, if it has one, goes on waiting. */
const WAIT: Held = { next: 'wait' };

/** The ways in which a failure is answered. */
interface Answers {
  readonly complaints: Complaints;
  readonly decisions: Decisions;
  readonly parking: Parking;
  readonly openCalls: OpenCalls;
  readonly settling: Settling;
  readonly takingBack: TakingBack;
  readonly plans: PlanRunner;
}

/** The answering of one run's failures. */
export class Answering implements FailureHandler {
  readonly #run: Needs;
  readonly #by: Answers;
  readonly #repeats: Repeats;

  constructor(run: Needs, by: Answers) {
    this.#run = run;
    this.#by = by;
    this.#repeats = new Repeats(run.parts);
  }

  /** Answers a failure, and tells the call that failed what to do. */
  async recover(raised: Raised): Promise<void> {
    const held = await this.#answer(raised);
    const answered = this.#isLeft ? [] : this.#by.complaints.answered(raised);
    if (answered.length > 0) this.#run.write.append(answered);
    // While the run is parked, no call is made again: it is decided again with what is parked.
    if (held.next === 'again' && this.#run.open.parked.length > 0) this.#run.open.deferred.push(raised);
    else if (held.next !== 'wait') raised.call?.answer(held);
  }

  async #answer(raised: Raised): Promise<Held> {
    const { parts } = this.#run;
    if (!this.#mayAnswer) {
      this.#by.complaints.refuseOverStuck(raised);
      return WAIT;
    }
    if (!this.#by.complaints.admits(raised)) return WAIT;
    // Discarded work is no part of the past: a complaint about it changes nothing (PA11).
    if (raised.suspect === true && parts.runState.discards.has(raised.failure.in)) return WAIT;
    if (raised.suspect === true && isLoserOfFirst(parts.runState, raised.failure.in)) return WAIT;
    await this.#answerGone();
    if (raised.gone !== undefined || !this.#mayAnswer) return WAIT;
    // What was complained about is taken back already, or the call that failed is dropped (C11, C12).
    if (raised.call?.isDropped() === true) return WAIT;
    if (isTakenBack(parts.runState, raised)) return this.#by.takingBack.takeBackStanding(raised).then(() => WAIT);
    const record = recordOf(parts.runState, raised);
    if (record !== null) return this.#by.takingBack.giveUp(raised, record).then(() => WAIT);
    if (!(await this.#by.takingBack.takeBackUnreached(raised))) return WAIT;
    return raised.refused === undefined ? this.#settleOrDecide(raised) : this.#parkRefused(raised, raised.refused);
  }

  /** Parks the run on a graph that cannot go on as it is built: nothing goes back for that (TH9). */
  async #parkRefused(raised: Raised, why: string): Promise<Held> {
    const { parts, lifecycle } = this.#run;
    await lifecycle.past('ask');
    if (this.#isPast(raised)) return WAIT;
    const { parking } = this.#by;
    const decision = graphRefused(parts, raised.failure, why);
    // Asked again in this process, whose graph is the same, it has the same answer.
    const parked: Raised = { ...raised, again: () => parking.stay(parked, decision) };
    parking.park(parked, decision);
    return WAIT;
  }

  /** True while failures are decided. */
  get #mayAnswer(): boolean {
    return !this.#isLeft && this.#run.open.stuck === null;
  }

  /** True where nothing is decided any more: the process takes leave of the run, its journal refuses, or a person ends it. */
  get #isLeft(): boolean {
    const { lifecycle } = this.#run;
    return lifecycle.isLeft || lifecycle.answer('decide').is === 'no';
  }

  /** Has the work of each effect that is gone go back, before anything else is settled or decided (E8). */
  async #answerGone(): Promise<void> {
    for (let next = this.#gone(); next !== undefined && this.#mayAnswer; next = this.#gone())
      await this.#settleOrDecide(complaintAbout(this.#run.parts.runState, next));
  }

  /** The first call whose effect is gone and on which the run is not parked. */
  #gone(): LedgerCall | undefined {
    const parked = this.#run.open.parked.map(({ gone }) => gone?.key);
    return goneCalls(this.#run.parts.runState).find(({ key }) => !parked.includes(key));
  }

  /** True where an effect of the past is gone, and the run is not parked on it. */
  get isGone(): boolean {
    return this.#gone() !== undefined;
  }

  /** Has the run complain where an effect of its past is gone (E8). @returns true where one is that it is not parked on. */
  raiseGone(): boolean {
    const next = this.#isLeft ? undefined : this.#gone();
    if (next !== undefined) void this.#run.queue.raise(complaintAbout(this.#run.parts.runState, next));
    return next !== undefined;
  }

  /** True for a failure that is not decided any more: the process or a person ends the run, or its call was dropped (C11). */
  #isPast({ call }: Raised): boolean {
    return this.#isLeft || call?.isDropped() === true;
  }

  /** Settles or decides a failure, and carries out what was decided. */
  async #settleOrDecide(raised: Raised): Promise<Held> {
    const { queries, lifecycle } = this.#run;
    const { decisions, openCalls } = this.#by;
    await this.#repeats.pause(raised);
    await lifecycle.past('ask');
    if (this.#isPast(raised)) return WAIT;
    const settled = await this.#by.settling.settle(raised);
    if (settled !== null) return settled;
    await countingDecision(
      { lifecycle, decisions, openCalls, isLeft: () => this.#isLeft, isPast: () => this.#isPast(raised) },
      raised,
      (decision) => {
        if (isRestore(decision)) return this.#by.plans.carryOut(decision, decisions.fence(raised, decision));
        return this.#by.parking.park(raised, queries.withWhomToAsk(decision, raised.thrown));
      },
    );
    return WAIT;
  }

  /** Asks the questions again that the run is parked on. */
  async askAgain(): Promise<void> {
    const { open, queue, parts, lifecycle } = this.#run;
    // It is asked again once the run goes on.
    if (!lifecycle.may('ask')) return;
    await this.#by.plans.goOnStuck();
    if (open.stuck !== null) return;
    if (open.parked.length === 0) {
      const next = this.#gone();
      return next === undefined ? undefined : queue.raise(complaintAbout(parts.runState, next));
    }
    // What others have read comes first: nothing is done again on what is still found wrong (C12).
    const entered = ({ failure }: Raised) =>
      (failure.in === null ? undefined : parts.runState.places.of(instanceName(failure.in))?.entered.nth) ?? 0;
    const parked = [...open.parked, ...open.deferred].sort((one, other) => entered(one) - entered(other));
    open.deferred = [];
    // A commit that was refused is tried again before anything is done again for it.
    await open.askedAgain(() =>
      Promise.all(parked.map((raised) => (raised.again === undefined ? queue.raise(raised) : raised.again()))),
    );
    // The answer to a commit that is refused again is of another turn.
    if (parked.some(({ again }) => again !== undefined)) await queue.add(() => {});
  }
}

/** True for the work of a branch that has lost by the rule `first`: no choice rests on it (AL9). */
function isLoserOfFirst({ choices, actors }: RunParts['runState'], id: InstanceId | null): boolean {
  if (id === null || id.skeleton !== ROOT) return false;
  const branch = choices.branchOf(actors, split(id.entity)[0]);
  return branch !== undefined && branch.is.is !== 'won' && branch.choice.by === 'first';
}
