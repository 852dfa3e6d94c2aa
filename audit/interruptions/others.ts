/**
 * Three other ways to meet new words: to start over, to go back to the earliest step that the words conflict with and undo what lies
 * behind it, and to go back to a checkpoint before the words. None of them has a ledger.
 */
import type { GatedCall } from './gate.ts';
import type { Kept, Plain, WayOn } from './runs.ts';
import type { Plan } from './scenarios.ts';

/** The other ways. */
const OTHERS = ['restart', 'ecr', 'checkpoint'] as const;

/** One of them. */
export type Other = (typeof OTHERS)[number];

const none = (): readonly GatedCall[] => [];

/** The way of a runtime at a moment of a run. @param base the run that is interrupted. @param told the run that was told so from the beginning. */
export function wayOf(other: Other, plan: Plan, at: number, base: Plain, told: Plain): WayOn {
  const script = plan.told;
  if (other === 'restart') return { from: null, moment: 0, undone: none, goesOn: none, script };
  if (other === 'ecr') return earliestConflict(plan, at, base, told);
  // A checkpoint before an addition is the one that the run stands at.
  const before = base.kept.find(({ moment }) => moment === receivedAt(plan, base));
  const from = before?.moment === 0 ? null : (before?.snapshot ?? null);
  return { from, moment: before?.moment ?? 0, undone: none, goesOn: none, script };
}

/** The number of answers by the receipt of the event. */
function receivedAt({ from }: Plan, { kept }: Plain): number {
  if (from !== null) return from;
  const approval = kept.findIndex(({ moment }, place) => moment === kept[place + 1]?.moment);
  return kept[approval]?.moment ?? 0;
}

/**
 * The strongest reading of earliest-conflict rollback: all stands before the first answer that the run would not have had, and what
 * was done behind it is undone where it can be. A call that is under way there and asks the same goes on.
 */
function earliestConflict(plan: Plan, at: number, base: Plain, told: Plain): WayOn {
  const isSameCall = (one: GatedCall, other: GatedCall | undefined) =>
    one.tool === other?.tool && one.args === other.args;
  const differs = base.answers.slice(0, at).findIndex((call, index) => !isSameCall(call, told.answers[index]));
  const moment = differs < 0 ? at : differs;
  const kept: Kept | undefined = told.kept.findLast((each) => each.moment === moment);
  const goesOn = (calls: readonly GatedCall[]) =>
    calls.filter((call) => kept?.pending.some((each) => isSameCall(call, each)) === true);
  const said = plan.told.said.filter((word) => word.at > moment);
  return {
    from: kept?.snapshot ?? null,
    moment,
    goesOn: ({ pending }) => goesOn(pending),
    undone: ({ answers, done, pending }) => {
      const standing = new Set([...answers.slice(0, moment), ...goesOn(pending)]);
      return done.filter((call) => !standing.has(call)).reverse();
    },
    script: { ...plan.told, said },
  };
}
