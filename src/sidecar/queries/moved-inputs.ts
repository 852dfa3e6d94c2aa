/** Finds the inputs that a replay reads in another version than the work that it replaces did. */
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import { type Key, overlaps } from '../../model/key.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { MovedInput } from '../report.ts';

/** Lists the reads that a restore takes back, and that another instance has written over since by a write that is kept. */
export function movedInputs({ history }: RunState, kept: readonly Kept[]): MovedInput[] {
  const { versions, registry } = history;
  const all = [...registry.all()];
  const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
  const writersSince = (own: InstanceId, read: { readonly at: number; readonly key: Key }) =>
    all.filter((record) => {
      if (record === registry.get(own)) return false;
      const limit = limits.get(instanceName(record.id)) ?? Number.POSITIVE_INFINITY;
      return versions
        .writesOf(record)
        .some((write) => write.at > read.at && write.at <= limit && overlaps(write.key, read.key));
    });
  const moved = new Map<string, MovedInput>();
  for (const [id, at] of kept) {
    const record = registry.get(id);
    if (record === undefined || id.skeleton === ROOT) continue;
    for (const read of versions.readsBy(record)) {
      if (read.at <= at) continue;
      for (const by of writersSince(id, read))
        moved.set(`${instanceName(id)} ${read.key.text}`, { instance: id, key: read.key.text, by: by.id });
    }
  }
  return [...moved.values()];
}
