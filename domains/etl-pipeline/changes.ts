/**
 * Changes to a database that are made once for each key, in one transaction with the note that says so: that note is what a
 * reconciler asks for, and its before-image what an undo puts back. Without a key every call is a change of its own.
 */
import type Database from 'better-sqlite3';

/** The rows that a change is about: those of a table whose column has one of the values. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly values: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

/** What a change did to its rows. */
interface Note {
  readonly place: Place;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** The changes of a database. */
export class Changes {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Makes a change once for a key, and says each time what it answered. A place is named where it can be put back. */
  once<T>(key: string | undefined, place: Place | null, act: () => T): T {
    return this.together(() => {
      const known = key === undefined ? null : this.find(key);
      if (known !== null) return known.output as T;
      const before = place === null ? [] : this.#rows(place);
      const output = act();
      const note = place === null ? null : { place, before, after: this.#rows(place) };
      if (key !== undefined) this.#write('done', { key, output: JSON.stringify(output), note: JSON.stringify(note) });
      return output;
    });
  }

  /** Whether a change was made, and what it answered. It is made at once or never: what is not there will not come later. */
  find(key: string): { readonly output: unknown } | null {
    const found = this.#database.prepare('SELECT output FROM done WHERE key = ?').all(key) as { output: string }[];
    return found[0] === undefined ? null : { output: JSON.parse(found[0].output) };
  }

  /** Puts back what was there before a change; nothing the second time. @throws where it was changed since. */
  putBack(key: string, undoKey: string): void {
    this.once(undoKey, null, () => {
      const [done] = this.#database.prepare('SELECT note FROM done WHERE key = ?').all(key) as { note: string }[];
      if (done === undefined) return null;
      const { place, before, after } = JSON.parse(done.note) as Note;
      const { table, column, values } = place;
      if (JSON.stringify(this.#rows(place)) !== JSON.stringify(after))
        throw new Error(`${values.join(', ')} of ${table} was changed since`);
      // Rows that others refer to are deleted and written again: whether the references hold is asked in the end.
      this.#database.exec('PRAGMA defer_foreign_keys = ON');
      this.#database.prepare(`DELETE FROM ${table} WHERE ${column} IN (${marks(values)})`).run(...values);
      for (const row of before) this.#write(table, row);
      return null;
    });
  }

  /** Does all of it, or nothing. */
  together<T>(act: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = act();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #rows({ table, column, values }: Place): readonly Row[] {
    const sql = `SELECT * FROM ${table} WHERE ${column} IN (${marks(values)}) ORDER BY rowid`;
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  #write(table: string, row: Row): void {
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const sql = `INSERT INTO ${table} (${names}) VALUES (${marks(columns)})`;
    this.#database.prepare(sql).run(...Object.values(row));
  }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
