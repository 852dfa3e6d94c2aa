/**
 * The three ledgers of a run, as views of its one journal: why it acted, what it did, and what it owes. Pure: whoever wants to know
 * what is due says what time it is.
 */
import type { StoredRow } from '../journal/journal.ts';
import { Fold } from './fold.ts';
import { following } from './following.ts';
import { Reader } from './layout.ts';
import { type LedgerDecision, Reasons } from './ledger-decisions.ts';
import { Acts, type LedgerEffect, type SpentBudget } from './ledger-effects.ts';
import { type Obligation, obligationsOf } from './ledger-obligations.ts';
import type { Redaction } from './redaction.ts';
import { type Standing, StandingFold } from './standing.ts';

/** The ledgers of a run. */
export interface Ledgers {
  /** How it stands. */
  readonly standing: Standing;
  readonly decisions: readonly LedgerDecision[];
  readonly effects: readonly LedgerEffect[];
  readonly budgets: readonly SpentBudget[];
  readonly obligations: readonly Obligation[];
}

/**
 * The ledgers of a run, from its rows.
 * @param now the wall clock, in milliseconds: it says which questions are due and which approvals have expired.
 * @throws JournalError `journal_corrupt`, `journal_too_new`.
 */
export function ledgersOf(rows: Iterable<StoredRow>, now: number): Ledgers {
  const fold = new Fold();
  const reader = new Reader();
  const reasons = new Reasons(fold);
  const acts = new Acts();
  const standing = new StandingFold();
  for (const row of rows) {
    const entry = reader.entry(row);
    if (entry === null) continue;
    following(row, () => {
      reasons.before(entry, row);
      fold.apply(entry, row.time);
      reasons.after(entry, row);
    });
    acts.take(entry, row.time);
    standing.take(entry);
  }
  return {
    standing: standing.now,
    decisions: fold.redaction.isActive ? reasons.all.map((each) => shown(each, fold.redaction)) : reasons.all,
    effects: [...fold.ledger.all()].map((call) => acts.effect(call, fold)),
    budgets: acts.budgets(fold),
    obligations: obligationsOf(fold, standing.now, acts.since, now),
  };
}

/** A decision without the values that became known as redacted after it. */
function shown(decision: LedgerDecision, redaction: Redaction): LedgerDecision {
  switch (decision.is) {
    case 'call':
      return { ...decision, args: redaction.args(decision.tool, decision.args) };
    case 'answer':
      return decision.why === null ? decision : { ...decision, why: redaction.text(decision.why) };
    case 'refusal':
      return { ...decision, why: redaction.text(decision.why) };
    case 'recovery':
      return { ...decision, error: redaction.text(decision.error) };
    case 'commit':
      return decision;
  }
}
