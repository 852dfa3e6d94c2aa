/** The judgments that are open in the past of a run as it stands (semantics.md JU1). */
import type { JudgedWork, JudgingEntry } from '../model/judged-entries.ts';
import { standingAt } from './made-visible.ts';
import type { RunState } from './run-state.ts';

/** The boundaries of the past as it stands that wait for a verdict, or whose version was rejected. */
export function openJudgments(runState: RunState): readonly JudgingEntry[] {
  if (runState.judgments.isEmpty) return [];
  return [...runState.judgments.asked].filter((entry) => standingAt(runState, entry) !== null);
}

/** The judged work of a version, by the version's name; null for an accepted version. */
export function judgedWork({ judgments }: Pick<RunState, 'judgments'>, id: string): JudgedWork | null {
  return [...judgments.asked].find((entry) => entry.id === id)?.work ?? null;
}

/** True where all that waits for a verdict waits for a person. */
export function isReviewed(runState: RunState): boolean {
  const open = openJudgments(runState);
  return open.length > 0 && open.every(({ id }) => runState.judgments.verdictOn(id)?.is === 'weak');
}
