/** The questions that a run was parked on when its last process ended, as its journal has them. */
import type { Decision } from '../../model/decision.ts';
import type { DecisionEntry } from '../../model/entry.ts';
import type { Failure } from '../../model/failure.ts';
import { instanceName } from '../../model/instance.ts';
import { parseKey } from '../../model/key.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isTakenBack } from '../failures/undone-work.ts';
import type { WrongAnswers } from '../failures/wrong-answers.ts';
import type { Raised } from '../parts.ts';

/** A question that a run was parked on, and its answer so far. */
export interface Question {
  readonly raised: Raised;
  readonly decision: Decision;
}

/** The refusals of calls that are asked for again when the run goes on, and of a graph that is entered again then. */
const RAISED_AGAIN: ReadonlySet<string> = new Set([
  'effect_diverged',
  'graph_refused',
  'key_expired',
  'no_codec',
  'obligation_owed',
  'read_moved',
  'sandbox_failed',
  'unclaimed_effect',
]);

/** The journaled questions of one run. */
export class JournaledQuestions {
  readonly #runState: RunState;
  readonly #answers: WrongAnswers;
  /** The commits that were refused before the machine was there, and that wait for a person. */
  readonly #refusedEarly: Raised[] = [];

  constructor(runState: RunState, answers: WrongAnswers) {
    this.#runState = runState;
    this.#answers = answers;
  }

  /** Notes a refused commit that waits for a person: asked again, it is tried again. */
  noteRefused(raised: Raised): void {
    this.#refusedEarly.push(raised);
  }

  /** The questions that are still open; a call that was held, or that diverged, raises its own again. */
  open(): Question[] {
    return [...this.#runState.open.values()].flatMap((entry) => {
      const { decision, call, suspect } = entry;
      const isRaisedAgain = decision.refusals.some((veto) => 'code' in veto && RAISED_AGAIN.has(veto.code));
      if (call !== null || (isRaisedAgain && suspect !== true) || this.isOfCommit(decision)) return [];
      const raised = this.#raisedBy(entry);
      // What is undone and has left nothing has its answer.
      if (isTakenBack(this.#runState, raised) && this.#answers.standing(raised).length === 0) return [];
      return [{ raised, decision }];
    });
  }

  /** True where a decision is about a commit that cannot be made visible yet. */
  isOfCommit({ refusals }: Decision): boolean {
    const reasons = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = reasons.flatMap((reason) => ('effect' in reason ? [reason.effect.id] : []));
    return this.#runState.publications.some((commit) => commit.keys.some((key) => keys.includes(key)));
  }

  #raisedBy(entry: DecisionEntry): Raised {
    const { decision, signal, error, actor, key, suspect, complaint, commit, thrown, moved } = entry;
    const failure = failureBy(decision, key);
    const named = complaint === undefined ? {} : { complaint };
    const found = suspect === true ? { suspect, about: this.#aboutNow(failure), ...named } : {};
    const of = commit === undefined ? {} : { commit, ...this.#againOf(commit) };
    const step = { ...(thrown !== undefined && { thrown }), ...(moved === true && { moved }) };
    return { signal, error: new Error(error), actor, failure, call: null, ...found, ...of, ...step };
  }

  #againOf(commit: string): Pick<Raised, 'again'> {
    const again = this.#refusedEarly.find((raised) => raised.commit === commit)?.again;
    return again === undefined ? {} : { again };
  }

  /** The subject of a complaint that was made before this process: the work as it stands now. */
  #aboutNow({ in: id }: Failure): NonNullable<Raised['about']> {
    const epoch = id === null ? 0 : (this.#runState.epochs.get(instanceName(id)) ?? 0);
    return { write: null, head: this.#runState.history.head, epoch };
  }
}

/** The failure that a decision answered. */
export function failureBy({ failed, refusals }: Decision, key: string | null): Failure {
  if (failed !== null) return { in: failed, key: key === null ? null : parseKey(key) };
  const several = refusals.some((refusal) => 'why' in refusal && refusal.why === 'fits_several');
  return { in: null, key: null, why: several ? 'fits_several' : 'fits_nobody' };
}
