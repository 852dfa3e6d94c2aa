/**
 * Dependence of work on other work, direct or transitive: it decides which undos may go on while another fails (E5).
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { InstanceId } from '../model/instance.ts';

/**
 * True if neither of two instances has read the other's writes, or was started by the other, even through further
 * instances.
 */
export function areIndependent(history: History, one: InstanceId, other: InstanceId): boolean {
  const [first, second] = [history.registry.get(one), history.registry.get(other)];
  if (first === undefined || second === undefined) return false;
  return first !== second && !followers(history, first).has(second) && !followers(history, second).has(first);
}

/** The instances that rest on the work of an instance. */
function followers(history: History, record: InstanceRecord): ReadonlySet<InstanceRecord> {
  const found = new Set<InstanceRecord>();
  const waiting = [record];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const follower of directFollowers(history, next)) {
      if (found.has(follower)) continue;
      found.add(follower);
      waiting.push(follower);
    }
  }
  return found;
}

function directFollowers({ registry, versions }: History, record: InstanceRecord): InstanceRecord[] {
  const readers = versions.writesOf(record).flatMap((write) => {
    return [...versions.readsOf(write)].flatMap(({ reads, from, until }) =>
      reads.slice(from, until).map(({ by }) => by),
    );
  });
  const started = [...registry.all()].filter(({ starter }) => starter === record);
  return [...new Set([...readers, ...started])].filter((follower) => follower !== record);
}
