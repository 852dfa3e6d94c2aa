/** Finds the inputs that a replay reads in another version than the replaced work did. */
import type { History } from '../../history/history.ts';
import type { Access } from '../../history/key-tree.ts';
import type { InstanceRecord } from '../../history/registry.ts';
import { instanceName, ROOT } from '../../model/instance.ts';
import type { Key } from '../../model/key.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { MovedInput } from '../report.ts';

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
  for (const { key, writes } of lastWrites(history, kept, first)) {
    for (const read of history.versions.readsAt(key, first)) {
      const reads = taken.get(read.by);
      if (reads?.[0] === undefined || read.at < reads[0].at) continue;
      const last = writes.findLast(({ by, at }) => by !== read.by && at > read.at)?.by;
      const known = over.get(read);
      if (last !== undefined && (known === undefined || enteredAt(known) < enteredAt(last))) over.set(read, last);
    }
  }
  return over;
}

/** The last kept writes to each key after a number, in the order in which their instances were entered. */
function lastWrites(
  { versions, head }: History,
  kept: readonly Kept[],
  after: number,
): Iterable<{ readonly key: Key; readonly writes: readonly Access[] }> {
  const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
  const all = new Map<string, { readonly key: Key; readonly last: Map<InstanceRecord, Access> }>();
  for (const write of versions.writesAfter(after)) {
    const { by, key, at } = write;
    if (at > (limits.get(instanceName(by.id)) ?? head)) continue;
    const to = all.get(key.text) ?? { key, last: new Map<InstanceRecord, Access>() };
    to.last.set(by, write);
    all.set(key.text, to);
  }
  return [...all.values()].map(({ key, last }) => {
    return { key, writes: [...last.values()].sort((a, b) => enteredAt(a.by) - enteredAt(b.by)) };
  });
}

function enteredAt({ entry }: InstanceRecord): number {
  return entry.at;
}
