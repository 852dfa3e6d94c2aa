/** The received chunks of sources whose receipt a restore takes back (semantics.md CH8). */
import { isOfSource } from '../../history/sources.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { Region } from '../../model/region.ts';
import type { Kept } from '../../projection/rollback.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RuntimeEvent } from '../../runtime/microstep.ts';

/** The step that received a chunk. */
export interface Receipt {
  readonly nth: number;
  /** The number of the machine that received the chunk. */
  readonly actor: number;
  readonly source: number;
  readonly event: RuntimeEvent;
  readonly regions: readonly Region[];
}

/** The receipts that a restore takes back, in order. Receipts of set-aside work stay with its record. */
export function receiptsIn(runState: RunState, kept: readonly Kept[], aside: readonly InstanceId[]): Receipt[] {
  return runState.takenOutBy(kept, aside).flatMap(({ nth, actor, entry, moves, looks }): Receipt[] => {
    if (entry?.source === undefined) return [];
    const regions = [...moves, ...looks].filter((region) => !isOfSource(region));
    return [{ nth, actor, source: entry.source, event: entry.event as RuntimeEvent, regions }];
  });
}
