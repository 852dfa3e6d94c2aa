/**
 * Exits that a reviewed policy has restored (semantics.md EX1 to EX3): a finished instance keeps all that it did, and what followed its exit in its
 * regions goes back. That holds only where nobody is behind it.
 */
import type { Places } from '../history/places.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Rules } from '../model/decision.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import type { Refusal } from '../model/veto.ts';
import { isExitAllowed } from './joint.ts';

type RefusedExit = Extract<Refusal, { code: 'exit_not_restorable' }>;

/** The reason why an exit cannot be restored, before any cut is made; null for a checkpoint of another kind, and where a cut has to tell. */
export function refusedExit(
  candidate: Checkpoint,
  { id }: InstanceRecord,
  rules: Rules,
  places: Places | null,
): RefusedExit | null {
  if (candidate.kind !== 'exit') return null;
  const refused = { code: 'exit_not_restorable', candidate, instance: id } as const;
  if (!isExitAllowed(rules, id)) return refused;
  if (places === null || rules.policy === 'dart') return { ...refused, why: 'control_unknown' };
  const closed = closingStep(places, id, candidate);
  if (closed === null) return { ...refused, why: 'not_over' };
  const behind = enteredBy(places, closed);
  return behind === null ? null : { ...refused, why: 'behind', behind };
}

/** The refusal of an exit whose cut takes anything from another instance, or sets it aside; null where it takes nothing from one. */
export function behindExit(
  candidate: Checkpoint,
  { id }: InstanceRecord,
  others: Iterable<InstanceId>,
): RefusedExit | null {
  if (candidate.kind !== 'exit') return null;
  for (const other of others) {
    if (other.skeleton === ROOT || instanceName(other) === instanceName(id)) continue;
    return { code: 'exit_not_restorable', candidate, instance: id, why: 'behind', behind: other };
  }
  return null;
}

/** The first step in each region of the one that closed an instance that moved that region afterwards: all that follows goes with it. */
export function stepsBehind(places: Places, { id }: InstanceRecord, exit: Checkpoint): PlacedStep[] {
  const closed = closingStep(places, id, exit);
  if (closed === null) return [];
  return closed.moves.flatMap((region) => {
    for (const later of places.afterIn(region, closed)) if (later.moves.includes(region)) return [later];
    return [];
  });
}

/** True for an exit that only the policy keeps from being restored: nothing followed it. */
export function isSoleExit(candidate: Checkpoint, record: InstanceRecord, rules: Rules, places: Places): boolean {
  if (candidate.kind !== 'exit' || isExitAllowed(rules, record.id)) return false;
  const closed = closingStep(places, record.id, candidate);
  if (closed === null || enteredBy(places, closed) !== null) return false;
  return stepsBehind(places, record, candidate).length === 0;
}

/** The step that closed an instance, if the checkpoint is of that step. */
function closingStep(places: Places, id: InstanceId, { at }: Checkpoint): PlacedStep | null {
  const closed = places.of(instanceName(id))?.closed ?? null;
  return closed !== null && closed.act < at && at <= closed.to ? closed : null;
}

/** An instance that a step has entered; null where it has entered none. */
function enteredBy(places: Places, { entered }: PlacedStep): InstanceId | null {
  for (const name of entered) {
    const place = places.of(name);
    if (place !== undefined && !place.root) return place.id;
  }
  return null;
}
