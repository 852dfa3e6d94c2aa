/** What the reviewed policy allows by name: commitments that a line may cross (semantics.md §8.4), and exits that may be restored (EX1). */
import type { JointRule, Rules } from '../model/decision.ts';
import type { InstanceId } from '../model/instance.ts';

/** True if the reviewed policy lets a line cross the commitments of an instance. */
export function isAllowed({ joint }: Rules, instance: InstanceId): boolean {
  return names(joint, instance);
}

/** True if the reviewed policy has the exits of an instance restored (EX1). */
export function isExitAllowed({ exits = 'none' }: Rules, instance: InstanceId): boolean {
  return names(exits, instance);
}

function names(rule: JointRule, { skeleton }: InstanceId): boolean {
  return rule === 'all' || (rule !== 'none' && rule.includes(skeleton));
}
