/**
 * Checks that everything an instance relies on has been promised (semantics.md E4): each version that it read, and its
 * own start, lies before the certified boundary of its producer. Until then a rollback of a producer may take the
 * instance along.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { InstanceId } from '../model/instance.ts';

/**
 * The first instance on whose uncommitted work another instance relies; null if there is none. Costs the uncommitted
 * writes.
 * @param upTo the number of the last event that counts.
 * @param promisesNothing true for an instance that makes no promise: a root instance.
 */
export function reliesOnUncommitted(
  history: History,
  id: InstanceId,
  upTo: number,
  promisesNothing: (id: InstanceId) => boolean,
): InstanceId | null {
  const record = history.registry.get(id);
  if (record === undefined) return null;
  const { starter } = record;
  const entered = record.entry.at;
  if (starter !== null && !promisesNothing(starter.id) && committedUpTo(starter) < entered) return starter.id;
  for (const other of history.registry.all()) {
    if (other === record || promisesNothing(other.id)) continue;
    if (isReadBy(history, other, record, upTo)) return other.id;
  }
  return null;
}

function committedUpTo({ committed }: InstanceRecord): number {
  return committed?.at ?? 0;
}

function isReadBy({ versions, head }: History, writer: InstanceRecord, reader: InstanceRecord, upTo: number): boolean {
  for (const write of versions.writesBetween(writer, committedUpTo(writer), head)) {
    for (const { reads, from, until } of versions.readsOf(write)) {
      for (let index = from; index < until; index += 1) {
        const read = reads.at(index);
        if (read?.by === reader && read.at <= upTo) return true;
      }
    }
  }
  return false;
}
