/** The verdict that the answer of a judge is (semantics.md JU3, JU5). It decides nothing else. */
import type { Judge } from '../../boundaries/config.ts';
import { errorMessage } from '../../effects/signals.ts';
import { type JudgedEntry, type JudgingEntry, LONGEST_REASON } from '../../model/judged-entries.ts';
import type { Expression, Facts } from '../../predicates/predicate.ts';
import type { RunState } from '../../projection/run-state.ts';

/** What came of asking a judge. */
export type Heard =
  | { readonly is: 'answered'; readonly output: unknown }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'dropped' };

type Verdict = Omit<JudgedEntry, 'do' | 'id' | 'by'>;

/** An answer that is no clear yes and no clear no is not sure, and neither is a judge that has none. */
export function verdictOf(
  judge: Judge,
  { tool, instance, work }: JudgingEntry,
  heard: Exclude<Heard, { is: 'dropped' }>,
  redaction: Pick<RunState['redaction'], 'output'>,
): Omit<JudgedEntry, 'do' | 'id'> {
  const is = (verdict: Verdict) => ({
    ...verdict,
    is: verdict.is === 'weak' && judge.weak === 'reject' ? ('rejected' as const) : verdict.is,
    by: null,
  });
  if (heard.is === 'failed') {
    const why = bounded(`${tool} has not answered: ${errorMessage(heard.error)}`);
    return is({ is: 'weak', pass: null, why, found: null });
  }
  const facts = factsOf(tool, instance.entity, work, heard.output);
  const pass = judge.pass.ask(facts);
  const isSure = (judge.sure?.ask(facts) ?? { is: 'yes' }).is === 'yes';
  // What people are shown is read off the answer without what is redacted.
  const shown = factsOf(tool, instance.entity, work, redaction.output(tool, heard.output));
  if (pass.is === 'unknown') {
    const why = bounded(`${tool} gives no verdict: ${pass.reason}`);
    return is({ is: 'weak', pass: null, why, found: null });
  }
  const of = { pass: pass.is === 'yes', why: textOf(judge.why, shown), found: textOf(judge.found, shown) };
  if (!isSure) return is({ is: 'weak', ...of });
  return is({ is: pass.is === 'yes' ? 'accepted' : 'rejected', ...of });
}

function factsOf(tool: string, entity: string, args: unknown, output: unknown): Facts {
  return { state: '', action: tool, args, entity, memory: null, event: { output } };
}

function textOf(expression: Expression | null, facts: Facts): string | null {
  const found = expression?.evaluate(facts) ?? null;
  return found !== null && 'value' in found && found.value !== '' ? bounded(found.value) : null;
}

function bounded(text: string): string {
  const formed = text.toWellFormed();
  return formed.length <= LONGEST_REASON ? formed : `${formed.slice(0, LONGEST_REASON).toWellFormed()}...`;
}
