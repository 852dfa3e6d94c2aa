/** Finds the things that a staged call relies on, as an adapter reads them (semantics.md E4). */
import type { Reliance } from '../effects/counterparty.ts';

/**
 * The part that counts: a read, by the position before it, or an earlier call that changed the same thing, by its key.
 */
interface Counts {
  readonly since: string | null;
  readonly follows: string | null;
}

/**
 * The first read after the last call that changed the same thing; without one, that call.
 * @param isSame true for a call that changed what the staged call changes.
 */
export function whatCounts(relies: readonly Reliance[] = [], isSame: (call: string) => boolean): Counts {
  const last = relies.findLastIndex((one) => 'call' in one && isSame(one.call));
  const read = relies.slice(last + 1).find((one) => 'position' in one);
  if (read !== undefined) return { since: read.position, follows: null };
  const write = relies[last];
  return { since: null, follows: write !== undefined && 'call' in write ? write.call : null };
}
