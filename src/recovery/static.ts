/**
 * The policy `static`: the line computed without the order of events, from who writes what anyone reads (semantics.md §9).
 * It needs no positions but entries and never learns that a read came first or that a write was covered. Sound; blocks more.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import { type Access, readDependence } from '../history/versions.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Dependence } from '../model/veto.ts';
import { crossedConsumers, type Placement, type Proposal } from './proposal.ts';

/**
 * The static line for each candidate: everyone whom the failed instance reaches goes to its entry, or to ⊥ with its
 * starter; the failed one to the candidate, or, if it is reached itself, to its entry. One step beyond the letter of §9: a
 * failed instance whose *starter* is reached goes to ⊥ like any other, because its start is undone.
 */
export function staticLines(history: History, failed: InstanceRecord, candidates: readonly Checkpoint[]): Proposal[] {
  const reached = reach(history, failed);
  const gone = new Set<InstanceRecord | null>([failed, ...reached.keys()]);
  const others = new Map<InstanceRecord, Placement>();
  for (const [record, cause] of reached) {
    others.set(record, { keep: gone.has(record.starter) ? null : (record.checkpoints[0] as Checkpoint), cause });
  }
  return candidates.map((candidate) => {
    const moves = new Map(others);
    if (!moves.has(failed)) moves.set(failed, { keep: candidate, cause: null });
    return { candidate, moves, consumers: crossedConsumers(moves, failed) };
  });
}

/** Everyone reachable through write∩read overlaps and starts, each with the first edge found; the failed one too, if others reach it. */
function reach(history: History, failed: InstanceRecord): Map<InstanceRecord, Dependence> {
  const reached = new Map<InstanceRecord, Dependence>();
  const seen = new Set<readonly Access[]>();
  const queue = [failed];
  const add = (record: InstanceRecord, cause: Dependence) => {
    if (reached.has(record)) return;
    reached.set(record, cause);
    queue.push(record);
  };
  for (let member = queue.pop(); member !== undefined; member = queue.pop()) {
    for (const { at, started } of member.starts) {
      add(started, { kind: 'start', producer: member.id, consumer: started.id, step: at });
    }
    for (const { write, reads } of overlappingReads(history, member)) {
      if (seen.has(reads)) continue;
      // A list that the failed instance reaches may hold its own reads, which count once another member reaches them.
      if (member !== failed) seen.add(reads);
      for (const read of reads) if (read.by !== member) add(read.by, readDependence(write, read));
    }
  }
  return reached;
}

/** Each list of reads that overlaps a key which the instance ever wrote, with the first such write. Order plays no part. */
export function* overlappingReads(
  history: History,
  record: InstanceRecord,
): Generator<{ write: Access; reads: readonly Access[] }> {
  const asked = new Set<string>();
  for (const write of history.versions.writesOf(record)) {
    if (asked.has(write.key.text)) continue;
    asked.add(write.key.text);
    for (const reads of history.versions.readsOverlapping(write.key)) yield { write, reads };
  }
}
