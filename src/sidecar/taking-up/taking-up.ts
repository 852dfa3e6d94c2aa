/**
 * Takes a run up where its last process left it, before its machine is there: plans, undos, commits and questions go on
 * (semantics.md §11).
 */
import { isRestore, type Restore, recordsIn } from '../../model/decision.ts';
import type { RunState } from '../../projection/run-state.ts';
import { type Decisions, isDifferent } from '../failures/decisions.ts';
import type { Parking } from '../failures/parking.ts';
import type { RestoredParts } from '../failures/recovered-machine.ts';
import type { RecoveryParts } from '../failures/recovery-parts.ts';
import { isTakenBack, recordOf } from '../failures/undone-work.ts';
import type { WrongAnswers } from '../failures/wrong-answers.ts';
import type { Raised } from '../parts.ts';
import type { PlanRunner } from '../plan/plan-runner.ts';
import { keptByRerun } from '../plan/rerun.ts';
import { failureBy, type JournaledQuestions, type Question } from './journaled-questions.ts';

type Needs = Pick<
  RecoveryParts,
  'parts' | 'machine' | 'write' | 'calls' | 'queries' | 'outbox' | 'open' | 'queue' | 'lifecycle'
>;

/** The result of a part of taking a run up. */
export type TakenUp = 'restored' | 'nothing' | 'stuck';

/** The parts that take a run up together. */
interface Helpers {
  readonly decisions: Decisions;
  readonly plans: PlanRunner;
  readonly answers: WrongAnswers;
  readonly parking: Parking;
  readonly questions: JournaledQuestions;
}

/** The taking up of one run. */
export class TakingUp {
  readonly #run: Needs;
  readonly #with: Helpers;
  /** The commits that were refused before the machine is there; null once it is. */
  #refused: Raised[] | null = null;

  constructor(run: Needs, helpers: Helpers) {
    this.#run = run;
    this.#with = helpers;
  }

  get #runState(): RunState {
    return this.#run.parts.runState;
  }

  /** Does what is left of a decision that a crash interrupted: its undos, and the restore of the projections. */
  async finishPlan(): Promise<TakenUp> {
    const { pending } = this.#runState;
    if (pending === null) return 'nothing';
    const { decision } = pending.entry;
    if (decision.verdict === 'settle' || decision.verdict === 'escalate') return 'nothing';
    if (decision.verdict === 'rerun' && pending.phase === 'DECIDED') return 'nothing';
    if (pending.phase !== 'RESTORED') {
      const { machine } = this.#run;
      const parts = this.#partsOf(pending.entry);
      if (!isRestore(decision))
        for (const record of [...this.#runState.records.values()]) machine.dismiss(record, 'done_again');
      if (!(await this.#with.plans.undo(decision, parts))) return 'stuck';
      machine.restore(parts, false);
    }
    this.#run.write.append([{ do: 'phase', phase: 'RESUMED' }]);
    await this.#run.write.durable();
    return 'restored';
  }

  #partsOf({ decision, suspect, key }: NonNullable<RunState['pending']>['entry']): RestoredParts {
    const { questions, answers } = this.#with;
    const kept = isRestore(decision) ? this.#run.queries.keptBy(decision) : keptByRerun(this.#runState);
    const open = questions.open().map(({ raised }) => raised);
    const wrong = answers.distrusted(kept, [{ suspect, failure: failureBy(decision, key) }, ...open]);
    return { kept, aside: isRestore(decision) ? recordsIn(decision) : [], ...wrong };
  }

  /**
   * Finishes the undos outside of any plan that a crash interrupted: they may have happened, and are made under the same keys
   * (E5).
   */
  async finishUndos(): Promise<void> {
    const { calls, queries } = this.#run;
    for (const { key, intent } of this.#runState.ledger.halfUndone())
      await calls.undoing.undo(queries.effectOf(key, intent.instance));
  }

  /** Asks the last process's questions again: what can be restored by now is, and another answer replaces the old one. */
  async askPending(): Promise<TakenUp> {
    for (let result: 'restored' | 'nothing' = 'nothing'; ; result = 'restored') {
      const restored = await this.#askOpen();
      if (restored !== true) return restored === 'stuck' ? 'stuck' : result;
    }
  }

  async #askOpen(): Promise<boolean | 'stuck'> {
    const { open } = this.#run;
    const questions = this.#with.questions.open();
    open.unanswered = questions.map(({ raised }) => raised);
    try {
      return await this.#askEach(questions);
    } finally {
      open.unanswered = [];
    }
  }

  async #askEach(questions: readonly Question[]): Promise<boolean | 'stuck'> {
    const { write, queries } = this.#run;
    const { decisions, answers } = this.#with;
    for (const { raised, decision: before } of questions) {
      // Work that is set aside, or undone, also in part, is not decided about: its complaint waits for a person.
      if (recordOf(this.#runState, raised) !== null || isTakenBack(this.#runState, raised)) continue;
      if (answers.unreached(raised).length > 0) continue;
      let decision = decisions.decide(raised);
      while (decision.undo.length > 0 && decisions.isOutdated(decision, await decisions.demote(decision.undo)))
        decision = decisions.decide(raised);
      if (isRestore(decision)) return this.#restore(raised, decision);
      const now = queries.withWhomToAsk(decision, raised.thrown);
      if (isDifferent(now, before)) write.append([queries.decisionEntry(raised, now)]);
    }
    return false;
  }

  async #restore(raised: Raised, decision: Restore): Promise<true | 'stuck'> {
    this.#with.decisions.fence(raised, decision);
    return (await this.finishPlan()) === 'stuck' ? 'stuck' : true;
  }

  /** Parks a run again that was parked when its process ended. @returns true where it was. */
  parkAgain(): boolean {
    const questions = this.#with.questions.open();
    const last = questions.at(-1);
    if (last === undefined) return false;
    this.#run.open.parked = questions.map(({ raised }) => raised);
    this.#with.parking.standStill(last.decision);
    return true;
  }

  /**
   * A commit was refused before anything of it was visible: its instance has failed, and is done again, or a person has to look
   * (E4).
   */
  refused(raised: Raised): void {
    if (this.#refused === null) void this.#run.queue.raise(raised);
    else this.#refused.push(raised);
  }

  /**
   * Makes the commits that are due, and decides about those that are refused. What cannot be done again stays a question, on which the run is
   * parked.
   */
  async takeUpCommits(): Promise<TakenUp> {
    for (let result: 'restored' | 'nothing' = 'nothing'; ; result = 'restored') {
      this.#refused = [];
      await this.#goOnPublishing();
      const refused = this.#refused;
      this.#refused = null;
      const restored = await this.#decideEarly(refused);
      if (restored !== true) return restored === 'stuck' ? 'stuck' : result;
    }
  }

  async #decideEarly(refused: readonly Raised[]): Promise<boolean | 'stuck'> {
    const { write, queries } = this.#run;
    const { decisions, questions } = this.#with;
    for (const raised of refused) {
      let decision = decisions.decide(raised);
      while (decision.undo.length > 0 && decisions.isOutdated(decision, await decisions.demote(decision.undo)))
        decision = decisions.decide(raised);
      if (isRestore(decision)) return this.#restore(raised, decision);
      write.append([queries.decisionEntry(raised, queries.withWhomToAsk(decision))]);
      questions.noteRefused(raised);
    }
    return false;
  }

  /** Makes visible what was decided, or goes on with it, before anything else (E4). */
  async #goOnPublishing(): Promise<void> {
    const { write, outbox, lifecycle } = this.#run;
    const { pending } = this.#runState;
    // A question about a commit is asked anew by the commit itself, if it still has to be.
    if (pending !== null && this.#with.questions.isOfCommit(pending.entry.decision))
      write.append([{ do: 'phase', phase: 'RESUMED' }]);
    outbox.goOn();
    outbox.begin();
    await lifecycle.past('decide');
  }
}
