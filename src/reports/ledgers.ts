/**
 * The three ledgers of a run, as views of its one journal: of its decisions, its effects and its obligations. Pure: the
 * caller passes the time.
 */

import { entriesOf } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import { NUMBER, ROWS, refuseOther } from '../model/argument.ts';
import type { Redaction } from '../projection/redaction.ts';
import { RunState } from '../projection/run-state.ts';
import type { LedgerDecision } from './ledger-decision.ts';
import { Reasons } from './ledger-decisions.ts';
import { Acts, type ChangedLines, changedBy, type LedgerEffect, type SpentBudget } from './ledger-effects.ts';
import { type Obligation, obligationsOf } from './ledger-obligations.ts';
import { type RunStatus, RunStatusFold } from './run-status.ts';

/** The ledgers of a run. */
export interface Ledgers {
  /** Its status. */
  readonly standing: RunStatus;
  readonly decisions: readonly LedgerDecision[];
  readonly effects: readonly LedgerEffect[];
  readonly budgets: readonly SpentBudget[];
  /** The lines that its tools have changed. */
  readonly changed: readonly ChangedLines[];
  readonly obligations: readonly Obligation[];
}

/**
 * The ledgers of a run, from its rows.
 * @param now the wall clock, in milliseconds: it says which questions are due and which approvals have expired.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`.
 * @example
 * import { ledgersOf } from 'belay-sidecar/reports';
 *
 * const { decisions, effects, obligations } = ledgersOf([], Date.now());
 * assert.deepEqual([decisions, effects, obligations], [[], [], []]);
 */
export function ledgersOf(rows: Iterable<StoredRow>, now: number): Ledgers {
  refuseOther('ledgersOf', { rows: [rows, ROWS], now: [now, NUMBER] });
  const runState = new RunState();
  const reasons = new Reasons(runState);
  const acts = new Acts();
  const standing = new RunStatusFold();
  for (const { entry, row, fold } of entriesOf(rows)) {
    fold(() => {
      reasons.before(entry, row);
      runState.apply(entry, row.time);
      reasons.after(entry, row);
    });
    acts.take(entry, row.time);
    standing.take(entry, row.time);
  }
  const effects = [...runState.ledger.all()].map((call) => acts.effect(call, runState));
  return {
    standing: standing.now,
    decisions: runState.redaction.isActive
      ? reasons.lines().map((each) => shown(each, runState.redaction))
      : reasons.lines(),
    effects,
    budgets: acts.budgets(runState),
    changed: changedBy(effects),
    obligations: obligationsOf(runState, standing.now, acts.since, now),
  };
}

/** A decision without the values that became known as redacted after it. */
function shown(decision: LedgerDecision, redaction: Redaction): LedgerDecision {
  switch (decision.is) {
    case 'call':
      return {
        ...decision,
        args: redaction.args(decision.tool, decision.args),
        because: decision.because && {
          ...decision.because,
          answer: redaction.output(decision.because.tool, decision.because.answer),
        },
      };
    case 'answer':
      return decision.why === null ? decision : { ...decision, why: redaction.text(decision.why) };
    case 'refusal':
      return { ...decision, why: redaction.text(decision.why) };
    case 'recovery':
      return { ...decision, error: redaction.text(decision.error) };
    case 'commit':
      return decision.message === null ? decision : { ...decision, message: redaction.text(decision.message) };
  }
}
