/**
 * The names of acts over all runs of a store (semantics.md ON6): the same in each run, so they depend on no secret of a
 * run.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { actName, identityDigest } from '../../effects/acts.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';

/** The name of the act of a call; null where its config declares none. It stands in a table of the store, beside the arguments, and nowhere else. */
export function storeAct(
  { tools }: BoundaryConfig,
  tool: string,
  args: unknown,
  codecs: readonly ValueCodec[],
): string | null {
  const identity = tools.get(tool)?.once?.identityOf(args) ?? null;
  return identity === null ? null : actName(tool, identityDigest(identity, null, codecs));
}
