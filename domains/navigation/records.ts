/**
 * The database of a world: one SQLite file, of which the places and the chargers each keep their tables. A change is made once for
 * each key, in one transaction with the note that says so: that note is what a reconciler asks for, and its change what an undo
 * takes back. Without a key every call is a change of its own.
 */
import Database from 'better-sqlite3';

/** What a call answered, and what whoever undoes it has to know. */
interface Made<TOutput> {
  readonly output: TOutput;
  readonly change: unknown;
}

const TABLES = `
  CREATE TABLE done (key TEXT PRIMARY KEY, output TEXT NOT NULL, change TEXT NOT NULL);
  CREATE TABLE turn (party TEXT PRIMARY KEY, number INTEGER NOT NULL);
`;

/** The database. */
export class Records {
  readonly #database: Database;

  /** Opens a file; an empty one is filled by whoever keeps tables in it. */
  constructor(file: string, fill: (records: Records) => void) {
    this.#database = new Database(file, { timeout: 10_000 });
    this.together(() => {
      if (this.all("SELECT 1 FROM sqlite_master WHERE name = 'done'").length > 0) return;
      this.execute(TABLES);
      fill(this);
    });
  }

  /** A change for each key, and what it answered; a change for each call without one. */
  once<TOutput>(key: string | undefined, act: () => Made<TOutput>): TOutput {
    return this.together(() => {
      const known = key === undefined ? null : this.find(key);
      if (known !== null) return known.output as TOutput;
      const { output, change } = act();
      if (key !== undefined)
        this.run('INSERT INTO done VALUES (?, ?, ?)', key, JSON.stringify(output), JSON.stringify(change));
      return output;
    });
  }

  /** Takes a call back, once; a call that was never made is none. */
  undo(key: string, undoKey: string, act: (change: unknown) => void): void {
    this.once(undoKey, () => {
      const note = this.find(key);
      if (note !== null) act(note.change);
      return { output: null, change: null };
    });
  }

  /** Whether a call was made, and what came of it. */
  find(key: string): Made<unknown> | null {
    const [note] = this.all<{ output: string; change: string }>('SELECT output, change FROM done WHERE key = ?', key);
    return note === undefined ? null : { output: JSON.parse(note.output), change: JSON.parse(note.change) };
  }

  /** How often a party has come. */
  turn(party: string): number {
    return this.all<{ number: number }>('SELECT number FROM turn WHERE party = ?', party)[0]?.number ?? 0;
  }

  /** A party comes with what it was told at some turn: first in line where that is the present one. It stays told when it leaves. */
  come(party: string, told: number): 'first' | 'waiting' {
    const standing = told === this.turn(party) ? 'first' : 'waiting';
    this.run('INSERT INTO turn VALUES (?, 1) ON CONFLICT DO UPDATE SET number = number + 1', party);
    return standing;
  }

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

  run(sql: string, ...values: unknown[]): { readonly id: number; readonly rows: number } {
    const { lastInsertRowid, changes } = this.#database.prepare(sql).run(...values);
    return { id: Number(lastInsertRowid), rows: changes };
  }

  all<TRow>(sql: string, ...values: unknown[]): readonly TRow[] {
    return this.#database.prepare(sql).all(...values) as TRow[];
  }

  close(): void {
    this.#database.close();
  }
}
