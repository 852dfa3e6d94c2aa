/** Reads the journal of a run. */
import { entriesOf } from '../../journal/entries.ts';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import type { StoredRow } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import { RunState } from '../../projection/run-state.ts';
import { RunNoteFold } from '../../reports/run-note.ts';

/** Folds a run's journal. @throws JournalError `journal_corrupt`. */
export function readRun(
  rows: Iterable<StoredRow>,
  codecs: readonly ValueCodec[] = [],
): { runState: RunState; reader: EntryDecoder; note: RunNoteFold } {
  const runState = foldWith(codecs);
  const reader = new EntryDecoder(codecs);
  const note = new RunNoteFold();
  for (const { entry, row, fold } of entriesOf(rows, reader)) {
    fold(() => runState.apply(entry, row.time));
    note.take(entry, row.time);
  }
  return { runState, reader, note };
}

/** A state of a run to fold entries into, whose values have these codecs. */
export function foldWith(codecs: readonly ValueCodec[] | undefined): RunState {
  return new RunState(undefined, undefined, codecs);
}
