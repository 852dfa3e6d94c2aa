/** Held calls whose commits never came: they are removed at the end of the run, and never happened (semantics.md E4). */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { instanceName } from '../../model/instance.ts';
import type { RunParts, Writer } from '../parts.ts';

const NEVER = 'commits, which it never did';

/** Lists the keys of the calls that were given up, as the journal tells. */
export function abandonedKeys({ runState }: RunParts): string[] {
  const given = [...runState.ledger.all()].filter(
    ({ intent, status, error }) => intent.held === 'buffer' && status === 'failed' && error?.endsWith(NEVER) === true,
  );
  return given.map(({ key }) => key);
}

/** Removes what was staged and whose commit never came. @returns the keys of those calls. */
export async function abandonHeld(
  { runState, onFinding }: RunParts,
  run: Writer & { discard(call: LedgerCall): Promise<void> },
): Promise<string[]> {
  const abandoned: string[] = [];
  for (const call of runState.ledger.buffered()) {
    await run.discard(call);
    const text = `${call.intent.tool} was held back until ${instanceName(call.intent.instance)} ${NEVER}`;
    const finding = { do: 'finding', code: 'never_published', instance: call.intent.instance, text } as const;
    run.append([{ do: 'outcome', key: call.key, status: 'failed', error: text }, finding]);
    onFinding(finding);
    abandoned.push(call.key);
  }
  return abandoned;
}
