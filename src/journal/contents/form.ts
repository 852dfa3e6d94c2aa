/**
 * The form of contents. A text of at least `SHORTEST` stands once in a run's journal, as a row of its own; other rows
 * refer to it by its number. A list that begins like a stored list holds a reference to it, the number of common
 * members, and the members after them. Contents are numbered from 0 in the order of their rows, and refer only to
 * earlier contents.
 */
import { quoted, tag } from '../codec-form.ts';
import { JournalError } from '../journal.ts';

/** The kind of the rows that hold a content. */
export const CONTENT_KIND = 26;

/** The kind of the rows that hold a part of a content which goes on in the next row. */
export const PART_KIND = 27;

/**
 * The most bytes of a content that one row holds. A page of the database holds several such rows, encrypted or not; a
 * row longer than a quarter of a page costs a page of its own.
 */
export const PART = 480;

/** The length of the shortest text that is worth a row. */
export const SHORTEST = 256;

/** The fewest members of a list that is compared with the stored lists. */
export const FEWEST = 8;

/** The longest text of one value, and of all values of one row, with every reference written out. */
export const LARGEST = 64 * 1024 * 1024;
export const LARGEST_ROW = 4 * LARGEST;

/** Marks the body of a list that is stored as the beginning of another list and more members. */
export const LIST = 'list';

/** The text of a reference. */
export function referenceTo(number: number): string {
  return tag(`${number}`);
}

/** The body of a list: the first members of another list, and more. */
export function listBody(base: number, kept: number, more: readonly string[]): string {
  return tag(`[${[quoted(LIST), base, kept, ...more].join(',')}]`);
}

/** The error for contents that differ from what was written. */
export function damaged(what: string): JournalError {
  return new JournalError(
    'journal_corrupt',
    `The journal's contents are damaged: ${what}. Restore the journal from a backup.`,
  );
}
