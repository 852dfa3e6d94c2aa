/** The decision that counts: made anew until nothing that it rests on has changed since (semantics.md R5, C13). */
import { type Decision, isRestore } from '../../model/decision.ts';
import type { Raised } from '../parts.ts';
import { MOST_TURNS } from './deciding.ts';
import type { Decisions } from './decisions.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';

interface Needs extends Pick<RecoveryParts, 'lifecycle'> {
  readonly decisions: Decisions;
  readonly openCalls: OpenCalls;
  /** True where nothing is decided any more. */
  isLeft(): boolean;
  /** True where this failure is not decided any more. */
  isPast(): boolean;
}

/**
 * Decides about a failure. What stands in the way because it is not known is asked about, and what would be undone; where that tells anything, or anything
 * happened meanwhile, also while it was decided in turns, it is decided anew.
 * @param carry journals the decision before it awaits anything. It is called in the turn in which the decision was found to hold: to await a decision
 * would already let a step pass.
 * @returns what `carry` comes to; null where the failure is not decided any more.
 */
export async function countingDecision<Carried>(
  { lifecycle, decisions, openCalls, isLeft, isPast }: Needs,
  raised: Raised,
  carry: (decision: Decision) => Carried | Promise<Carried>,
): Promise<Carried | null> {
  const asked = new Set<string>();
  for (let times = 0; ; times += 1) {
    // No decision is made while a publication is in progress: it goes on until all of it is visible, or waits for a person.
    await lifecycle.past('decide');
    if (isLeft()) return null;
    const deciding = decisions.begin(raised, times < MOST_TURNS);
    if (deciding.isLong) {
      await deciding.inTurns();
      if (isPast()) return null;
    }
    const decision = deciding.standing;
    if (decision === null) continue;
    const isChanged = isRestore(decision)
      ? decision.undo.length > 0 && (await decisions.demote(decision.undo))
      : await openCalls.askAbout(decision, raised.call?.key ?? null, asked);
    if (lifecycle.waits('plan') || decisions.isOutdated(decision, isChanged)) continue;
    return isLeft() ? null : carry(decision);
  }
}
