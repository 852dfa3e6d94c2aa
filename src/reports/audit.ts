/**
 * The spine of an audit: mandates, fresh looks, decisions, approvals, acts, outcomes, commits and obligations of a run, in the order of its rows (semantics.md
 * MD7). Pure.
 */

import { entriesOf } from '../journal/entries.ts';
import type { StoredRow } from '../journal/journal.ts';
import { ROWS, refuseOther } from '../model/argument.ts';
import type { Entry } from '../model/entry.ts';
import type { MandateEntry } from '../model/mandate-entries.ts';
import { RunState } from '../projection/run-state.ts';

/** One line of it. */
export interface AuditLine {
  readonly seq: number;
  readonly time: number;
  readonly is: 'mandate' | 'look' | 'decision' | 'approval' | 'act' | 'outcome' | 'undo' | 'commit' | 'obligation';
  /** What happened, in a word or two: `given`, `withdrawn`, `confirmed`. */
  readonly what: string;
  readonly tool: string | null;
  readonly key: string | null;
  /** The mandate that it is about, or leaves under; null for none. */
  readonly under: string | null;
  /** The person whose word it is; null for none. */
  readonly by: string | null;
  /** The terms of a mandate that is given; null for any other line. */
  readonly terms: unknown;
}

type Said = Pick<AuditLine, 'is' | 'what'> & Partial<AuditLine>;

/**
 * The lines of a run, from its rows.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`.
 * @example
 * import { auditOf } from 'belay-sidecar/reports';
 *
 * assert.deepEqual(auditOf([]), []);
 */
export function auditOf(rows: Iterable<StoredRow>): readonly AuditLine[] {
  refuseOther('auditOf', { rows: [rows, ROWS] });
  const runState = new RunState();
  const lines: AuditLine[] = [];
  const none = { tool: null, key: null, under: null, by: null, terms: null };
  for (const { entry, row, fold } of entriesOf(rows)) {
    fold(() => runState.apply(entry, row.time));
    for (const line of saidBy(entry, runState)) lines.push({ seq: row.seq, time: row.time, ...none, ...line });
  }
  return lines.map((line) => shown(line, runState));
}

/** A line without the values that the config redacts. */
function shown(line: AuditLine, { redaction }: RunState): AuditLine {
  if (!redaction.isActive) return line;
  const { by, terms } = line;
  return {
    ...line,
    by: by === null ? null : redaction.text(by),
    terms: terms === null ? null : redaction.value(terms),
  };
}

function saidBy(entry: Entry, runState: RunState): readonly Said[] {
  const { ledger, asked } = runState;
  const toolOf = (key: string) => ledger.get(key)?.intent.tool ?? null;
  switch (entry.do) {
    case 'mandate':
      return mandateSaid(entry, runState);
    case 'verified':
      return entry.reads.map(({ first, again }) => {
        const what = again === true ? 'looked at again' : 'looked up';
        return { is: 'look', what, tool: first?.tool ?? null, key: entry.key };
      });
    case 'intent': {
      const { key, tool, under = null, held } = entry;
      if (ledger.get(key)?.decides) return [{ is: 'decision', what: 'decided', tool, key }];
      return [{ is: 'act', what: held === undefined ? 'leaves' : 'is held', tool, key, under }];
    }
    case 'leave':
      return [{ is: 'act', what: 'leaves', tool: toolOf(entry.key), key: entry.key, under: entry.under ?? null }];
    case 'answer': {
      const { gate, verdict, by } = entry;
      const key = asked.get(gate)?.key ?? null;
      return [{ is: 'approval', what: verdict, tool: key === null ? null : toolOf(key), key, by }];
    }
    case 'outcome':
      return [{ is: 'outcome', what: entry.status, tool: toolOf(entry.key), key: entry.key }];
    case 'phase':
      if (entry.effect === undefined) return [];
      return [{ is: 'undo', what: entry.phase.toLowerCase(), tool: toolOf(entry.effect), key: entry.effect }];
    case 'publish':
      return entry.keys.map((key) => ({
        ...{ is: 'commit', what: 'committed' },
        ...{ tool: toolOf(key), key, under: entry.under ?? null },
      }));
    case 'obligation':
      return obligationSaid(entry);
    default:
      return [];
  }
}

function mandateSaid(entry: MandateEntry, { mandates }: RunState): readonly Said[] {
  const under = mandates.last?.id ?? null;
  switch (entry.is) {
    case 'given': {
      const what = entry.refused === null ? 'given' : `refused: ${entry.refused}`;
      return [{ is: 'mandate', what, under: entry.id, by: entry.terms.by, terms: entry.terms }];
    }
    case 'revoked': {
      const what = entry.refused === null ? 'withdrawn' : `not withdrawn: ${entry.refused}`;
      return [{ is: 'mandate', what, under: entry.id ?? under, by: entry.by }];
    }
    case 'over':
      return [{ is: 'mandate', what: entry.why, under }];
    case 'wanted':
      return [{ is: 'mandate', what: 'wanted', tool: entry.tool, under }];
  }
}

function obligationSaid(entry: Extract<Entry, { do: 'obligation' }>): readonly Said[] {
  switch (entry.is) {
    case 'owed':
      return [{ is: 'obligation', what: 'taken on', tool: entry.keptBy, key: entry.key }];
    case 'answered':
      return [{ is: 'obligation', what: entry.as, key: entry.name, by: entry.by }];
    case 'overdue':
    case 'unkept':
      return [{ is: 'obligation', what: entry.is, key: entry.name }];
  }
}
