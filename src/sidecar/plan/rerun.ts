/** Starts a run over, if that was advised: everything is undone, and the keys stay (semantics.md §8.4). */

import { positionBefore } from '../../history/registry.ts';
import type { DecisionEntry } from '../../model/entry.ts';
import { instanceName } from '../../model/instance.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import { type Decisions, isDifferent } from '../failures/decisions.ts';
import type { RecoveryParts } from '../failures/recovery-parts.ts';
import type { WrongAnswers } from '../failures/wrong-answers.ts';
import type { Raised } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { PlanRunner } from './plan-runner.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'queries' | 'open' | 'queue'>;

/** The rerun of one run. */
export class Rerun {
  readonly #run: Needs;
  readonly #decisions: Decisions;
  readonly #plans: PlanRunner;
  readonly #answers: WrongAnswers;

  constructor(run: Needs, decisions: Decisions, plans: PlanRunner, answers: WrongAnswers) {
    this.#run = run;
    this.#decisions = decisions;
    this.#plans = plans;
    this.#answers = answers;
  }

  /**
   * Starts the run over, after the recoveries before the rerun and under their results.
   * @throws SidecarError `not_advised`, `stuck`.
   */
  async start(): Promise<void> {
    const { queue } = this.#run;
    if ((await queue.add(() => this.#start())) === 'ask again') await queue.askAgain();
  }

  async #start(): Promise<'started' | 'ask again'> {
    const { parts, machine, write, queries, open } = this.#run;
    const { runState } = parts;
    open.refuseIfStuck();
    const advised = [...runState.open.values()].findLast((entry) => entry.decision.verdict === 'rerun');
    const raised = open.parked.find((one) => isAnswerTo(one, advised)) ?? open.parked[0];
    if (raised === undefined || advised === undefined) {
      const how = raised === undefined ? 'the run waits for no person' : 'what it is parked on advises something else';
      throw new SidecarError('not_advised', `no rerun is advised: ${how}`);
    }
    // Advice holds at the head at which it was given (C13): it is asked for again, and another answer is shown instead.
    const decision = this.#decisions.decide(raised);
    if (decision.verdict !== 'rerun' || isDifferent(decision, advised.decision)) return 'ask again';
    if (this.#decisions.isOutdated(decision, await this.#decisions.demote(decision.undo))) return 'ask again';
    // It answers all that the run is parked on (C10).
    const complaints = open.complaintsWith(raised);
    open.unpark();
    write.append([queries.decisionEntry(raised, decision), { do: 'phase', phase: 'FENCED' }]);
    for (const record of [...runState.records.values()]) machine.dismiss(record, 'done_again');
    const kept = keptByRerun(runState);
    await this.#plans.carryOut(decision, { kept, aside: [], ...this.#answers.distrusted(kept, complaints) });
    machine.beginAgain();
    return 'started';
  }
}

/** True where a decision answers a failure. */
function isAnswerTo({ failure }: Raised, entry: DecisionEntry | undefined): boolean {
  const failed = entry?.decision.failed ?? null;
  if (entry === undefined || failed === null || failure.in === null) return false;
  return instanceName(failed) === instanceName(failure.in) && entry.key === (failure.key?.text ?? null);
}

/**
 * The position up to which a rerun keeps each instance: the first step of the run stays, and nothing after it (§8.4).
 */
export function keptByRerun(runState: RunState): Kept[] {
  return [...runState.places.all()].map(({ id, root, entered }): Kept => {
    if (entered.nth > 0) return [id, 0];
    const record = runState.history.registry.get(id);
    if (record === undefined) return [id, 0];
    return [id, (root ? positionBefore(record, entered.to + 1) : record.entry)?.at ?? 0];
  });
}
