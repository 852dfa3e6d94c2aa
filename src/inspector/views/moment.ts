/** The state of a run just before a row, and when each event of its history happened. */
import { entriesOf } from '../../journal/entries.ts';
import type { StoredRow } from '../../journal/journal.ts';
import { RunState } from '../../projection/run-state.ts';

/** A run as it stood. */
export interface Moment {
  readonly runState: RunState;
  /** The wall clock of each event, by its number. */
  readonly times: ReadonlyMap<number, number>;
}

/** The run just before a row; a restore in between has given numbers anew, and the newest count. */
export function momentBefore(rows: Iterable<StoredRow>, seq: number): Moment {
  const times = new Map<number, number>();
  let now = 0;
  const runState = new RunState((_event, number) => times.set(number, now));
  for (const { entry, row, fold } of entriesOf(rows)) {
    if (row.seq >= seq) break;
    now = row.time;
    fold(() => runState.apply(entry, row.time));
  }
  return { runState, times };
}
