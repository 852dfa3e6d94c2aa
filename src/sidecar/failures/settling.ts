/**
 * Answers a failed call without a decision, if the ledger or the counterparty knows its outcome (semantics.md §8.0).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { Decision } from '../../model/decision.ts';
import { isOpen } from '../../model/effect.ts';
import { budgetKey } from '../../projection/open-decisions.ts';
import type { Held, Raised } from '../parts.ts';
import type { Decisions } from './decisions.ts';
import type { Parking } from './parking.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'calls' | 'queries' | 'open'>;

/** The settling of failed calls of one run. */
export class Settling {
  readonly #run: Needs;
  readonly #decisions: Decisions;
  readonly #parking: Parking;

  constructor(run: Needs, decisions: Decisions, parking: Parking) {
    this.#run = run;
    this.#decisions = decisions;
    this.#parking = parking;
  }

  /** Settles a failed call. @returns what it is to do; null where a decision is needed. */
  async settle(raised: Raised): Promise<Held | null> {
    const { parts, write, calls, queries, open } = this.#run;
    const { call, failure } = raised;
    if (call === null || call.key === null) return null;
    if ((await calls.reconciling.reconcile(call.key)) !== null) this.#parking.askLater();
    const known = parts.runState.ledger.get(call.key);
    if (known === undefined || isOpen(known.status) || parts.runState.actor(call.actor).ended !== null) return null;
    if (known.status !== 'confirmed' && known.status !== 'failed') return null;
    if (known.status === 'failed' && this.#isSpent(raised, known)) return null;
    // Nothing is settled in place while an effect of the past is gone (E8).
    if (open.parked.some(({ gone }) => gone !== undefined)) {
      open.deferred.push(raised);
      return { next: 'wait' };
    }
    const decision: Decision = {
      verdict: 'settle',
      failed: failure.in ?? known.intent.instance,
      at: parts.runState.history.head,
      policy: parts.decisionPolicy.policy,
      refusals: [],
      undo: [],
      line: null,
      effect: queries.effectOf(call.key, known.intent.instance),
    };
    write.append([queries.decisionEntry(raised, decision), { do: 'phase', phase: 'RESUMED' }]);
    this.#decisions.tell(raised, decision);
    // Whether the outcome of an earlier call answers this one is for the guard to say (E3).
    if (call.isHeld || known.status !== 'confirmed') return { next: 'again' };
    return { next: 'answer', output: known.output };
  }

  /** True where a call that did not happen may not be made again: its budget of recoveries, or that of the run, is spent. */
  #isSpent({ failure, signal }: Raised, { intent }: LedgerCall): boolean {
    const { config, runState } = this.#run.parts;
    const failed = failure.in ?? intent.instance;
    const tries = config.skeletons.get(failed.skeleton)?.rollback.tries ?? config.tries;
    const spent = runState.spent.get(budgetKey(failed, 'call', signal)) ?? 0;
    return spent >= tries || runState.recoveries >= config.tries;
  }
}
