/** The names that instances have in the keys of calls (semantics.md E3). */
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { regionName, split } from '../../model/region.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Placed } from '../../recording/entry-states.ts';

/** The root instance that a region belongs to: that of the innermost machine or region around it that has one. */
export function rootOf(runState: RunState, region: string): InstanceId {
  const [actor, path] = split(region);
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const id = { skeleton: ROOT, entity: regionName(actor, at), ordinal: 0 };
    if (runState.history.registry.get(id) !== undefined || at === '') return id;
  }
}

/**
 * The name of an instance in idempotency keys: its own, but for the root of an invoked machine the place of the
 * invocation: a replay invokes another machine, with another number.
 */
export function keyedAs(runState: RunState, placed: readonly Placed[], id: InstanceId): InstanceId {
  const [actor, path] = split(id.skeleton === ROOT ? id.entity : regionName(0, ''));
  return actor === 0 ? id : { ...id, entity: `${placeOf(runState, placed, actor)}:${path}` };
}

/** The place where a machine is invoked: by which instance or region, as what, and how many of the same came before it there. */
function placeOf(runState: RunState, placed: readonly Placed[], actor: number): string {
  const { actors, places } = runState;
  const { parent, region, started } = runState.actor(actor);
  if (parent === null || region === null || started === null) return '';
  const owner = runState.ownerOf(region, placed)?.id;
  const since = owner === undefined ? 0 : (places.of(instanceName(owner))?.entered.nth ?? 0);
  const nth = actors.filter((other) => {
    const isSame = other.parent === parent && other.started?.id === started.id && other.number < actor;
    return isSame && other.by !== null && !other.by.gone && other.by.nth >= since;
  }).length;
  const by = owner === undefined ? `${placeOf(runState, placed, parent)}:${split(region)[1]}` : instanceName(owner);
  return `${by}/${started.id}/${nth}`;
}
