/**
 * The arguments of a call as its tool is called with them: those that the config computes are in place (semantics.md
 * CS2).
 */
import type { BoundaryConfig } from './config.ts';

/**
 * The arguments of a call with the computed arguments; unchanged if a computed argument has no value (the call then
 * does not leave).
 */
export function withComputed({ tools }: Pick<BoundaryConfig, 'tools'>, tool: string | null, args: unknown): unknown {
  const computed = tool === null ? null : (tools.get(tool)?.computed ?? null);
  if (computed === null) return args;
  const found = computed.of(args);
  return 'args' in found ? found.args : args;
}

/** Says why the arguments of a call are none that its tool takes; null where they are (CS1). */
export function misfitOf({ tools }: Pick<BoundaryConfig, 'tools'>, tool: string, args: unknown): string | null {
  const { computed = null, misfits } = tools.get(tool) ?? {};
  const found = computed?.of(args) ?? { args };
  return 'reason' in found ? found.reason : (misfits?.(found.args) ?? null);
}
