/**
 * The log of a file: one row for each commit, whichever runs took part in it. The number of a row is the fence: a
 * process that takes a lease adds a row, so a stopped process cannot add a row of the same number later. The rows after
 * the last segment are read and checked when the log is first asked; afterwards only the rows that other processes have
 * added.
 */
import type Database from 'better-sqlite3';
import { JournalError } from '../../journal.ts';
import { corrupt, damaged } from '../errors.ts';
import type { AnchoredHead } from './anchor.ts';
import { bodyOf, firstLink, groupsIn, headOf, joined, type LoggedGroup, linked, type NewGroup } from './form.ts';
import type { StoredEnd } from './listed.ts';
import type { Run } from './run.ts';
import { SEGMENT, Segments, type Stretch } from './segments.ts';
import { type StoredGroup, StoredRows } from './stored-rows.ts';

/** The number of rows that are read at once. */
const BATCH = 256;
const NOTHING = Buffer.alloc(0);
/** The end before the first commit group of a run. */
const NOWHERE = { row: 0, last: 0 };

interface Tail {
  readonly rows: number[];
  last: number;
}

/** The log of one open file. */
export class Log {
  readonly #db: Database.Database;
  readonly #path: string;
  readonly #first: Buffer;
  readonly #stored: StoredRows;
  readonly #segments: Segments;
  /** The last known row; null before the log is first asked. */
  #end: AnchoredHead | null = null;
  /** The groups in the rows after the last segment. */
  #tails = new Map<number, Tail>();
  /** False after a row was added in a transaction that may have been undone. */
  #isSettled = true;

  constructor(db: Database.Database, path: string, identity: Buffer) {
    this.#db = db;
    this.#path = path;
    this.#first = firstLink(identity);
    this.#stored = new StoredRows(db, path);
    this.#segments = new Segments(db, path);
  }

  /** The last row, as far as it is known. */
  get end(): AnchoredHead {
    return this.#end ?? { row: 0, link: this.#first };
  }

  /** Reads the rows that other processes have added. */
  refresh(): void {
    this.#settle();
    const last = this.#stored.last();
    if (this.#end === null || last - (last % SEGMENT) > this.#end.row) this.#end = this.#lastSegment(last);
    while (this.#end.row < last) {
      for (const { row, link, head } of this.#stored.after(this.#end.row, BATCH)) {
        const groups = groupsIn(row, head);
        if (groups === null || !linked(this.#end.link, row, head).equals(link))
          throw damaged(this.#path, row, 'it does not follow from the row before it');
        this.#took({ row, link }, groups);
      }
    }
  }

  /** Adds a row inside a transaction that writes. @returns its number. */
  add(groups: readonly NewGroup[]): number {
    this.refresh();
    this.#isSettled = false;
    return this.#insert(groups);
  }

  /**
   * Adds a row in a transaction of its own.
   * @returns its number; null if another process has added a row, or if adding takes more than one statement.
   */
  addAtOnce(groups: readonly NewGroup[]): number | null {
    this.#settle();
    if (this.#end === null || (this.#end.row + 1) % SEGMENT === 0) return null;
    try {
      return this.#insert(groups);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return null;
      throw error;
    }
  }

  /**
   * Compares the log with the row that its anchor, or this process, remembers. The anchor must be read before the
   * transaction.
   * @throws JournalError `journal_tail_lost` if a later row is remembered; `journal_corrupt` if another row is.
   */
  check(remembered: AnchoredHead | null, last = this.end.row): void {
    if (remembered === null || remembered.row === 0) return;
    const { row, link } = remembered;
    if (row > last) {
      const what = `the log ends at row ${last}, and its anchor remembers row ${row}`;
      throw new JournalError('journal_tail_lost', `${this.#path}: ${what}. Restore the newer file, or resume a copy.`);
    }
    const there = row === this.#end?.row ? this.#end.link : this.#stored.link(row);
    if (there?.equals(link) !== true)
      throw damaged(this.#path, row, 'the anchor remembers another one: the tail was replaced');
  }

  /**
   * The row with the last group of a run, and the seq of its end.
   * @param stored the end in the index, if the caller knows it.
   */
  endOf(run: Run, stored?: StoredEnd): { readonly row: number; readonly last: number } {
    const stretch = this.#tails.get(run.id) ?? this.#segments.newest(run, stored);
    return stretch === null ? NOWHERE : { row: stretch.rows.at(-1) as number, last: stretch.last };
  }

  /** The row with the first group of a run; 0 where there is none. */
  beginningOf(run: Run): number {
    return (this.#segments.oldest(run) ?? this.#tails.get(run.id))?.rows[0] ?? 0;
  }

  /** The rows with the groups of a run that end after a seq, as they are now, several at once. */
  rowsOf(run: Run, after: number): Iterable<readonly number[]> {
    const newest = this.#segments.newest(run)?.last ?? 0;
    const tail = this.#tails.get(run.id);
    const there: Stretch | null = tail === undefined ? null : { rows: [...tail.rows], last: tail.last };
    return this.#rowsOf(run, after, newest, there);
  }

  *#rowsOf(run: Run, after: number, newest: number, tail: Stretch | null): Generator<readonly number[]> {
    for (let at = after; at < newest; ) {
      const stretch = this.#segments.next(run, at, newest);
      if (stretch === null) throw corrupt(this.#path, run.name, at + 1, 'its index ends before it does');
      yield at === after ? this.#later(run, stretch.rows, after) : stretch.rows;
      at = stretch.last;
    }
    if (tail !== null && tail.last > after) yield newest <= after ? this.#later(run, tail.rows, after) : tail.rows;
  }

  /** The rows whose groups end after a seq. */
  #later(run: Run, rows: readonly number[], after: number): readonly number[] {
    if (after === 0) return rows;
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const group = this.group(run, rows[middle] as number);
      if (group === null)
        throw corrupt(this.#path, run.name, after + 1, `row ${rows[middle]} of the log has no group of it`);
      if (group.last > after) high = middle;
      else low = middle + 1;
    }
    return rows.slice(low);
  }

  /** The group of a run in a row, without its contents; null if there is none. */
  group(run: Run, row: number): LoggedGroup | null {
    return this.#stored.group(run.id, row);
  }

  /** A `group` for many runs of one moment, which remembers the rows it has read. */
  remembering(): (run: Run, row: number) => LoggedGroup | null {
    const group = this.#stored.remembering();
    return (run, row) => group(run.id, row);
  }

  groups(run: Run, rows: readonly number[]): readonly (StoredGroup | null)[] {
    return this.#stored.groups(run.id, rows);
  }

  /**
   * Removes the contents of a run from its rows, inside a writing transaction. The hashes of its groups stay, so that
   * the chain of rows holds; an empty row of a segment keeps its link.
   */
  drop(run: Run): void {
    this.refresh();
    const settled = this.end.row - (this.end.row % SEGMENT);
    for (const rows of this.rowsOf(run, 0)) for (const row of rows) this.#empty(run, row, row < settled);
    this.#segments.delete(run.id);
    this.#tails.delete(run.id);
  }

  /** The stretches of the index that end before a seq, from the oldest on; never the newest of a run. */
  settledBefore(run: Run, seq: number): readonly Stretch[] {
    return this.#segments.before(run, seq);
  }

  /**
   * Takes the contents of a run's groups out of the rows, up to a given group; the index forgets them. Must run inside
   * a writing transaction.
   */
  dropUpTo(run: Run, last: number): void {
    this.refresh();
    for (const { rows } of this.settledBefore(run, last + 1)) for (const row of rows) this.#empty(run, row, true);
    this.#segments.deleteUpTo(run.id, last);
  }

  #empty(run: Run, row: number, isIndexed: boolean): void {
    const groups = this.#stored.whole(row);
    const parts = groups.map(({ group, part }) => (group.run === run.id ? NOTHING : part));
    if (isIndexed && parts.every(({ length }) => length === 0)) this.#stored.replace(row, NOTHING, NOTHING);
    else
      this.#stored.replace(
        row,
        headOf(
          row,
          groups.map(({ group }) => group),
        ),
        joined(parts),
      );
  }

  #insert(groups: readonly NewGroup[]): number {
    const { row: before, link: link0 } = this.end;
    const row = before + 1;
    const head = headOf(row, groups);
    const link = linked(link0, row, head);
    this.#stored.add(row, link, head, bodyOf(groups));
    this.#took({ row, link }, groups);
    if (row % SEGMENT === 0) {
      for (const [run, tail] of this.#tails) this.#segments.add(run, tail);
      this.#tails = new Map();
    }
    return row;
  }

  #took(end: AnchoredHead, groups: readonly LoggedGroup[]): void {
    this.#end = end;
    for (const { run, last } of groups) {
      const tail = this.#tails.get(run);
      if (tail === undefined) this.#tails.set(run, { rows: [end.row], last });
      else {
        tail.rows.push(end.row);
        tail.last = last;
      }
    }
  }

  /** Forgets a row that was added in a transaction that was undone. */
  #settle(): void {
    if (this.#isSettled || this.#end === null) return;
    if (this.#end.row > 0 && this.#stored.link(this.#end.row)?.equals(this.#end.link) !== true) this.#end = null;
    this.#isSettled = !this.#db.inTransaction;
  }

  /** The end of the last segment, from which the rows are read. */
  #lastSegment(last: number): AnchoredHead {
    if (this.#end !== null) this.check(this.#end, last);
    this.#tails = new Map();
    const row = last - (last % SEGMENT);
    const link = row === 0 ? this.#first : this.#stored.link(row);
    if (link === null) throw damaged(this.#path, row, 'it is missing');
    return { row, link };
  }
}
