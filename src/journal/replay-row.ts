/**
 * Folds rows so that a row which does not follow the ones before it is reported as damage, whichever error the fold
 * throws.
 */
import { JournalError, type StoredRow } from './journal.ts';

/** Folds a row in. @throws JournalError `journal_corrupt`. */
export function replayRow(row: StoredRow, fold: () => void): void {
  try {
    fold();
  } catch (error) {
    if (error instanceof JournalError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new JournalError('journal_corrupt', `row ${row.seq} does not follow the rows before it: ${why}`);
  }
}
