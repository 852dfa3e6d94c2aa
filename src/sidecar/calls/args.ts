/** The arguments that a call was made with. */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { RunState } from '../../projection/run-state.ts';

/** The arguments as journaled; for a call of an older journal, the input of its actor. */
export function argsOf(runState: RunState, { args, actor }: LedgerCall['intent']): unknown {
  return args === undefined ? runState.actor(actor).started?.input : args;
}
