/** Withdraws calls that are about to leave: they certainly did not happen (semantics.md C11). */
import { isOpen } from '../../model/effect.ts';
import type { RunParts, Writer } from '../parts.ts';
import type { UnderWay } from './under-way.ts';

type Leaving = Pick<UnderWay, 'isLeaving' | 'leaving'>;

/** Stops a call that is about to leave. @returns false if the call has left, or if its outcome is known. */
export function withdraw(key: string, { runState }: RunParts, calls: Leaving, write: Writer): boolean {
  if (!calls.isLeaving(key) || !isOpen(runState.ledger.get(key)?.status ?? 'failed')) return false;
  write.append([{ do: 'outcome', key, status: 'failed', error: 'withdrawn before the call left' }]);
  return true;
}

/** Withdraws the calls that a restore has taken back before they left. */
export function withdrawTakenBack(parts: RunParts, calls: Leaving, write: Writer): void {
  for (const key of calls.leaving) if (parts.runState.ledger.get(key)?.at === null) withdraw(key, parts, calls, write);
}
