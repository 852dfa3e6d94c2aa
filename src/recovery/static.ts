/**
 * The policy `static`: the line computed without the order of events, from the keys that each instance writes and reads
 * (semantics.md §9). It needs no positions but entries, and it never learns that a read came first or that a write was
 * covered. Sound; blocks more.
 */

import { readDependence } from '../history/dependencies.ts';
import type { History } from '../history/history.ts';
import type { Access } from '../history/key-tree.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Dependence } from '../model/veto.ts';
import { Crossings, type Placement, type Proposal } from './crossings.ts';

/**
 * The static line for each candidate: every instance that the failed one reaches goes to its entry, or to ⊥ with its
 * starter; the failed one to the candidate, or, if it is reached itself, to its entry. One step beyond the letter of
 * §9: a failed instance whose *starter* is reached goes to ⊥ like any other, because its start is undone.
 */
export function staticLines(history: History, failed: InstanceRecord, candidates: readonly Checkpoint[]): Proposal {
  const reached = reach(history, failed);
  const gone = new Set<InstanceRecord | null>([failed, ...reached.keys()]);
  const moves = new Map<InstanceRecord, Placement>();
  const crossings = new Crossings(history, failed);
  for (const [record, cause] of reached) {
    const placement = { keep: gone.has(record.starter) ? null : record.entry, cause };
    moves.set(record, placement);
    crossings.lower(record, placement, history.head);
  }
  const crossable = true;
  if (reached.has(failed)) {
    return { moves, crossed: candidates.map((candidate) => crossings.charge(candidate)), crossable };
  }
  moves.set(failed, { keep: candidates[0] as Checkpoint, cause: null });
  return { moves, crossed: crossings.lowerAlone(candidates), crossable };
}

/**
 * Every instance that is reachable through write∩read overlaps and starts, each with the first edge found; the failed
 * one too, if others reach it.
 */
export function reach(history: History, failed: InstanceRecord): Map<InstanceRecord, Dependence> {
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
    for (const { write, reads } of history.versions.readsOfAnything(member)) {
      if (seen.has(reads)) continue;
      // A list that the failed instance reaches may hold its own reads, which count once another member reaches them.
      if (member !== failed) seen.add(reads);
      for (const read of reads) if (read.by !== member) add(read.by, readDependence(write, read));
    }
  }
  return reached;
}
