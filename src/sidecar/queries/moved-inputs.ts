/** Finds the inputs that a replay reads in another version than the work that it replaces did. */
import type { History } from '../../history/history.ts';
import type { InstanceRecord } from '../../history/registry.ts';
import type { Access } from '../../history/versions.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { MovedInput } from '../report.ts';

/** The last write of an instance to a key, of those that are kept. */
interface LastWrite {
  readonly by: InstanceRecord;
  readonly at: number;
}

/**
 * Lists the reads that a restore takes back, and that another instance has written over since by a write that is kept. Costs the reads that are
 * taken back and the writes since the first of them.
 */
export function movedInputs({ history }: Pick<RunState, 'history'>, kept: readonly Kept[]): MovedInput[] {
  const { versions, registry } = history;
  const taken = new Map<InstanceRecord, readonly Access[]>();
  for (const [id, at] of kept) {
    const record = registry.get(id);
    if (record !== undefined && id.skeleton !== ROOT)
      taken.set(record, versions.readsBetween(record, at, history.head));
  }
  const moved = new Map<string, MovedInput>();
  const writers = writersOver(history, kept, taken);
  for (const [record, reads] of taken)
    for (const read of reads) {
      const by = writers.get(read);
      if (by === undefined) continue;
      const key = read.key.text;
      moved.set(`${instanceName(record.id)} ${key}`, { instance: record.id, key, by: by.id });
    }
  return [...moved.values()];
}

/** The instance that wrote over each read; of several, the one that was entered last. */
function writersOver(
  history: History,
  kept: readonly Kept[],
  taken: ReadonlyMap<InstanceRecord, readonly Access[]>,
): Map<Access, InstanceRecord> {
  const over = new Map<Access, InstanceRecord>();
  const first = [...taken.values()].reduce((least, [read]) => Math.min(least, read?.at ?? least), history.head);
  const order = new Map<InstanceRecord, number>();
  for (const { key, writes } of lastWrites(history, kept, first, order)) {
    for (const read of history.versions.readsAt(key)) {
      const reads = taken.get(read.by);
      if (reads?.[0] === undefined || read.at < reads[0].at) continue;
      const last = writes.findLast(({ by, at }) => by !== read.by && at > read.at)?.by;
      const known = over.get(read);
      if (last === undefined) continue;
      if (known === undefined || (order.get(known) as number) < (order.get(last) as number)) over.set(read, last);
    }
  }
  return over;
}

/** The last kept writes to each key after a number, in the order in which their instances were entered. */
function lastWrites(
  { versions, registry, head }: History,
  kept: readonly Kept[],
  after: number,
  order: Map<InstanceRecord, number>,
): Iterable<{ readonly key: Key; readonly writes: readonly LastWrite[] }> {
  const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
  const all = new Map<string, { key: Key; writes: LastWrite[] }>();
  for (const by of registry.all()) {
    const written = versions.writesBetween(by, after, limits.get(instanceName(by.id)) ?? head);
    if (written.length > 0) order.set(by, order.size);
    for (const { key, at } of written) {
      const to = all.get(key.text) ?? { key, writes: [] };
      if (to.writes.at(-1)?.by === by) to.writes.pop();
      to.writes.push({ by, at });
      all.set(key.text, to);
    }
  }
  return all.values();
}
