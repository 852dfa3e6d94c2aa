/**
 * The policy `dart`: the paper's rule as written (DART def. 6, eq. 8–10), for comparison and for whole-snapshot
 * restore. It looks one hop far and keeps every other instance, which is unsound where only the failed instance is
 * restored: `W_i a · R_j a · W_j b · R_k b · commit_k` is admitted for i although k has committed on it (semantics.md
 * §9).
 */

import { readDependence } from '../history/dependencies.ts';
import type { History } from '../history/history.ts';
import type { InstanceRecord } from '../history/registry.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { type Consumer, Crossings, type Proposal } from './crossings.ts';

/** The failed instance moves alone, and every committed reader of anything it ever wrote stands against every candidate. */
export function dartLines(history: History, failed: InstanceRecord, candidates: readonly Checkpoint[]): Proposal {
  const alone = new Crossings(history, failed).lowerAlone(candidates);
  const consumers = committedReaders(history, failed);
  const crossed = alone.map((each, index) => (index === 0 ? { ...each, consumers } : each));
  const moves = new Map([[failed, { keep: candidates[0] as Checkpoint, cause: null }]]);
  return { moves, crossed, crossable: false };
}

function committedReaders(history: History, failed: InstanceRecord): Consumer[] {
  const found = new Map<InstanceRecord, Consumer>();
  for (const { write, reads } of history.versions.readsOfAnything(failed)) {
    for (const read of reads) {
      const { committed } = read.by;
      if (read.by === failed || committed === null || found.has(read.by)) continue;
      found.set(read.by, { dependence: readDependence(write, read), committed });
    }
  }
  return [...found.values()];
}
