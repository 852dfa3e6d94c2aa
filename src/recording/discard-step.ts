/**
 * The step that takes a discarded unit's writes out of the context (semantics.md PA11), and the instances that rest on
 * these writes.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import { diff } from '../history/context.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { split } from '../model/region.ts';
import type { StepEntry } from '../model/step-entry.ts';
import { editOf } from '../projection/edits.ts';
import { contextWithout } from '../projection/rollback.ts';
import type { RunState } from '../projection/run-state.ts';
import { keyIn, modeOf } from './step-view.ts';

/** The names of the other instances that have read what a unit wrote, or that it has started. */
export function readersOf({ history }: RunState, instance: InstanceId): string[] {
  const record = history.registry.get(instance);
  if (record === undefined) return [];
  const found = new Set(record.starts.map(({ started }) => instanceName(started.id)));
  for (const write of history.versions.writesOf(record))
    for (const { reads, from, until } of history.versions.readsOf(write))
      for (let index = from; index < until; index += 1) {
        const by = reads.at(index)?.by;
        if (by !== undefined && by !== record) found.add(instanceName(by.id));
      }
  return [...found];
}

/** The step that takes a unit's writes out of a context; null if none of them is there. */
export function discardStep(runState: RunState, config: BoundaryConfig, instance: InstanceId): StepEntry | null {
  const name = instanceName(instance);
  const region = runState.places.of(name)?.region;
  if (region === undefined) return null;
  const [actor] = split(region);
  const { context, value, ended } = runState.actor(actor);
  const without = ended === null ? contextWithout(runState.places, actor, name) : null;
  if (without === null) return null;
  const changes = diff(context, without.is, () => false);
  if (changes.length === 0) return null;
  const marks = changes.map(({ path, op }): HistoryEvent => {
    const key = keyIn(runState, actor, path);
    return { do: 'write', in: instance, key, mode: modeOf(config, key, op) };
  });
  return {
    do: 'step',
    actor,
    event: { type: '@belay.discard' },
    outside: false,
    value,
    remembered: null,
    done: false,
    parties: [{ instance, region }],
    edits: changes.map((change) => editOf(change, [0])),
    started: [],
    marks,
    regions: [],
    moves: [],
    looks: [split(region)[1]],
    boundaries: [],
    closed: [],
    ended: [],
  };
}
