/** Held calls whose commits never came: they are removed at the end of the run, and never happened (semantics.md E4). */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { instanceName } from '../../model/instance.ts';
import { NEVER_COMMITTED } from '../../reports/left-at-end.ts';
import type { RunParts, Writer } from '../parts.ts';

/** Removes what was staged and whose commit never came. The journal names those calls. */
export async function abandonHeld(
  { runState, onFinding }: RunParts,
  run: Writer & { discard(call: LedgerCall): Promise<void> },
): Promise<void> {
  for (const call of runState.ledger.buffered()) {
    await run.discard(call);
    const text = `${call.intent.tool} was held back until ${instanceName(call.intent.instance)} ${NEVER_COMMITTED}`;
    const finding = { do: 'finding', code: 'never_published', instance: call.intent.instance, text } as const;
    run.append([{ do: 'outcome', key: call.key, status: 'failed', error: text }, finding]);
    onFinding(finding);
  }
}
