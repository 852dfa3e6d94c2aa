/** The runs of a store that need a person, and what all of its runs owe, counted from their notes. */
import type { RunSummary } from '../journal/journal.ts';
import type { OwedCounts } from '../projection/obligations.ts';
import { parseRunNote } from './run-note.ts';
import { needsPerson, waitingSince } from './waits.ts';

/** The runs that need a person. */
export interface RunsWaiting {
  readonly count: number;
  /** The age of the oldest of their waits, in seconds; 0 where none waits. */
  readonly oldest: number;
  /** The obligations of all runs. */
  readonly owed: OwedCounts;
}

/** Counts the runs that need a person, and the obligations of all. A run without a note, whose rows no list reads, is not counted. */
export function runsWaiting(runs: Iterable<Pick<RunSummary, 'note'>>, now: number): RunsWaiting {
  let count = 0;
  let oldest = 0;
  let owed: OwedCounts = { open: 0, overdue: 0, broken: 0 };
  for (const { note } of runs) {
    const { waits = [], owes } = parseRunNote(note) ?? {};
    if (owes !== undefined)
      owed = {
        open: owed.open + owes.open,
        overdue: owed.overdue + owes.overdue,
        broken: owed.broken + owes.broken,
      };
    if (!needsPerson(waits)) continue;
    count += 1;
    oldest = Math.max(oldest, (now - (waitingSince(waits) ?? now)) / 1_000);
  }
  return { count, oldest, owed };
}
