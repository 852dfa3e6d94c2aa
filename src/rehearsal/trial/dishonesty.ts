/**
 * Counterparties that break their promises, and one that keeps its promise. Rehearsals with them find where a config
 * relies on a counterparty too much.
 */
import type { ReconcileResult, Reconciler } from '../../effects/counterparty.ts';

/** A counterparty that breaks its promise: the way in which a config relies on it too much is to be found. */
export type Dishonesty =
  | { readonly undo: string }
  | { readonly reconciler: string }
  /** A tool that is not handed its idempotency key. */
  | { readonly tool: string }
  /** The other way round: a tool whose counterparty looks at keys, and knows what was done under each. */
  | { readonly keyed: string };

/** The answer of a reconciler where it is not its own. @param done what was done under each key. */
export function answerOf(
  dishonest: Dishonesty | null,
  name: string,
  { tool, key }: Parameters<Reconciler>[0],
  done: ReadonlyMap<string, unknown>,
): ReconcileResult | null {
  if (dishonest === null) return null;
  if ('reconciler' in dishonest) return dishonest.reconciler === name ? { is: 'not_applied' } : null;
  if (!isKeyed(dishonest, tool)) return null;
  return done.has(key) ? { is: 'applied', output: done.get(key) } : { is: 'not_applied' };
}

/** True for a tool whose counterparty looks at keys, whatever it did before. */
export function isKeyed(dishonest: Dishonesty | null, tool: string): boolean {
  return dishonest !== null && 'keyed' in dishonest && dishonest.keyed === tool;
}

/** True for a tool that is not handed its key. */
export function isKeyless(dishonest: Dishonesty | null, tool: string): boolean {
  return dishonest !== null && 'tool' in dishonest && dishonest.tool === tool;
}

/** True for an undo that does nothing. */
export function isIdle(dishonest: Dishonesty | null, undo: string): boolean {
  return dishonest !== null && 'undo' in dishonest && dishonest.undo === undo;
}
