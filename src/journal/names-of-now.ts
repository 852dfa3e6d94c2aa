/**
 * The names that the rows of a run are read in: those of the release that it goes by now (semantics.md CO5). A row before an entry that
 * has given names anew is read through each map behind it.
 */
import type { Entry } from '../model/entry.ts';
import { isSame, type Renames } from '../model/renames.ts';
import { EntryDecoder, kindOf } from './entry-codec.ts';
import { JournalError, type StoredRow } from './journal.ts';
import { RenamedEntries } from './renamed-entries.ts';

/** Reads the entries of a run, in their order, in the names of now. */
export class NamesOfNow {
  /** The maps that lie ahead of the next entry, the nearest first. */
  readonly #ahead: RenamedEntries[];

  constructor(maps: readonly Renames[]) {
    this.#ahead = maps.map((map) => new RenamedEntries(map));
  }

  /** @throws RenameError where the entry has no reading in other names. */
  entry(entry: Entry): Entry {
    // The entry that gives names anew says the names of behind it.
    if (entry.do === 'migrated' && entry.renames !== undefined) this.#ahead.shift();
    return this.#ahead.reduce((read, map) => map.entry(read), entry);
  }
}

/** True where rows may give names anew. */
function mayRename(rows: readonly StoredRow[]): boolean {
  return rows.some((row) => kindOf(row) === 'migrated');
}

/** The reader of the rows of a run, from its first one on: of rows that begin later nothing lies ahead. @param next the map that a run is about to be moved by. */
export function namesOfNow(rows: readonly StoredRow[], next: Renames | null = null): NamesOfNow {
  const maps = rows[0]?.seq === 1 && mayRename(rows) ? mapsIn(rows) : [];
  return new NamesOfNow(next === null || isSame(next) ? maps : [...maps, next]);
}

function mapsIn(rows: readonly StoredRow[]): readonly Renames[] {
  const decoder = new EntryDecoder();
  const maps: Renames[] = [];
  try {
    for (const row of rows) {
      const entry = decoder.entry(row);
      if (entry?.do === 'migrated' && entry.renames !== undefined) maps.push(entry.renames);
    }
  } catch (error) {
    // What is damaged is told where the rows are folded.
    if (!(error instanceof JournalError)) throw error;
  }
  return maps;
}
