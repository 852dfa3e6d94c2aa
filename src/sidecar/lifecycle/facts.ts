/** The facts that make up the state of a run: from its journal, and from its process (semantics.md LC1, LC9). */
import { openJudgments } from '../../projection/open-judgments.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Configuration } from './table.ts';

/** The facts that end with the process: each is noted where it begins and where it ends, and nowhere else. */
export interface Facts {
  readonly hold: Configuration['hold'];
  readonly machine: 'absent' | 'asleep' | 'awake';
  /** The instances that were entered and whose work was set aside: it waits for its claim. */
  readonly claims: number;
  /** The failures, and what else is answered in their order, that are not answered. */
  readonly failures: number;
  /** The complaints among them (LC5). */
  readonly suspects: number;
  /** A fenced plan is carried out. */
  readonly isCarrying: boolean;
  /** An undo of a plan has failed (E5). */
  readonly isStuck: boolean;
  /** The party that the questions wait for on which the run is parked. */
  readonly parkedOn: 'nothing' | 'counterparty' | 'person';
  /** The questions that it was parked on are asked again. */
  readonly isAskedAgain: boolean;
  /**
   * True while an aborted call or an undo of a pending answer to a failure is under way: news of them waits for the
   * answer.
   */
  readonly isUnsure: boolean;
  /** The machine is at its end, which is being decided. */
  readonly isAtEnd: boolean;
  /** Those who wait for the run were told that it is over. */
  readonly isOver: boolean;
  readonly commit: Configuration['commit'];
}

/** The facts of a process that has just opened a run. */
export const OPENING: Facts = {
  hold: 'opening',
  machine: 'absent',
  claims: 0,
  failures: 0,
  suspects: 0,
  isCarrying: false,
  isStuck: false,
  parkedOn: 'nothing',
  isAskedAgain: false,
  isUnsure: false,
  isAtEnd: false,
  isOver: false,
  commit: 'quiet',
};

/** The facts that are left of a process's once it has given the run back: the questions of the run and the commit that it owes outlive it. */
export function lapsed({ isCarrying, isStuck, parkedOn, isOver, commit }: Facts): Facts {
  const owed = commit === 'preparing' ? 'quiet' : commit === 'owed' ? 'publishing' : commit;
  return { ...OPENING, isCarrying, isStuck, parkedOn, isOver, commit: owed };
}

/** The part of a run's journal that its state is made of. */
export type Journaled = RunState;

/** The state of a run. */
export function configurationOf(facts: Facts, journaled: Journaled): Configuration {
  const { hold, commit } = facts;
  return {
    hold,
    will: willOf(facts, journaled),
    question: questionOf(facts),
    machine: facts.claims > 0 && facts.machine === 'awake' ? 'claiming' : facts.machine,
    commit,
    pause: journaled.asked.paused !== null && journaled.ended === null ? 'on' : 'off',
    attempt: attemptOf(journaled),
    mandate: journaled.ended === null ? journaled.mandates.standing : 'stands',
    verdict: verdictOf(journaled),
  };
}

/** The verdict that the run waits for; a person's word to end the run comes before. */
function verdictOf(journaled: Journaled): Configuration['verdict'] {
  const { judgments, asked, ended } = journaled;
  if (judgments.isEmpty || asked.cancelled !== null || ended !== null) return 'none';
  return openJudgments(journaled).length === 0 ? 'none' : 'awaited';
}

/** A person's word to end the run comes before the choice. */
function attemptOf({ attempt, asked, ended }: Journaled): Configuration['attempt'] {
  if (!attempt.isTrying || asked.cancelled !== null || ended !== null) return 'none';
  return attempt.now.tried === null ? 'trying' : 'waiting';
}

function willOf({ isOver, isAtEnd }: Facts, { asked, ended, places }: Journaled): Configuration['will'] {
  if (isOver) return 'over';
  if (ended !== null) return 'finishing';
  if (asked.cancelled !== null) return asked.cancelled.undo === true ? 'aborting' : 'cancelling';
  if (isAtEnd) return 'ending';
  return places.steps.last === undefined ? 'unbegun' : 'going';
}

/** The question that the run stands on: what is done about one comes before what waits. */
function questionOf(facts: Facts): Configuration['question'] {
  if (facts.isStuck) return 'stuck';
  if (facts.isCarrying) return 'carrying';
  const isAskedAgain = facts.isAskedAgain || facts.isUnsure;
  const isBusy = facts.failures > 0 || isAskedAgain;
  if (facts.parkedOn !== 'nothing') {
    if (isBusy) return 'rejudging';
    return facts.parkedOn === 'counterparty' ? 'asking' : 'parked';
  }
  if (isAskedAgain) return 'rejudging';
  if (facts.suspects > 0) return 'suspecting';
  return isBusy ? 'deciding' : 'clear';
}
