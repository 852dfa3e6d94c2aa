/** The complaint of a run about an effect of its kept past that was taken back in the world, by whomever (semantics.md E8). */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { ROOT } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Raised } from '../parts.ts';

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
