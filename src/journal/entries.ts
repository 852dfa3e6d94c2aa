/** The entries of a run, from its rows: the one place where rows are read to be folded. */
import type { Entry } from '../model/entry.ts';
import { EntryDecoder } from './entry-codec.ts';
import { JournalError, type StoredRow } from './journal.ts';

/** An entry and the row that it stands in. */
export interface StoredEntry {
  readonly entry: Entry;
  readonly row: StoredRow;
  /**
   * Folds the entry. A row that contradicts the rows before it is damage, by whatever error the fold notices the
   * contradiction.
   * @throws JournalError `journal_corrupt`.
   */
  fold(into: () => void): void;
}

/**
 * Reads the entries of rows, in their order, without the rows that only name things.
 * @param decoder reads them; pass one to know what was missing in it, or to go on with its names.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`.
 */
export function* entriesOf(rows: Iterable<StoredRow>, decoder = new EntryDecoder()): Generator<StoredEntry> {
  for (const row of rows) {
    const entry = decoder.entry(row);
    if (entry !== null) yield { entry, row, fold: (into) => replayed(row, into) };
  }
}

function replayed({ seq }: StoredRow, fold: () => void): void {
  try {
    fold();
  } catch (error) {
    if (error instanceof JournalError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new JournalError('journal_corrupt', `row ${seq} does not follow what was before it: ${why}`);
  }
}
