/** Judges what a scenario came to, by the world alone. */
import type { Scenario } from './scenario.ts';
import type { Course } from './trial.ts';

/** The time in milliseconds for which a second look counts: the commit of the call takes some (RV2). */
const COMMIT = 1_000;

/** The codes for which a run may be parked here. */
const CAUSES: ReadonlySet<string> = new Set([
  'never_still',
  'recovery_budget_spent',
  'irreversible_effect_policy',
  'effect_outcome_unknown',
  'effect_diverged',
  'unclaimed_effect',
  'compensation_missing',
  'no_stable_checkpoint',
  'exit_not_restorable',
  'committed_consumers_present',
]);

/** Why a course is wrong; null where it is right. */
export function judge(scenario: Scenario, course: Course): string | null {
  const { sent, acts, status, codes, errors } = course;
  const stale = sent.find((act) => isStale(scenario, course, act));
  if (stale !== undefined) return `sent ${stale.price} on an answer that is too old, or another one`;
  if (errors.length > 0) return `an error: ${errors[0]}`;
  const standing = acts.filter(({ undone }) => !undone);
  if (standing.length > 1) return `${standing.length} acts stand`;
  if (status === 'done' && standing.length !== 1) return 'it ended without its act';
  if (status === 'done' && scenario.shape !== 'held' && course.paid !== `paid ${standing[0]?.price}`)
    return `it ended with ${course.paid}, and ${standing[0]?.price} stands`;
  if (status === 'done' || (status === 'paused' && scenario.happens.is === 'pause' && scenario.crash)) return null;
  if (status !== 'parked') return `it is ${status}`;
  const unknown = codes.filter((code) => !CAUSES.has(code));
  return codes.length === 0 || unknown.length > 0 ? `parked for ${unknown.join(', ') || 'no cause'}` : null;
}

/** True where the newest answer of before does not say what was sent, or was asked for too long ago. */
function isStale({ shape, good }: Scenario, course: Course, { price, at: sentAt }: Course['sent'][number]): boolean {
  const { looks, decided } = course;
  // A commit that is decided is made, however long that takes (E4).
  const at = shape === 'held' ? Math.max(...decided.filter((time) => time <= sentAt)) : sentAt;
  const last = looks.filter(({ answered }) => answered <= at).at(-1);
  if (last === undefined || last.price !== price) return true;
  return good !== null && at - last.asked > good * 1_000 && at - last.answered > COMMIT;
}
