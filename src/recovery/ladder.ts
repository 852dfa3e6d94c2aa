/**
 * The ladder: the first rung that holds is the verdict (semantics.md §8.4). It is asked about the newest candidate only: an
 * older one moves more, crosses more, and stands no better on any rung.
 */
import type { History } from '../history/history.ts';
import type { Decision, RecoveryLine, Rules } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { Failure } from '../model/failure.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Abstention, Refusal } from '../model/veto.ts';
import type { Crossed, Proposal } from './crossings.ts';
import { isAllowed } from './joint.ts';
import { smallestUnblock } from './unblock.ts';

/**
 * Answers a failure.
 * @param found the proposal of the policy, null if no checkpoint can be used, or the reason why localisation abstained.
 * @param others the proposal for every candidate, which may be less for an older one (C2).
 * @param exits the failed instance, where only the policy keeps its exit from being restored.
 */
export function climb(
  history: History,
  failure: Failure,
  rules: Rules,
  found: Proposal | Abstention | null,
  refusals: readonly Refusal[],
  others: readonly Proposal[] = [],
  exits: readonly InstanceId[] = [],
): Decision {
  const { in: failed } = failure;
  const { policy } = rules;
  const at = history.head;
  const drawn = typeof found === 'string' || found === null || failed === null ? null : draw(found);
  const besides = drawn === null ? {} : drawn.besides;
  if (drawn !== null && failed !== null && drawn.follows) {
    const { line, undo } = drawn;
    if (line.level < 2) return { verdict: 'restore', failed, at, policy, refusals, line, undo, ...besides };
    if (drawn.promises.every((instance) => isAllowed(rules, instance))) {
      return { verdict: 'restore_joint', failed, at, policy, refusals, line, undo, ...besides };
    }
  }
  const line = drawn?.line ?? null;
  const unblock = smallestUnblock(history, rules, found, others, exits);
  if (history.effects.blockingCount > 0) {
    return { verdict: 'escalate', failed, at, policy, refusals, line, undo: [], unblock };
  }
  return { verdict: 'rerun', failed, at, policy, refusals, line, undo: history.effects.undoable().reverse(), unblock };
}

/**
 * The newest candidate's line and the effects to undo before it. Null if the line is not consistent: a position lies
 * below a floor (§9.2), or the policy never crosses the promise of a consumer that stands against it.
 */
function draw({ moves, crossed, crossable, escapes = [], others, aside = [] }: Proposal): Drawn | null {
  const { blocked, consumers } = crossed[0] as Crossed;
  if (blocked.length > 0 || (!crossable && consumers.length > 0)) return null;
  const { undo, dropped = [] } = crossed[0] as Crossed;
  const moved = [...moves].map(([record, { keep, cause }]) => {
    return { instance: record.id, keep: keep ?? ('none' as const), cause };
  });
  const level = consumers.length > 0 ? 2 : (others ?? moved.length - 1) > 0 ? 1 : 0;
  const line: RecoveryLine = { level, moves: moved };
  const promises = consumers.map(({ dependence }) => dependence.consumer);
  const besides = { ...(aside.length > 0 && { aside }), ...(dropped.length > 0 && { dropped }) };
  return { line, undo, promises, follows: escapes.length === 0, besides };
}

/** A line that is consistent; `promises` are the instances whose commitments it crosses, `follows` whether control can. */
interface Drawn {
  readonly line: RecoveryLine;
  readonly undo: readonly Effect[];
  readonly promises: readonly InstanceId[];
  readonly follows: boolean;
  readonly besides: Pick<Decision, 'aside' | 'dropped'>;
}
