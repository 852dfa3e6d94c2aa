/** The reason why the steps of a run that threw are not tried again (semantics.md TH5). */
import type { Thrown } from '../model/entry.ts';
import { goneCalls } from '../projection/gone-calls.ts';
import type { RunState } from '../projection/run-state.ts';

/**
 * Says why no step of a run is tried again now; null where one may be.
 * @param isThere false for a step whose event does not come again.
 */
export function whyNoRetry(runState: RunState, isThere: (thrown: Thrown) => boolean): string | null {
  const { ended, asked, open } = runState;
  if (ended !== null) return `the run has ended: it is ${ended}`;
  if (asked.cancelled !== null) return `a person is ending it: ${JSON.stringify(asked.cancelled.by)}`;
  const first = whatComesFirst(runState);
  if (first !== null) return first;
  const isThrown = [...open.values()].some(({ thrown }) => thrown !== undefined && isThere(thrown));
  return isThrown ? null : 'the run is parked on no step that threw';
}

/** The thing that comes before a step that threw; null where nothing does. */
export function whatComesFirst(runState: RunState): string | null {
  const { open, pending } = runState;
  if ([...open.values()].some(({ suspect }) => suspect === true) || goneCalls(runState).length > 0)
    return 'what the step rests on is in question: that comes first';
  const isUnderWay = pending !== null && pending.phase !== 'DECIDED';
  return isUnderWay ? 'a recovery is under way, or an undo is owed: that comes first' : null;
}
