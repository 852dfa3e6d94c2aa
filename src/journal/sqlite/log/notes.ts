/**
 * The note of each run: the writer's summary of its rows (J6), so that a list of runs need not read them. A note
 * repeats the rows and is no row. Its digest binds it to its run and to the commit group that it came with, and a note
 * that does not fit does not count. It names the row of the log that has the group.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { noteDigest, seed } from '../../chain.ts';
import { type Cipher, notePlace } from '../file/cipher.ts';
import type { LoggedGroup } from './form.ts';
import type { Note, StoredNote } from './listed.ts';
import type { Run } from './run.ts';
import type { Tables } from './tables.ts';
import type { Head } from './verify.ts';

/** The notes of one open file. */
export class Notes {
  readonly #tables: Tables;
  readonly #cipher: Cipher;
  readonly #identity: Buffer;
  readonly #select: Statement;
  readonly #write: Statement;
  readonly #remove: Statement;

  constructor(db: Database.Database, tables: Tables, identity: Buffer) {
    this.#tables = tables;
    this.#cipher = tables.cipher;
    this.#identity = identity;
    this.#select = db.prepare('SELECT at, digest, body FROM note WHERE run = ?');
    this.#write = db.prepare('INSERT OR REPLACE INTO note (run, at, digest, body) VALUES (?, ?, ?, ?)');
    this.#remove = db.prepare('DELETE FROM note WHERE run = ?');
  }

  /** Keeps the note that came with a commit group, inside its transaction; null removes the one there is. */
  keep(run: Run, { seq, hash, row }: Pick<Head, 'seq' | 'hash' | 'row'>, note: string | null): void {
    if (note === null) {
      this.#remove.run(run.id);
      return;
    }
    const body = this.#cipher.seal(notePlace(run.id, seq), Buffer.from(note, 'utf8'));
    this.#write.run(run.id, row, this.#digest(run, hash, body), body);
  }

  /** The note of a run; null where there is none, or none that fits. */
  of(run: Run): Note | null {
    return this.fitting(run, this.#select.get(run.id) as StoredNote | undefined, (row) =>
      this.#tables.log.group(run, row),
    );
  }

  /** The note of a run from what the table has of it. @param groupIn the commit group of the run in a row. */
  fitting(run: Run, stored: StoredNote | undefined, groupIn: (row: number) => LoggedGroup | null): Note | null {
    if (stored === undefined) return null;
    const { at: row, digest, body } = stored;
    if (!Number.isSafeInteger(row) || !Buffer.isBuffer(digest) || !Buffer.isBuffer(body)) return null;
    const group = groupIn(row as number);
    if (group === null || !this.#digest(run, group.hash, body).equals(digest)) return null;
    const text = this.#cipher.open(notePlace(run.id, group.last), body)?.toString('utf8');
    return text === undefined ? null : { text, group, row: row as number };
  }

  #digest(run: Run, hash: Buffer, body: Buffer): Buffer {
    return noteDigest(seed(this.#identity, run.id, run.name), hash, body);
  }
}
