/**
 * The facts about each run that a list of runs reads. Values are as stored in the file; code that uses them checks
 * them.
 */
import type { LoggedGroup } from './form.ts';
import type { Run } from './run.ts';

/** A note, the commit group that it came with, and the row of the log that the group is in. */
export interface Note {
  readonly text: string;
  readonly group: LoggedGroup;
  readonly row: number;
}

/** A note as it is stored. */
export type StoredNote = Readonly<Record<'at' | 'digest' | 'body', unknown>>;

/** The newest segment of a run and its last row, as they are stored. */
export interface StoredEnd {
  /** Its columns `last` and `rows`. */
  readonly segment: unknown;
  readonly row: unknown;
}

/** A run, and what every table has of it. */
export interface ListedRun extends Run {
  readonly note: StoredNote | undefined;
  readonly lease: unknown;
  readonly end: StoredEnd;
}
