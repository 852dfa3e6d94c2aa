/** Parses the step at which a failure is rehearsed, `TOOL` or `TOOL#N`, and the kind of the failure. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { Signal } from '../../model/failure.ts';
import { suggest } from '../../predicates/suggest.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { type Fault, FaultError, withFault } from '../../xstate/faults.ts';
import { machineShape } from '../../xstate/shape.ts';

/** Options as typed; null for those left out. */
export interface Typed {
  readonly failAt: string | null;
  readonly when: 'before' | 'after' | null;
  readonly signal: Signal | null;
}

/** The rehearsed failure, null for none; or a sentence that says what is wrong with the options. */
export function faultOf(
  { failAt, when, signal }: Typed,
  machine: AnyStateMachine,
  config: BoundaryConfig | null,
): Fault | null | { readonly problem: string } {
  if (failAt === null) {
    if (when === null && signal === null) return null;
    return { problem: `${when === null ? '--signal' : '--when'} needs --fail-at STEP: which call is to fail` };
  }
  const [, tool = failAt, number] = /^(.*)#(\d+)$/s.exec(failAt) ?? [];
  const tools = machineShape(machine).actors.flatMap(({ name, kind }) => (kind === 'promise' ? [name] : []));
  if (!tools.includes(tool)) {
    return { problem: `--fail-at: ${JSON.stringify(tool)} is no tool of ${machine.id}. ${suggest(tool, tools)}` };
  }
  const how = signal ?? 'TOOL_EXCEPTION';
  const at = when ?? (how === 'GOVERNOR_DENIED' ? 'before' : 'after');
  const fault = { tool, nth: Number(number ?? 1), when: at, signal: how } as Fault;
  try {
    withFault(machine, fault);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    return { problem: `--fail-at: ${error.message}` };
  }
  if (how === 'INVALID_OUTPUT' && config !== null && (config.tools.get(tool)?.refuses(undefined) ?? null) === null) {
    const why = 'the config declares no output for it that could refuse anything';
    return { problem: `--signal INVALID_OUTPUT: whatever ${JSON.stringify(tool)} answers is taken, as ${why}` };
  }
  return fault;
}

/** A failure in words: `pay#2, after it has acted, as TIMEOUT`. */
export function faultText({ tool, nth = 1, when, signal }: Fault): string {
  return `${tool}#${nth}, ${when === 'before' ? 'before it acts' : 'after it has acted'}, as ${signal}`;
}
