/** Asks the decision policy about failures, makes sure that its answer still holds, and journals and tells it. */
import { Turns } from '../../clock/turns.ts';
import { errorMessage } from '../../effects/signals.ts';
import { inOneGo, type Pieces } from '../../history/pieces.ts';
import { type Decision, isRestore, type Restore, recordsIn } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import { instanceName } from '../../model/instance.ts';
import { decide, decideInPieces } from '../../recovery/decide.ts';
import { Effort, REPORTED_IN_RUN } from '../../recovery/effort.ts';
import { heldToSaid } from '../../recovery/said.ts';
import type { Raised, RunParts } from '../parts.ts';
import { heldToChoice } from '../queries/held-to-choice.ts';
import type { MovedInput } from '../report.ts';
import type { Complaints } from './complaints.ts';
import { Deciding } from './deciding.ts';
import type { RestoredParts } from './recovered-machine.ts';
import type { RecoveryParts } from './recovery-parts.ts';
import { undoneEntries } from './undone-by-hand.ts';
import { decidedWithout } from './without-event.ts';
import type { WrongAnswers } from './wrong-answers.ts';

type Needs = Pick<
  RecoveryParts,
  'parts' | 'write' | 'calls' | 'queries' | 'open' | 'lifecycle' | 'paper' | 'paperWith'
>;

/** The decisions of one run. */
export class Decisions {
  readonly #run: Needs;
  readonly #complaints: Complaints;
  readonly #answers: WrongAnswers;
  /** The number of steps that each answer has seen: one that neither reads nor writes is no event, and still moves control. */
  readonly #seen = new WeakMap<Decision, number>();

  constructor(run: Needs, complaints: Complaints, answers: WrongAnswers) {
    this.#run = run;
    this.#complaints = complaints;
    this.#answers = answers;
  }

  /** Decides about a failure in one go, on the present history. */
  decide(raised: Raised): Decision {
    return inOneGo(this.#pieces(raised));
  }

  /**
   * Begins to decide about a failure, at the history as it is.
   * @param inTurns true where others have their turn meanwhile if that takes long; false where it is decided at once.
   */
  begin(raised: Raised, inTurns: boolean): Deciding<Decision> {
    const { parts, open, write } = this.#run;
    // Pages of a base leave memory with an append.
    const seen = () => JSON.stringify([write.entries, parts.journal.head, open.suspectsBeside(raised.failure)]);
    const deciding = new Deciding(this.#pieces(raised), inTurns ? new Turns(parts) : null, seen);
    deciding.goOn();
    return deciding;
  }

  *#pieces(raised: Raised): Pieces<Decision> {
    const beside = this.#run.open.suspectsBeside(raised.failure);
    const { steers } = raised;
    const found = yield* steers === undefined
      ? decidedAbout(this.#run, raised, beside)
      : decidedWithout(this.#run, raised, steers, beside);
    const decision = heldToChoice(this.#run, found);
    if (isRestore(decision)) yield* this.#run.parts.runState.extentsAhead(recordsIn(decision));
    this.#seen.set(decision, this.#run.parts.runState.places.next);
    return decision;
  }

  /**
   * True where an answer no longer holds (C13): what it rests on was made known or demoted meanwhile, or anything happened since. To be
   * asked after the last await before the answer is journaled: a step may be taken between any two of them.
   */
  isOutdated(decision: Decision, changed = false): boolean {
    const { history, places } = this.#run.parts.runState;
    const isSame = decision.at === history.head && this.#seen.get(decision) === places.next;
    return !this.#run.lifecycle.leave.aborted && (changed || !isSame);
  }

  /** Asks the world if what would be undone still can be: what cannot blocks from now on (§6). @returns true where any cannot. */
  async demote(undo: readonly Effect[]): Promise<boolean> {
    let demoted = false;
    for (const [index, effect] of undo.entries()) {
      const why = await this.#run.calls.undoing.moved(effect, undo.slice(0, index));
      if (why === null || effect.id === null) continue;
      this.#run.write.append([{ do: 'demoted', key: effect.id, why }]);
      demoted = true;
    }
    return demoted;
  }

  /** Journals an answer with its fence, and tells it. @returns how far everyone is kept. */
  fence(raised: Raised, decision: Restore): RestoredParts {
    const kept = this.#run.queries.keptBy(decision);
    const wrong = this.#answers.distrusted(kept, this.#run.open.complaintsWith(raised));
    const parts = { kept, aside: recordsIn(decision), ...wrong };
    const moved = this.#run.queries.movedInputs(kept);
    const takenBack = this.#run.parts.runState.takenBackBy(kept, parts.aside);
    const decided = this.#run.queries.decisionEntry(raised, decision);
    const { undone = [], heard } = raised;
    const byHand = undoneEntries(this.#run.parts.runState, undone, { by: heard?.by ?? null, why: heard?.why ?? null });
    const fenced = { do: 'phase', phase: 'FENCED' } as const;
    this.#run.write.append([...this.#complaints.answered(raised), decided, fenced, ...byHand]);
    this.tell(raised, decision, moved, takenBack);
    return parts;
  }

  /** Tells the user of the run a decision. */
  tell(
    { signal, error }: Raised,
    decision: Decision,
    movedInputs: readonly MovedInput[] = [],
    takenBack: readonly unknown[] = [],
  ): void {
    try {
      this.#run.parts.onDecision({ decision, signal, error: errorMessage(error), movedInputs, takenBack });
    } catch (thrown) {
      // A listener that throws is no reason to leave a recovery half done.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }
}

/** The parts of a run that a decision reads. */
interface Decided extends Pick<RecoveryParts, 'queries' | 'paper'> {
  readonly parts: Pick<RunParts, 'runState' | 'decisionPolicy'>;
}

/**
 * Decides about a failure at the history as it is, in pieces. It changes nothing.
 * @param beside the names of the instances that the other waiting failures are about.
 */
export function* decidedAbout(
  { parts, queries, paper }: Decided,
  raised: Raised,
  beside: readonly string[],
): Pieces<Decision> {
  const { runState, decisionPolicy } = parts;
  const { failure } = raised;
  const published = runState.publications.map(({ instance }) => instanceName(instance));
  const suspects = new Set([...beside, ...published]);
  const { policy } = decisionPolicy;
  const past = policy === 'line' ? paper() : null;
  const control = { places: runState.places, suspects, escapes: queries.escaping(), ...(past && { paper: past }) };
  const asked = [
    runState.history,
    failure,
    queries.rules(failure),
    {
      control: policy === 'dart' ? null : control,
      unavailable: queries.unavailable(raised),
      effort: new Effort(REPORTED_IN_RUN),
    },
  ] as const;
  const decision = decisionPolicy.decide === decide ? yield* decideInPieces(...asked) : decisionPolicy.decide(...asked);
  return heldToSaid(runState.history, runState.turns.said, decision);
}

/** True where two answers ask for different things of those who read them. */
export function isDifferent(a: Decision, b: Decision): boolean {
  const asks = (decision: Decision) => JSON.stringify([decision.verdict, 'unblock' in decision && decision.unblock]);
  return asks(a) !== asks(b);
}
