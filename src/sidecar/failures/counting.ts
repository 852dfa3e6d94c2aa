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
 * Decides about a failure. The sidecar first asks about unknown outcomes that stand in the way, and about the calls to
 * undo. If an answer comes, or anything happens meanwhile, also between two turns of the decision, the failure is
 * decided anew.
 * @param carry journals the decision before it awaits anything, and is called in the same turn that confirmed the
 * decision: awaiting the decision would already let a step pass.
 * @returns the result of `carry`; null if the failure needs no decision any more.
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
      : await openCalls.askAbout(decision, raised.call?.key ?? null, asked, raised.steers !== undefined);
    if (lifecycle.waits('plan') || decisions.isOutdated(decision, isChanged)) continue;
    return isLeft() ? null : carry(decision);
  }
}
