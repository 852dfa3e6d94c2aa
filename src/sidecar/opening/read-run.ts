/** Reads the journal of a run. */
import { entriesOf } from '../../journal/entries.ts';
import { EntryDecoder } from '../../journal/entry-codec.ts';
import { gathered } from '../../journal/gathered.ts';
import type { JournalStore, StoredRow } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Renames } from '../../model/renames.ts';
import { RunState } from '../../projection/run-state.ts';
import { RunNoteFold } from '../../reports/run-note.ts';
import type { EntryObserver } from '../observing.ts';

/**
 * Folds a run's journal.
 * @param next the map that the run is about to be moved by: it is read in the names of behind it.
 * @throws JournalError `journal_corrupt`; RenameError where a map is given, and the run has no reading in its names.
 */
export function readRun(
  rows: Iterable<StoredRow>,
  codecs: readonly ValueCodec[] = [],
  next: Renames | null = null,
): { runState: RunState; reader: EntryDecoder; note: RunNoteFold } {
  const runState = foldWith(codecs);
  const reader = new EntryDecoder(codecs);
  const note = new RunNoteFold();
  for (const { entry, row, fold } of entriesOf(rows, reader, next)) {
    fold(() => runState.apply(entry, row.time));
    note.take(entry, row.time);
  }
  return { runState, reader, note };
}

/** Shows an observer a run from its journal, entry by entry. @throws JournalError `journal_corrupt`, `rows_archived`. */
export async function showRun(
  store: Pick<JournalStore, 'read'>,
  run: string,
  codecs: readonly ValueCodec[],
  to: EntryObserver,
): Promise<RunState> {
  const runState = foldWith(codecs);
  const rows = await gathered(store.read(run));
  to.opens(run, '', runState, async () => {});
  for (const { entry, row, fold } of entriesOf(rows, new EntryDecoder(codecs))) {
    fold(() => runState.apply(entry, row.time));
    to.appended(entry)?.();
  }
  return runState;
}

/** A state of a run to fold entries into, whose values have these codecs. */
export function foldWith(codecs: readonly ValueCodec[] | undefined): RunState {
  return new RunState(undefined, undefined, codecs);
}
