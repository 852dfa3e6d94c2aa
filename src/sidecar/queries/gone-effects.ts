/**
 * Effects of the kept past that were taken back in the world, by whomever: the run itself says that the reply of each is wrong
 * (semantics.md E8).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { ROOT } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Raised } from '../parts.ts';

/** True for a call that the kept past relies on, though its effect is gone. */
export function isGone(runState: RunState, { status, at, isAnswered, intent }: LedgerCall): boolean {
  // A machine that went on without its answer relies on nothing of it.
  return status === 'compensated' && at !== null && (isAnswered || runState.actor(intent.actor).ended === null);
}

/** The calls of the kept past whose effects are gone, in the order of their intents. */
export function goneCalls(runState: RunState): LedgerCall[] {
  return [...runState.ledger.all()].filter((call) => isGone(runState, call));
}

/** The complaint of a run about the reply of a call whose effect is gone. */
export function complaintAbout(runState: RunState, gone: LedgerCall): Raised {
  const { instance, tool, actor } = gone.intent;
  return {
    signal: 'CONTRACT_VIOLATION',
    error: new Error(`${tool} (${gone.key}) was undone in the world, and the run relies on its reply`),
    actor: runState.actor(actor).parent ?? 0,
    failure: instance.skeleton === ROOT ? { in: null, key: null, why: 'fits_nobody' } : { in: instance, key: null },
    call: null,
    gone,
  };
}
