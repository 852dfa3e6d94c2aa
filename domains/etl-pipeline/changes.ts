/** A database whose changes are noted with the rows that they were about, before and after, so that those can be put back. */
import { Keyed } from '../keyed.ts';

/** The rows that a change is about: those of a table whose column has one of the values. */
export interface Place {
  readonly table: string;
  readonly column: string;
  readonly values: readonly string[];
}

type Row = Readonly<Record<string, unknown>>;

/** The effect of a change on its rows. */
interface Note {
  readonly place: Place;
  readonly before: readonly Row[];
  readonly after: readonly Row[];
}

/** The database. */
export class Changes extends Keyed {
  /** Makes a change once for a key, and says each time what it answered. A place is named where it can be put back. */
  change<T>(key: string | undefined, place: Place | null, act: () => T): T {
    return this.once(key, () => {
      const before = place === null ? [] : this.#rows(place);
      const output = act();
      return { output, note: place === null ? null : ({ place, before, after: this.#rows(place) } satisfies Note) };
    });
  }

  /** Puts back what was there before a change; nothing the second time. @throws where it was changed since. */
  putBack(key: string, undoKey: string): void {
    this.undo<Note>(key, undoKey, ({ place, before, after }) => {
      const { table, column, values } = place;
      if (JSON.stringify(this.#rows(place)) !== JSON.stringify(after))
        throw new Error(`${values.join(', ')} of ${table} was changed since`);
      // Rows that others refer to are deleted and written again: whether the references hold is asked in the end.
      this.execute('PRAGMA defer_foreign_keys = ON');
      this.run(`DELETE FROM ${table} WHERE ${column} IN (${marks(values)})`, ...values);
      for (const row of before) this.#write(table, row);
    });
  }

  #rows({ table, column, values }: Place): readonly Row[] {
    const sql = `SELECT * FROM ${table} WHERE ${column} IN (${marks(values)}) ORDER BY rowid`;
    return this.all<Row>(sql, ...values);
  }

  #write(table: string, row: Row): void {
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const sql = `INSERT INTO ${table} (${names}) VALUES (${marks(columns)})`;
    this.run(sql, ...Object.values(row));
  }
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ');
}
