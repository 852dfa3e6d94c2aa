/** Checks the invariants of one commit over all its calls, before any call becomes visible (semantics.md E4). */
import type { Boundary } from '../boundaries/config.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';

/** The first invariant of a boundary that the calls do not keep, in a sentence; null where they keep all. */
export function brokenBy({ invariants }: Boundary, calls: readonly LedgerCall[]): string | null {
  for (const { id, sum, is } of invariants) {
    let total = 0;
    for (const { intent } of calls) {
      const amount = sum.get(intent.tool);
      if (amount === undefined) continue;
      const adds = amount.of({ args: intent.args, output: undefined });
      if (adds === null)
        return `it is unknown whether ${id} holds: ${amount.text} of ${intent.tool} is no whole number`;
      total += adds;
      if (!Number.isSafeInteger(total)) return `it is unknown whether ${id} holds: the sum is too large`;
    }
    if (total !== is) return `${id} does not hold: what is held back comes to ${total} and not to ${is}`;
  }
  return null;
}
