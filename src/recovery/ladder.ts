/**
 * The ladder: the first rung that holds is the verdict (semantics.md §8.4). It is asked about the newest candidate only: an
 * older one moves more, crosses more, and stands no better on any rung.
 */
import type { History } from '../history/history.ts';
import type { Decision, RecoveryLine, Rules } from '../model/decision.ts';
import type { Failure } from '../model/failure.ts';
import type { Veto } from '../model/veto.ts';
import type { Judged, Proposal } from './proposal.ts';
import { smallestUnblock } from './unblock.ts';

/** Answers a failure. `judged` is null where localisation abstained. */
export function climb(
  history: History,
  failure: Failure,
  rules: Rules,
  judged: Judged | null,
  vetoes: readonly Veto[],
): Decision {
  const { in: failed } = failure;
  const { policy } = rules;
  const at = history.head;
  const consistent = judged !== null && isConsistent(judged, rules);
  const line = consistent ? toLine(judged.proposal) : null;
  const undo = consistent ? judged.crossed.undo : [];
  if (line !== null && line.level < 2) return { verdict: 'restore', failed, at, policy, vetoes, line, undo };
  if (line !== null && rules.joint === 'all') {
    return { verdict: 'restore_joint', failed, at, policy, vetoes, line, undo };
  }
  const unblock = smallestUnblock(history, rules, judged, vetoes);
  if (history.effects.blockingCount > 0) {
    return { verdict: 'escalate', failed, at, policy, vetoes, line, undo: [], unblock };
  }
  return { verdict: 'rerun', failed, at, policy, vetoes, line, undo: history.effects.undoable().reverse(), unblock };
}

/** §9.2: no position below a floor. `dart` has no line either where a committed consumer stands against it. */
function isConsistent({ proposal, crossed }: Judged, rules: Rules): boolean {
  return crossed.blocked.length === 0 && (rules.policy !== 'dart' || proposal.consumers.length === 0);
}

function toLine({ moves, consumers }: Proposal): RecoveryLine {
  const moved = [...moves].map(([record, { keep, cause }]) => {
    return { instance: record.id, keep: keep ?? ('none' as const), cause };
  });
  return { level: consumers.length > 0 ? 2 : moved.length > 1 ? 1 : 0, moves: moved };
}
