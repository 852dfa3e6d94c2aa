/** A run that a person has cancelled is taken up only to be ended: its machine stands where the journal ends, and nothing of it goes on. */
import { PROCESS } from '../../clock/clock.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import { planResume } from '../plan/resume-plan.ts';
import { givenBack } from '../run/rest.ts';
import type { Run } from '../run/run.ts';
import { SidecarError } from '../sidecar-error.ts';

/** The time between two looks for messages of a run that waits for its claims, in milliseconds. */
const LOOK = 250;

/** Claims what a run has touched. A person may cancel it while it waits for that. @returns why it does not get that, or null. */
export async function claimedAgain({ approvals, calls, runState }: Run): Promise<string | null> {
  const look = PROCESS.every(LOOK, () => {
    try {
      approvals.poll();
    } catch {
      // A journal that cannot be read now says so where it is written; the next look may find it well.
    }
    if (runState.asked.cancelled !== null) calls.cancel();
  });
  try {
    return await calls.claimAgain();
  } finally {
    look.cancel();
  }
}

/** Finishes what was decided, as any process does that takes a run up, and decides nothing anew. @returns true where an undo failed. */
export async function finishCancelled({ recovering, runState }: Run): Promise<boolean> {
  // An abort undoes what is left by itself, in its own order (AB1).
  if (runState.asked.cancelled?.undo === true) {
    recovering.byPerson.goOnPublishing();
    return false;
  }
  const finished = await recovering.finishPlan();
  if (finished !== 'stuck') await recovering.finishUndos();
  recovering.byPerson.goOnPublishing();
  return finished === 'stuck';
}

/** The plan of its machine: it stands, with no children, and no delay runs. */
export function planStandstill(runState: RunState, now: () => number): ActorPlan {
  return { ...planResume(runState, now), make: [], timers: [], isArmed: () => true };
}

/** Ends a run that was cancelled before its first step: nothing of it has happened. @throws SidecarError `run_cancelled`, always. */
export async function endUnbegun(run: Run, journal: Journal): Promise<never> {
  const { runState } = run;
  const status = runState.asked.cancelled?.undo === true ? 'compensated' : 'cancelled';
  if (runState.ended === null) run.write.append([{ do: 'end', status }]);
  await run.write.durable();
  await run.recovering.byPerson.over();
  await journal.close(givenBack(run));
  const by = JSON.stringify(runState.asked.cancelled?.by);
  throw new SidecarError('run_cancelled', `the run was cancelled by ${by} before it began: nothing of it has happened`);
}
