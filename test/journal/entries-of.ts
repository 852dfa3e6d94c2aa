/** Reads rows as the entries that they hold. */
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';

/** The entries that the rows of a run hold, in order. */
export function entriesOf(rows: Iterable<StoredRow>): Entry[] {
  const decoder = new EntryDecoder();
  return [...rows].flatMap((row) => decoder.entry(row) ?? []);
}
