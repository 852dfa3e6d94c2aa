/** Every statement on the rows of the log. The rows are not trusted: a malformed row is refused, or read as null. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { damaged } from '../errors.ts';
import { groupOf, groupsIn, LINK, type LoggedGroup, partAt, partsIn } from './form.ts';

/** A row of the log without its body. */
export interface LogRow {
  readonly row: number;
  readonly link: Buffer;
  readonly head: Buffer;
}

/** A commit group of one run, as it is stored. */
export interface StoredGroup {
  readonly group: LoggedGroup;
  /** Its rows; no bytes where it was deleted. */
  readonly part: Buffer;
}

/** The rows of the log of one open file. */
export class StoredRows {
  readonly #path: string;
  readonly #insert: Statement;
  readonly #last: Statement;
  readonly #link: Statement;
  readonly #head: Statement;
  readonly #after: Statement;
  readonly #whole: Statement;
  readonly #between: Statement;
  readonly #update: Statement;

  constructor(db: Database.Database, path: string) {
    this.#path = path;
    this.#insert = db.prepare('INSERT INTO log (id, link, head, body) VALUES (?, ?, ?, ?)');
    this.#last = db.prepare('SELECT max(id) FROM log').pluck();
    this.#link = db.prepare('SELECT link FROM log WHERE id = ?').pluck();
    this.#head = db.prepare('SELECT head FROM log WHERE id = ?').pluck();
    this.#after = db.prepare('SELECT id, link, head FROM log WHERE id > ? ORDER BY id LIMIT ?').raw();
    this.#whole = db.prepare('SELECT id, head, body FROM log WHERE id = ?').raw();
    this.#between = db.prepare('SELECT id, head, body FROM log WHERE id >= ? AND id <= ? ORDER BY id').raw();
    this.#update = db.prepare('UPDATE log SET head = ?, body = ? WHERE id = ?');
  }

  add(row: number, link: Buffer, head: Buffer, body: Buffer): void {
    this.#insert.run(row, link, head, body);
  }

  /** Puts another head and body in place of those of a row. */
  replace(row: number, head: Buffer, body: Buffer): void {
    this.#update.run(head, body, row);
  }

  /** The number of the last row; 0 where there is none. */
  last(): number {
    const last = this.#last.get() ?? 0;
    if (Number.isSafeInteger(last) && (last as number) >= 0) return last as number;
    throw damaged(this.#path, 0, 'its last row has no number');
  }

  /** The link of a row; null where there is no such row. */
  link(row: number): Buffer | null {
    const link = this.#link.get(row);
    return isLink(link) ? link : null;
  }

  /** The rows after a row, the first `limit` of them, numbered without a gap. */
  after(before: number, limit: number): LogRow[] {
    return this.#after.all(before, limit).map((stored, index) => {
      const [row, link, head] = stored as unknown[];
      const expected = before + 1 + index;
      if (row !== expected) throw damaged(this.#path, expected, `the next row is ${String(row)}`);
      if (!isLink(link) || !Buffer.isBuffer(head)) throw damaged(this.#path, expected, 'it has no form');
      return { row: expected, link, head };
    });
  }

  /** The commit group of a run in a row; null where the row has none, or no form. */
  group(run: number, row: number): LoggedGroup | null {
    const head = this.#head.get(row);
    return Buffer.isBuffer(head) ? (groupOf(row, head, run)?.group ?? null) : null;
  }

  /** The same, for many runs at one moment: runs committed together share a row, which is read once. */
  remembering(): (run: number, row: number) => LoggedGroup | null {
    let [last, groups] = [0, new Map<number, LoggedGroup>()];
    return (run, row) => {
      if (row !== last) {
        const head = this.#head.get(row);
        const found = Buffer.isBuffer(head) ? (groupsIn(row, head) ?? []) : [];
        [last, groups] = [row, new Map(found.map((group) => [group.run, group]))];
      }
      return groups.get(run) ?? null;
    };
  }

  /** The commit group of a run in each of some rows, with its contents; null for a row without a group of the run. */
  groups(run: number, rows: readonly number[]): (StoredGroup | null)[] {
    const [first = 0, last = 0] = [rows[0], rows.at(-1)];
    // If the rows lie close together, one statement reads them with the rows between them.
    if (last - first >= 2 * rows.length) return rows.map((row) => groupIn(run, row, this.#whole.get(row)));
    const stored = new Map(this.#between.all(first, last).map((each) => [(each as unknown[])[0], each]));
    return rows.map((row) => groupIn(run, row, stored.get(row)));
  }

  /** All groups of a row. */
  whole(row: number): StoredGroup[] {
    const found = wholeOf(row, this.#whole.get(row));
    if (found === null) throw damaged(this.#path, row, 'it has no form');
    return found;
  }
}

function groupIn(run: number, row: number, stored: unknown): StoredGroup | null {
  const [, head, body] = (stored ?? []) as unknown[];
  if (!Buffer.isBuffer(head) || !Buffer.isBuffer(body)) return null;
  const found = groupOf(row, head, run);
  const part = found === null ? null : partAt(body, found.index, head);
  return found === null || part === null ? null : { group: found.group, part };
}

function wholeOf(row: number, stored: unknown): StoredGroup[] | null {
  const [, head, body] = (stored ?? []) as unknown[];
  if (!Buffer.isBuffer(head) || !Buffer.isBuffer(body)) return null;
  const groups = groupsIn(row, head);
  const parts = groups === null ? null : partsIn(body, groups.length);
  return groups === null || parts === null
    ? null
    : groups.map((group, index) => ({ group, part: parts[index] as Buffer }));
}

function isLink(value: unknown): value is Buffer {
  return Buffer.isBuffer(value) && value.length === LINK;
}
