/**
 * The index of the log: in which of its rows the commit groups of a run are. It is written once for each stretch of so many rows, with the last of
 * them; of the rows after that, a process that has the file open knows by itself. Two tables must agree, so that a lost page does not make a run
 * shorter.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { corrupt } from '../errors.ts';
import { ascending, ascendingIn } from './form.ts';
import type { StoredEnd } from './listed.ts';
import type { Run } from './run.ts';

/** The number of rows in a stretch. */
export const SEGMENT = 1_024;

/** The commit groups of a run in a stretch of the log. */
export interface Stretch {
  /** The rows of the log that have one, ascending. */
  readonly rows: readonly number[];
  /** The seq at the end of the last. */
  readonly last: number;
}

/** The segments of one open file. */
export class Segments {
  readonly #path: string;
  readonly #add: Statement;
  readonly #move: Statement;
  readonly #newest: Statement;
  readonly #oldest: Statement;
  readonly #next: Statement;
  readonly #end: Statement;
  readonly #before: Statement;
  readonly #deleteUpTo: Statement;
  readonly #delete: readonly Statement[];

  constructor(db: Database.Database, path: string) {
    this.#path = path;
    // A run that was deleted in the meantime gets none.
    const known = 'WHERE EXISTS (SELECT 1 FROM run WHERE id = ?)';
    this.#add = db.prepare(`INSERT INTO segment (run, last, rows) SELECT ?, ?, ? ${known}`);
    this.#move = db.prepare(`INSERT OR REPLACE INTO run_end (run, row) SELECT ?, ? ${known}`);
    const select = 'SELECT last, rows FROM segment WHERE run = ?';
    this.#newest = db.prepare(`${select} ORDER BY last DESC LIMIT 1`).raw();
    this.#oldest = db.prepare(`${select} ORDER BY last LIMIT 1`).raw();
    this.#next = db.prepare(`${select} AND last > ? AND last <= ? ORDER BY last LIMIT 1`).raw();
    const isNotNewest = 'last < (SELECT max(last) FROM segment WHERE run = ?)';
    this.#before = db.prepare(`${select} AND last < ? AND ${isNotNewest} ORDER BY last`).raw();
    this.#deleteUpTo = db.prepare('DELETE FROM segment WHERE run = ? AND last <= ?');
    this.#end = db.prepare('SELECT row FROM run_end WHERE run = ?').pluck();
    this.#delete = ['segment', 'run_end'].map((table) => db.prepare(`DELETE FROM ${table} WHERE run = ?`));
  }

  /** Writes the segment of a run, inside the transaction of the last row of its stretch. */
  add(run: number, { rows, last }: Stretch): void {
    this.#add.run(run, last, ascending(rows), run);
    this.#move.run(run, rows.at(-1), run);
  }

  /** The newest segment of a run; null where there is none. @param stored what the tables have of it, where that is known. */
  newest(
    run: Run,
    { segment, row }: StoredEnd = { segment: this.#newest.get(run.id), row: this.#end.get(run.id) },
  ): Stretch | null {
    const newest = this.#stretch(run, segment);
    if ((row ?? null) === (newest?.rows.at(-1) ?? null)) return newest;
    throw this.#corrupt(run, newest?.last ?? 0);
  }

  oldest(run: Run): Stretch | null {
    return this.#stretch(run, this.#oldest.get(run.id));
  }

  /** The first segment of a run that ends after one seq, and not after another. */
  next(run: Run, after: number, upTo: number): Stretch | null {
    return this.#stretch(run, this.#next.get(run.id, after, upTo));
  }

  /** The segments of a run that end before a seq, in order, without its newest. */
  before(run: Run, seq: number): Stretch[] {
    return this.#before.all(run.id, seq, run.id).flatMap((stored) => this.#stretch(run, stored) ?? []);
  }

  deleteUpTo(run: number, last: number): void {
    this.#deleteUpTo.run(run, last);
  }

  delete(run: number): void {
    for (const statement of this.#delete) statement.run(run);
  }

  #stretch(run: Run, stored: unknown): Stretch | null {
    if (stored === undefined) return null;
    const [last, bytes] = stored as unknown[];
    const rows = Buffer.isBuffer(bytes) ? ascendingIn(bytes) : null;
    if (!Number.isSafeInteger(last) || rows === null || rows.length === 0) throw this.#corrupt(run, 0);
    return { rows, last: last as number };
  }

  #corrupt(run: Run, seq: number) {
    return corrupt(this.#path, run.name, seq, 'the index does not say in which rows of the log it is');
  }
}
