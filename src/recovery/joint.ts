/** Level 2 by name: the instances whose commitments the reviewed policy lets a line cross (semantics.md §8.4). */
import type { Rules } from '../model/decision.ts';
import type { InstanceId } from '../model/instance.ts';

/** True if the reviewed policy lets a line cross the commitments of an instance. */
export function isAllowed({ joint }: Rules, instance: InstanceId): boolean {
  return joint === 'all' || (joint !== 'none' && joint.includes(instance.skeleton));
}
