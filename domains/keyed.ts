/**
 * The database of a world: one SQLite file. A change is made once for each key, in one transaction with the note that says so: that
 * note is what a reconciler asks for, and what an undo goes by. Without a key every call is a change of its own.
 */
import Database from 'better-sqlite3';

/** The answer of a call, and the facts that its undo needs. */
export interface Made<TOutput, TNote = unknown> {
  readonly output: TOutput;
  readonly note: TNote;
}

/** A database whose changes have keys. */
export class Keyed {
  readonly #database: Database.Database;

  /** Opens a file; an empty one is filled, and nothing of that can be seen before all of it. */
  constructor(file: string, fill: (empty: Keyed) => void) {
    this.#database = new Database(file, { timeout: 10_000 });
    // What a machine that loses its power forgets is of no interest here, and waiting for the disk is most of what opening costs.
    this.#database.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON');
    this.together(() => {
      if (this.all("SELECT 1 FROM sqlite_master WHERE name = 'done'").length > 0) return;
      this.execute('CREATE TABLE done (key TEXT PRIMARY KEY, output TEXT NOT NULL, note TEXT NOT NULL)');
      fill(this);
    });
  }

  /** A change for each key, and what it answered; a change for each call without one. */
  once<TOutput>(key: string | undefined, act: () => Made<TOutput>): TOutput {
    return this.together(() => {
      const known = key === undefined ? null : this.find<TOutput>(key);
      if (known !== null) return known.output;
      const { output, note } = act();
      if (key !== undefined)
        this.run('INSERT INTO done VALUES (?, ?, ?)', key, JSON.stringify(output), JSON.stringify(note));
      return output;
    });
  }

  /** Takes a call back, once, by its note; a call that was never made is none. */
  undo<TNote>(key: string, undoKey: string, act: (note: TNote) => void): void {
    this.once(undoKey, () => {
      const made = this.find<unknown, TNote>(key);
      if (made !== null) act(made.note);
      return { output: null, note: null };
    });
  }

  /**
   * The outcome of a call; null where it was never made. A call is made at once or never: a missing one will not come
   * later.
   */
  find<TOutput = unknown, TNote = unknown>(key: string): Made<TOutput, TNote> | null {
    const [made] = this.all<{ output: string; note: string }>('SELECT output, note FROM done WHERE key = ?', key);
    return made === undefined ? null : { output: JSON.parse(made.output), note: JSON.parse(made.note) };
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

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs a statement. @returns the number of the row that it made last, and how many rows it changed. */
  run(sql: string, ...values: unknown[]): { readonly id: number; readonly rows: number } {
    const { lastInsertRowid, changes } = this.#database.prepare(sql).run(...values);
    return { id: Number(lastInsertRowid), rows: changes };
  }

  all<TRow>(sql: string, ...values: unknown[]): readonly TRow[] {
    return this.#database.prepare<unknown[], TRow>(sql).all(...values);
  }

  close(): void {
    this.#database.close();
  }
}
