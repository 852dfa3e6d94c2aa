/** Finds what must still be unchanged when a staged call is committed (semantics.md E4). */
import type { Reliance } from '../effects/counterparty.ts';

/**
 * `since`: the thing must be unchanged since this position. `follows`: its last change must be the call of this key.
 */
interface Counts {
  readonly since: string | null;
  readonly follows: string | null;
}

/**
 * Picks one of the reads and calls that a staged call relies on: the first read after the run's last call on the same
 * thing, or that call if nothing was read after it.
 * @param isSame true for a call that changed the thing that the staged call changes.
 */
export function whatCounts(relies: readonly Reliance[] = [], isSame: (call: string) => boolean): Counts {
  const last = relies.findLastIndex((one) => 'call' in one && isSame(one.call));
  const read = relies.slice(last + 1).find((one) => 'position' in one);
  if (read !== undefined) return { since: read.position, follows: null };
  const write = relies[last];
  return { since: null, follows: write !== undefined && 'call' in write ? write.call : null };
}
