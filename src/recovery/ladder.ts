/**
 * The ladder: the first rung that holds is the verdict (semantics.md §8.4). It is asked about the newest candidate only: an
 * older one moves more, crosses more, and stands no better on any rung.
 */
import type { History } from '../history/history.ts';
import type { Decision, RecoveryLine, Rules } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { Abstention, Refusal } from '../model/veto.ts';
import type { Crossed, Proposal } from './crossings.ts';
import { smallestUnblock } from './unblock.ts';

/** Answers a failure. `found` is what the policy proposes, or why localisation abstained. */
export function climb(
  history: History,
  failure: Failure,
  rules: Rules,
  found: Proposal | Abstention,
  refusals: readonly Refusal[],
): Decision {
  const { in: failed } = failure;
  const { policy } = rules;
  const at = history.head;
  const drawn = typeof found === 'string' ? null : draw(found);
  if (drawn !== null && drawn.line.level < 2) return { verdict: 'restore', failed, at, policy, refusals, ...drawn };
  if (drawn !== null && rules.joint === 'all') {
    return { verdict: 'restore_joint', failed, at, policy, refusals, ...drawn };
  }
  const line = drawn?.line ?? null;
  const unblock = smallestUnblock(history, rules, found);
  if (history.effects.blockingCount > 0) {
    return { verdict: 'escalate', failed, at, policy, refusals, line, undo: [], unblock };
  }
  return { verdict: 'rerun', failed, at, policy, refusals, line, undo: history.effects.undoable().reverse(), unblock };
}

/**
 * The newest candidate's line and what to undo before it; null where it is not consistent, because a position lies below a
 * floor (§9.2), or because a consumer stands against it whose promise this policy never crosses.
 */
function draw({ moves, crossed, crossable }: Proposal): { line: RecoveryLine; undo: readonly Effect[] } | null {
  const { blocked, consumers, undo } = crossed[0] as Crossed;
  if (blocked.length > 0 || (!crossable && consumers.length > 0)) return null;
  const moved = [...moves].map(([record, { keep, cause }]) => {
    return { instance: record.id, keep: keep ?? ('none' as const), cause };
  });
  return { line: { level: consumers.length > 0 ? 2 : moved.length > 1 ? 1 : 0, moves: moved }, undo };
}
