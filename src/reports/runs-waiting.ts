/** The runs of a store that need a person, counted from their notes. */
import type { RunSummary } from '../journal/journal.ts';
import { parseRunNote } from './run-note.ts';
import { needsPerson, waitingSince } from './waits.ts';

/** The runs that need a person. */
export interface RunsWaiting {
  readonly count: number;
  /** The age of the oldest of their waits, in seconds; 0 where none waits. */
  readonly oldest: number;
}

/** Counts the runs that need a person. A run without a note, whose rows no list reads, is not counted. */
export function runsWaiting(runs: Iterable<Pick<RunSummary, 'note'>>, now: number): RunsWaiting {
  let count = 0;
  let oldest = 0;
  for (const { note } of runs) {
    const waits = parseRunNote(note)?.waits ?? [];
    if (!needsPerson(waits)) continue;
    count += 1;
    oldest = Math.max(oldest, (now - (waitingSince(waits) ?? now)) / 1_000);
  }
  return { count, oldest };
}
