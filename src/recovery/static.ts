/**
 * The policy `static`: the line computed without the order of events, from who writes what anyone reads (semantics.md §9).
 * It needs no positions but entries and never learns that a read came first or that a write was covered. Sound; blocks more.
 */
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import { type Access, readDependence } from '../history/versions.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Dependence } from '../model/veto.ts';
import { type Crossed, Crossings, type Placement, type Proposal } from './crossings.ts';

/**
 * The static line for each candidate: everyone whom the failed instance reaches goes to its entry, or to ⊥ with its
 * starter; the failed one to the candidate, or, if it is reached itself, to its entry. One step beyond the letter of §9: a
 * failed instance whose *starter* is reached goes to ⊥ like any other, because its start is undone.
 */
export function staticLines(history: History, failed: InstanceRecord, candidates: readonly Checkpoint[]): Proposal {
  const reached = reach(history, failed);
  const gone = new Set<InstanceRecord | null>([failed, ...reached.keys()]);
  const moves = new Map<InstanceRecord, Placement>();
  const crossings = new Crossings(history, failed);
  for (const [record, cause] of reached) {
    const placement = { keep: gone.has(record.starter) ? null : (record.checkpoints[0] as Checkpoint), cause };
    moves.set(record, placement);
    crossings.lower(record, placement, history.head);
  }
  if (reached.has(failed)) return { moves, crossed: candidates.map((candidate) => crossings.charge(candidate)) };
  moves.set(failed, { keep: candidates[0] as Checkpoint, cause: null });
  return { moves, crossed: lowerAlone(history, failed, candidates, crossings) };
}

/** Lowers the failed instance from candidate to candidate; nobody else moves on its account. */
export function lowerAlone(
  history: History,
  failed: InstanceRecord,
  candidates: readonly Checkpoint[],
  crossings: Crossings,
): Crossed[] {
  let upTo = history.head;
  return candidates.map((candidate) => {
    crossings.lower(failed, { keep: candidate, cause: null }, upTo);
    upTo = candidate.at;
    return crossings.charge(candidate);
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
