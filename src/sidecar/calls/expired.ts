/** The time for which a key protects its call (semantics.md E3). */
import type { Tool } from '../../boundaries/config.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';

/** True where the counterparty of a call may have forgotten its key (E3). */
export function isExpired({ keyedAt }: LedgerCall, tool: Pick<Tool, 'keyValid'> | undefined, now: number): boolean {
  const valid = tool?.keyValid ?? null;
  return valid !== null && keyedAt !== null && now - keyedAt > valid;
}
