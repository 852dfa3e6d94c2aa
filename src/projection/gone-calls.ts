/** The calls of the kept past whose effect was taken back in the world, by Belay or by another (semantics.md E8). */
import type { LedgerCall } from '../effects/ledger-call.ts';
import type { RunState } from './run-state.ts';

/** True for a call that the kept past relies on, though its effect is gone. */
export function isGone(runState: RunState, { status, at, isAnswered, intent }: LedgerCall): boolean {
  // A machine that went on without the call's answer does not rely on the call.
  return status === 'compensated' && at !== null && (isAnswered || runState.actor(intent.actor).ended === null);
}

/** The calls of the kept past whose effects are gone, in the order of their intents. */
export function goneCalls(runState: RunState): LedgerCall[] {
  return [...runState.ledger.all()].filter((call) => isGone(runState, call));
}
