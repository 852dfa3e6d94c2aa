/**
 * The ladder: the first rung that holds is the verdict (semantics.md §8.4). It is asked about the newest candidate only: an
 * older one moves more, crosses more, and stands no better on any rung.
 */
import type { History } from '../history/history.ts';
import type { Decision, RecoveryLine, Rules } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { Abstention, Veto } from '../model/veto.ts';
import type { Judged } from './proposal.ts';
import { smallestUnblock } from './unblock.ts';

/** Answers a failure. `found` is the newest candidate as it was judged, or why localisation abstained. */
export function climb(
  history: History,
  failure: Failure,
  rules: Rules,
  found: Judged | Abstention,
  vetoes: readonly Veto[],
): Decision {
  const { in: failed } = failure;
  const { policy } = rules;
  const at = history.head;
  const drawn = typeof found === 'string' ? null : draw(found, rules);
  if (drawn !== null && drawn.line.level < 2) return { verdict: 'restore', failed, at, policy, vetoes, ...drawn };
  if (drawn !== null && rules.joint === 'all')
    return { verdict: 'restore_joint', failed, at, policy, vetoes, ...drawn };
  const line = drawn?.line ?? null;
  const unblock = smallestUnblock(history, rules, found);
  if (history.effects.blockingCount > 0) {
    return { verdict: 'escalate', failed, at, policy, vetoes, line, undo: [], unblock };
  }
  return { verdict: 'rerun', failed, at, policy, vetoes, line, undo: history.effects.undoable().reverse(), unblock };
}

/**
 * The line of a candidate and what to undo before it; null where no line is consistent, because a position lies below a
 * floor (§9.2). `dart` has no line either where a committed consumer stands against it.
 */
function draw({ proposal, crossed }: Judged, rules: Rules): { line: RecoveryLine; undo: readonly Effect[] } | null {
  const { moves, consumers } = proposal;
  if (crossed.blocked.length > 0 || (rules.policy === 'dart' && consumers.length > 0)) return null;
  const moved = [...moves].map(([record, { keep, cause }]) => {
    return { instance: record.id, keep: keep ?? ('none' as const), cause };
  });
  const level = consumers.length > 0 ? 2 : moved.length > 1 ? 1 : 0;
  return { line: { level, moves: moved }, undo: crossed.undo };
}
