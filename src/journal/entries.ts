/** The entries of a run, from its rows: the one place where rows are read to be folded. */
import type { Entry } from '../model/entry.ts';
import type { Renames } from '../model/renames.ts';
import { EntryDecoder } from './entry-codec.ts';
import { JournalError, type StoredRow } from './journal.ts';
import { type NamesOfNow, namesOfNow } from './names-of-now.ts';

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
 * Reads the entries of rows, in their order and in the names of now, without the rows that only name things.
 * @param decoder reads them; pass one to know what was missing in it, or to go on with its names.
 * @param next the map that the run is about to be moved by.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`.
 */
export function* entriesOf(
  rows: Iterable<StoredRow>,
  decoder = new EntryDecoder(),
  next: Renames | null = null,
): Generator<StoredEntry> {
  const [all, names] = readIn(rows, next);
  for (const row of all) {
    const entry = decoder.entry(row);
    if (entry !== null) yield { entry: names.entry(entry), row, fold: (into) => replayed(row, into) };
  }
}

/**
 * The rows, and the names that they are read in. Rows from the first one on are gathered: a map may lie ahead. Of
 * others each is read as it comes.
 */
function readIn(rows: Iterable<StoredRow>, next: Renames | null): readonly [Iterable<StoredRow>, NamesOfNow] {
  const coming = rows[Symbol.iterator]();
  const first = coming.next();
  if (first.done === true) return [[], namesOfNow([], next)];
  const rest = { [Symbol.iterator]: () => coming };
  if (first.value.seq === 1) {
    const all = [first.value, ...rest];
    return [all, namesOfNow(all, next)];
  }
  return [rowsFrom(first.value, coming), namesOfNow([], next)];
}

/** A row and those that come behind it. Who reads it no further ends what they come from. */
function* rowsFrom(first: StoredRow, rest: Iterator<StoredRow>): Generator<StoredRow> {
  try {
    yield first;
    for (let next = rest.next(); next.done !== true; next = rest.next()) yield next.value;
  } finally {
    rest.return?.();
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
