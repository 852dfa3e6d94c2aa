/** Puts the recovery parts of a run together, and passes the run's requests on to them. */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { Decision } from '../../model/decision.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Raised, RunParts, Suspect } from '../parts.ts';
import { PlanRunner } from '../plan/plan-runner.ts';
import { Rerun } from '../plan/rerun.ts';
import type { Ending } from '../report.ts';
import { JournaledQuestions } from '../taking-up/journaled-questions.ts';
import { type TakenUp, TakingUp } from '../taking-up/taking-up.ts';
import { Aborting } from './aborting.ts';
import { Answering } from './answering.ts';
import { Complaints } from './complaints.ts';
import { Decisions } from './decisions.ts';
import { Discarding } from './discarding.ts';
import { EndedByPerson } from './ended-by-person.ts';
import { FailureQueue } from './failure-queue.ts';
import { finish } from './finishing.ts';
import { Losers } from './losers.ts';
import { OpenCalls } from './open-calls.ts';
import { OpenFailures } from './open-failures.ts';
import { Parking } from './parking.ts';
import type { RecoveredMachine } from './recovered-machine.ts';
import type { RecoveryHelpers, RecoveryParts } from './recovery-parts.ts';
import { Retrying } from './retrying.ts';
import { RunEnding } from './run-ending.ts';
import { Settling } from './settling.ts';
import { Steering } from './steering.ts';
import { TakingBack } from './taking-back.ts';
import { ToldOutcomes } from './told-outcomes.ts';
import { UnclaimedEffects } from './unclaimed-effects.ts';
import { WrongAnswers } from './wrong-answers.ts';

/** The recoveries of one run. */
export class Recovering {
  readonly #run: RecoveryParts;
  readonly #complaints: Complaints;
  readonly #parking: Parking;
  readonly #openCalls: OpenCalls;
  readonly #unclaimed: UnclaimedEffects;
  readonly #told: ToldOutcomes;
  readonly #rerun: Rerun;
  readonly #takingUp: TakingUp;
  readonly #answering: Answering;
  /** The end by a person's word. */
  readonly byPerson: EndedByPerson;
  /** The undoing of a run that a person ends with its undos. */
  readonly aborting: Aborting;
  /** The discarding of units that are left by an edge of `discard`. */
  readonly discarding: Discarding;
  /** The undoing of branches that were not chosen. */
  readonly losers: Losers;
  /** The retries of steps that threw. */
  readonly retrying: Retrying;
  /** The acts on events. */
  readonly steering: Steering;

  constructor(parts: RunParts, machine: RecoveredMachine, helpers: RecoveryHelpers) {
    const over = () => parts.lifecycle.note({ isOver: true });
    const ending = new RunEnding(helpers.write, over, () => helpers.calls.sandboxes.rest());
    const { lifecycle } = parts;
    const open = new OpenFailures(ending, lifecycle);
    const queue = new FailureQueue(open, machine, helpers.write, lifecycle, () => this.#answering);
    const run: RecoveryParts = { ...helpers, parts, machine, ending, open, queue, lifecycle };
    const answers = new WrongAnswers(run.queries);
    this.#run = run;
    this.byPerson = new EndedByPerson(run);
    this.retrying = new Retrying(run);
    const complaints = new Complaints(run);
    const decisions = new Decisions(run, complaints, answers);
    const parking = new Parking(run, complaints, decisions);
    const openCalls = new OpenCalls(run, parking);
    const settling = new Settling(run, decisions, parking);
    const takingBack = new TakingBack(run, decisions, parking, answers);
    const plans = new PlanRunner(run);
    this.steering = new Steering(run, { decisions, openCalls, plans });
    const questions = new JournaledQuestions(parts.runState, answers);
    this.#complaints = complaints;
    this.#parking = parking;
    this.#openCalls = openCalls;
    this.#unclaimed = new UnclaimedEffects(run, parking, openCalls);
    this.aborting = new Aborting(run, openCalls);
    this.losers = new Losers(run, openCalls);
    const undone = () => (lifecycle.isAborting ? this.aborting : this.losers.undoing);
    this.#told = new ToldOutcomes(run, undone);
    this.discarding = new Discarding(run, openCalls);
    this.#rerun = new Rerun(run, decisions, plans, answers);
    this.#takingUp = new TakingUp(run, { decisions, plans, answers, parking, questions });
    this.#answering = new Answering(run, { complaints, decisions, parking, openCalls, settling, takingBack, plans });
  }

  /** The end of the run, or its first standstill since it was last set going. */
  get finished(): Promise<Ending> {
    return this.#run.ending.finished;
  }

  /** Tells those who wait for the run that a person has paused it. */
  tellPaused(by: string, why: string | null): void {
    const { ending } = this.#run;
    ending.goOn();
    ending.standStill({ status: 'paused', by, why });
  }

  /** Tells those who wait for the run that it needs another mandate to go on (MD5). */
  tellParked(decision: Decision): void {
    const { ending } = this.#run;
    ending.goOn();
    ending.standStill({ status: 'parked', decision, over: [] });
  }

  /** The run was given another mandate. */
  mandated(): void {
    this.#run.ending.goOn();
  }

  /** A person lets the run go on: it asks its parked questions again and tries a stuck plan again. */
  unpaused(): void {
    this.#run.ending.goOn();
    if (this.#run.lifecycle.answer('decide').is !== 'no') void this.askAgain();
  }

  /** Stops the timer that would ask a question later. */
  stop(): void {
    this.#parking.stop();
  }

  /** Queues a failure. */
  raise(raised: Raised): Promise<void> {
    return this.#run.queue.raise(raised);
  }

  /** @see {@link Answering.askAgain} */
  askAgain(): Promise<void> {
    return this.#answering.askAgain();
  }

  /** @see {@link Answering.isGone} */
  get isGone(): boolean {
    return this.#answering.isGone;
  }

  /** @see {@link Answering.raiseGone} */
  raiseGone(): boolean {
    return this.#answering.raiseGone();
  }

  /** @see {@link Rerun.start} */
  rerun(): Promise<void> {
    return this.#rerun.start();
  }

  /** Tells those who wait for the run that it is over. */
  finish(output: unknown): Promise<void> {
    return finish(this.#run, output);
  }

  // Complaints.

  /** @see {@link Complaints.fail} */
  fail(complaint: Omit<Raised, 'actor' | 'call' | 'suspect'>): Promise<void> {
    return this.#complaints.fail(complaint);
  }

  /** @see {@link Complaints.retract} */
  retract(complaint: Suspect, instead: boolean): Promise<void> {
    return this.#complaints.retract(complaint, instead);
  }

  /** @see {@link Complaints.refuseUnlessParked} */
  refuseUnlessParked(): void {
    this.#complaints.refuseUnlessParked();
  }

  /** The failures without an answer: `parked` are those that the run is parked on. */
  get waiting(): { readonly parked: readonly Raised[]; readonly others: readonly Raised[] } {
    const { parked, queued, unanswered } = this.#run.open;
    return { parked, others: [...queued, ...unanswered] };
  }

  /** @see {@link OpenFailures.refuseIfStuck} */
  refuseIfStuck(): void {
    this.#run.open.refuseIfStuck();
  }

  // Calls, and effects that stand.

  /** @see {@link Parking.park} */
  park(raised: Raised, decision: Decision): void {
    this.#parking.park(raised, decision);
  }

  /** @see {@link UnclaimedEffects.park} */
  parkUnclaimed(kept: readonly LedgerCall[], actor: number, instance: InstanceId, again?: () => void): void {
    this.#unclaimed.park(kept, actor, instance, again);
  }

  /** @see {@link UnclaimedEffects.undoDiverged} */
  undoDiverged(recorded: LedgerCall): Promise<boolean> {
    return this.#unclaimed.undoDiverged(recorded);
  }

  /** @see {@link UnclaimedEffects.clear} */
  clearUnclaimed(again: () => void): Promise<boolean> {
    return this.#unclaimed.clear(again);
  }

  /** @see {@link OpenCalls.clear} */
  clearOpen(again: () => void): Promise<boolean> {
    return this.#openCalls.clear(again);
  }

  /** Finds out the outcomes of calls, after the recoveries in the queue. @returns true if all outcomes are known. */
  async findOut(keys: () => readonly string[]): Promise<boolean> {
    await this.#run.queue.add(async () => {
      for (const key of keys()) await this.#openCalls.findOut(key);
    });
    return keys().length === 0;
  }

  /** @see {@link OpenCalls.all} */
  openCalls(): LedgerCall[] {
    return this.#openCalls.all();
  }

  /** Goes on with everything that waited for the outcomes of these calls. */
  settled(keys: readonly string[]): void {
    this.#openCalls.heard();
    this.discarding.settled(keys);
  }

  /** @see {@link OpenCalls.reconcile} */
  reconcile(): Promise<void> {
    return this.#openCalls.reconcile();
  }

  /** @see {@link OpenCalls.parkCommit} */
  parkCommit(call: LedgerCall, error: unknown): Promise<void> {
    return this.#openCalls.parkCommit(call, error);
  }

  /** @see {@link ToldOutcomes.settle} */
  settleEffect(...word: Parameters<ToldOutcomes['settle']>): Promise<void> {
    return this.#told.settle(...word);
  }

  /** @see {@link ToldOutcomes.supply} */
  supplyEffect(...word: Parameters<ToldOutcomes['supply']>): Promise<void> {
    return this.#told.supply(...word);
  }

  /** @see {@link ToldOutcomes.stand} */
  standEffect(...word: Parameters<ToldOutcomes['stand']>): Promise<void> {
    return this.#told.stand(...word);
  }

  // Taking a run up.

  /** @see {@link TakingUp.finishPlan} */
  finishPlan(): Promise<TakenUp> {
    return this.#takingUp.finishPlan();
  }

  /** @see {@link TakingUp.finishUndos} */
  finishUndos(): Promise<void> {
    return this.#takingUp.finishUndos();
  }

  /** @see {@link TakingUp.askPending} */
  askPending(): Promise<TakenUp> {
    return this.#takingUp.askPending();
  }

  /** @see {@link TakingUp.takeUpCommits} */
  takeUpCommits(): Promise<TakenUp> {
    return this.#takingUp.takeUpCommits();
  }

  /** @see {@link TakingUp.refused} */
  refused(raised: Raised): void {
    this.#takingUp.refused(raised);
  }

  /** @see {@link TakingUp.parkAgain} */
  parkAgain(): boolean {
    return this.#takingUp.parkAgain();
  }
}
