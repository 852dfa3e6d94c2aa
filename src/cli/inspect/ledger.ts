/** The ledgers of a run for the inspector, in the words of the verb `ledger`. */
import type { InspectedEntry, InspectedLedger } from '../../inspector/files-data.ts';
import type { Outline } from '../../recovery/explain.ts';
import type { Ledgers } from '../../reports/ledgers.ts';
import { decisionLines, decisionText, effectOutline } from '../ledger/ledger-text.ts';
import { owedOutline, paysWith } from '../ledger/obligations-text.ts';

/** The ledgers, in words. */
export function inspectedLedger(run: string, ledgers: Ledgers, file: string): InspectedLedger {
  return {
    decisions: ledgers.decisions.map((each) => {
      return { time: each.time, text: decisionText(each), under: decisionLines(each), commands: [] };
    }),
    effects: ledgers.effects.map((each) => entry(effectOutline(each), each.time)),
    obligations: ledgers.obligations.map((each) => {
      return { ...entry(owedOutline(each)), commands: paysWith(each, run, file) };
    }),
  };
}

function entry({ label, text, under = [] }: Outline, time: number | null = null): InspectedEntry {
  return {
    time,
    text: label === undefined ? text : `${label}: ${text}`,
    under: under.map((each) => each.text),
    commands: [],
  };
}
