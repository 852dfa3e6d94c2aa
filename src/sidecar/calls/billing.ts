/** Charges budgets with the amounts in answers that become known late. */
import { bill } from '../../effects/budgets.ts';
import type { Entry } from '../../model/entry.ts';
import type { RunParts } from '../parts.ts';
import { argsOf } from './args.ts';

/**
 * Adds the charge to each answer that was not charged when its call came back: the reply was lost or late, or a
 * counterparty or a person told the answer. A call that did not happen releases its reserved amount by its outcome
 * alone.
 */
export function billed({ config, runState }: RunParts, entries: readonly Entry[]): readonly Entry[] {
  const charged = new Set(
    entries.flatMap((entry) => (entry.do === 'spend' && entry.is === 'charged' ? [entry.of] : [])),
  );
  return entries.flatMap((entry) => {
    if (entry.do !== 'outcome' || entry.status !== 'confirmed' || charged.has(entry.key)) return [entry];
    const call = runState.ledger.get(entry.key);
    // Only the process that waited for the call knows how long it took.
    const { time: _, ...admitted } = runState.budgets.admitted(entry.key);
    if (call === undefined) return [entry];
    const received = {
      args: argsOf(runState, call.intent),
      output: 'output' in entry ? entry.output : call.output,
      took: 0,
    };
    return [entry, ...bill(entry.key, admitted, config.tools.get(call.intent.tool), received)];
  });
}
