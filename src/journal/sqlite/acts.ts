/** The acts that are unique in a file (J9). In an encrypted file their names are hidden, as an identity can be guessed from a plain digest. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { type ActChange, type HeldAct, settled } from '../acts.ts';
import type { Cipher } from './file/cipher.ts';

/** The table of acts, by their names: the run that has each, and the key of its call. */
export const ACT_SQL = `
      CREATE TABLE act (act TEXT PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL) STRICT, WITHOUT ROWID;
      CREATE INDEX act_key ON act (run, key);`;

/** The acts of one open file. */
export class SqliteActs {
  readonly #cipher: Cipher;
  readonly #select: Statement;
  readonly #take: Statement;
  readonly #free: Statement;

  constructor(db: Database.Database, cipher: Cipher) {
    this.#cipher = cipher;
    this.#select = db.prepare('SELECT run, key FROM act WHERE act = ?');
    this.#take = db.prepare('INSERT INTO act (act, run, key) VALUES (?, ?, ?) ON CONFLICT (act) DO NOTHING');
    this.#free = db.prepare('DELETE FROM act WHERE run = ? AND key = ?');
  }

  /** The call that has an act; null where none has. */
  of(act: string): HeldAct | null {
    return (this.#select.get(this.#cipher.hidden(act)) as HeldAct | undefined) ?? null;
  }

  /** Makes the changes of a commit of a run, inside its transaction. */
  change(run: string, changes: readonly ActChange[]): void {
    const { freed, taken } = settled(changes);
    for (const key of freed) this.#free.run(run, key);
    for (const [act, key] of taken) this.#take.run(this.#cipher.hidden(act), run, key);
  }
}
