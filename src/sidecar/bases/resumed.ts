/**
 * Reads a run that is taken up: its base and the rows after the base. Without a base that can be trusted, reads all
 * rows.
 */
import { entriesOf } from '../../journal/entries.ts';
import { gathered } from '../../journal/gathered.ts';
import type { Journal, StoredRow } from '../../journal/journal.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Renames } from '../../model/renames.ts';
import { readRun } from '../opening/read-run.ts';
import type { Based } from './basing.ts';
import { type Rebuilt, rebuilt } from './loaded-base.ts';

/** A run as its rows tell it. */
export type Resumed = Omit<Rebuilt, 'base'> & { readonly from: Based['from'] };

/**
 * Reads the run of a journal.
 * @param next the map to the release that the run moves to.
 * @throws JournalError `journal_corrupt`, `journal_not_ours`; RenameError if the run cannot be read in the names of the
 * map.
 */
export async function resumed(
  journal: Journal,
  codecs: readonly ValueCodec[] = [],
  next: Renames | null = null,
): Promise<Resumed> {
  // A base has the names of its time.
  const base = next === null ? await journal.base() : null;
  const found = base === null ? null : tried(() => rebuilt(base.parts, codecs));
  if (base !== null && found !== null) {
    const rows = [...(await gathered(journal.read(base.at)))];
    const read = tried(() => goneOn(found, rows));
    // Only a reading of all rows reports a value that no journal holds, and handles renames behind the base.
    if (read !== null && read.reader.missing.size === 0 && read.runState.renamed.length === 0)
      return { ...read, from: { base: found.base, ...lengthOf(rows) } };
  }
  const rows = [...(await gathered(journal.read()))];
  return { ...readRun(rows, codecs, next), from: { base: null, ...lengthOf(rows) } };
}

/** Folds the rows after a base in. */
function goneOn(found: Rebuilt, rows: Iterable<StoredRow>): Rebuilt {
  for (const { entry, row, fold } of entriesOf(rows, found.reader)) {
    fold(() => found.runState.apply(entry, row.time));
    found.note.take(entry, row.time);
  }
  return found;
}

/** Does some work with a base; null if it fails: then the caller reads the rows, which say the same. */
function tried<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function lengthOf(rows: readonly StoredRow[]): { readonly rows: number; readonly bytes: number } {
  return { rows: rows.length, bytes: rows.reduce((sum, { body }) => sum + body.length, 0) };
}
