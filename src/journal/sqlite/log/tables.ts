/**
 * Every statement on runs, rows and groups. A file is not trusted to hold what its column types promise: a flipped bit
 * changes those as well, so every value is checked before it is used.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { Entry, Group } from '../../chain.ts';
import { corrupt } from '../errors.ts';
import { type Cipher, rowPlace } from '../file/cipher.ts';

/** A run as the file stores it. */
export interface Run {
  readonly id: number;
  readonly name: string;
}

/** The number of a run is never given again: of one that was deleted, the lease is left. */
const NEW_RUN = `INSERT INTO run (id, name)
  SELECT 1 + max((SELECT coalesce(max(id), 0) FROM run), (SELECT coalesce(max(run), 0) FROM lease)), ?`;

const GROUP = 'SELECT last, token, time, hash FROM commit_group WHERE run = ?';

/** The tables of one open file. */
export class Tables {
  readonly path: string;
  /** Seals bodies. They are opened only after their hashes were checked. */
  readonly cipher: Cipher;
  readonly #addEntry: Statement;
  readonly #addGroup: Statement;
  readonly #addRun: Statement;
  readonly #runByName: Statement;
  readonly #runById: Statement;
  readonly #runByScan: Statement;
  readonly #runs: Statement;
  readonly #lastSeq: Statement;
  readonly #entries: Statement;
  readonly #groupUpTo: Statement;
  readonly #groupsAfter: Statement;

  constructor(db: Database.Database, path: string, cipher: Cipher) {
    this.path = path;
    this.cipher = cipher;
    this.#addEntry = db.prepare('INSERT INTO entry (run, seq, kind, body) VALUES (?, ?, ?, ?)');
    this.#addGroup = db.prepare('INSERT INTO commit_group (run, last, token, time, hash) VALUES (?, ?, ?, ?, ?)');
    this.#addRun = db.prepare(NEW_RUN);
    this.#runByName = db.prepare('SELECT id FROM run WHERE name = ?');
    this.#runById = db.prepare('SELECT name FROM run NOT INDEXED WHERE id = ?');
    this.#runByScan = db.prepare('SELECT id FROM run NOT INDEXED WHERE name = ?');
    this.#runs = db.prepare('SELECT id, name FROM run NOT INDEXED WHERE id > ? ORDER BY id LIMIT ?');
    this.#lastSeq = db.prepare('SELECT max(seq) AS seq FROM entry WHERE run = ?');
    const entries = 'SELECT seq, kind, body FROM entry WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq';
    this.#entries = db.prepare(entries).raw();
    this.#groupUpTo = db.prepare(`${GROUP} AND last <= ? ORDER BY last DESC LIMIT 1`);
    this.#groupsAfter = db.prepare(`${GROUP} AND last > ? AND last <= ? ORDER BY last LIMIT ?`);
  }

  /** A run by its name. The index and the table must agree, so that a damaged one does not make a run begin again. */
  run(name: string): Run | null {
    const row = this.#runByName.get(name) as { id: unknown } | undefined;
    if (row === undefined) {
      if (this.#runByScan.get(name) !== undefined)
        throw corrupt(this.path, name, 0, 'its name is missing in the index');
      return null;
    }
    const stored = this.#runById.get(row.id) as { name: unknown } | undefined;
    if (!isWhole(row.id) || stored?.name !== name) throw corrupt(this.path, name, 0, 'the index names another run');
    return { id: row.id, name };
  }

  /** The runs with a number above `after`, in the order of their beginning. */
  runs(after: number, limit = -1): Run[] {
    return this.#runs.all(after, limit).map((row) => {
      const { id, name } = row as { id: unknown; name: unknown };
      if (!isWhole(id) || typeof name !== 'string') throw corrupt(this.path, String(name), 0, 'its name has no form');
      if ((this.#runByName.get(name) as { id: unknown } | undefined)?.id !== id) {
        throw corrupt(this.path, name, 0, 'its name is missing in the index');
      }
      return { id, name };
    });
  }

  addRun(name: string): Run {
    return { id: Number(this.#addRun.run(name).lastInsertRowid), name };
  }

  addGroup(run: Run, group: Group, entries: readonly Entry[]): void {
    for (const { seq, kind, body } of entries) this.#addEntry.run(run.id, seq, kind, body);
    this.#addGroup.run(run.id, group.last, group.token, group.time, group.hash);
  }

  /** The number of the last row, covered by a group or not; 0 where there is none. */
  lastSeq(run: Run): number {
    const { seq } = this.#lastSeq.get(run.id) as { seq: unknown };
    if (seq === null) return 0;
    if (!isWhole(seq)) throw corrupt(this.path, run.name, 0, 'its last row has no number');
    return seq;
  }

  /** The newest group that ends at or before a seq. */
  groupUpTo(run: Run, seq: number): Group | null {
    const row = this.#groupUpTo.get(run.id, seq);
    return row === undefined ? null : this.#group(run, row);
  }

  /** The groups that end after `after` and up to `upTo`, the first `limit` of them. */
  groupsAfter(run: Run, after: number, upTo: number, limit: number): Group[] {
    return this.#groupsAfter.all(run.id, after, upTo, limit).map((row) => this.#group(run, row));
  }

  /** The rows after `after` and up to `upTo`: all of them, without a gap. */
  entries(run: Run, after: number, upTo: number): Entry[] {
    let expected = after;
    const entries = this.#entries.all(run.id, after, upTo).map((row) => {
      const [seq, kind, body] = row as unknown[];
      expected += 1;
      if (seq !== expected) throw corrupt(this.path, run.name, expected, `the next row is ${String(seq)}`);
      if (!isWhole(kind) || !Buffer.isBuffer(body)) throw corrupt(this.path, run.name, expected, 'the row has no form');
      return { seq: expected, kind, body };
    });
    if (expected !== upTo) throw corrupt(this.path, run.name, expected + 1, 'the row is missing');
    return entries;
  }

  /** The text of a row's body. */
  text(run: Run, { seq, kind, body }: Entry): string {
    const opened = this.cipher.open(rowPlace(run.id, seq, kind), body);
    if (opened === null) throw corrupt(this.path, run.name, seq, 'the row was not sealed under the key of the file');
    return opened.toString('utf8');
  }

  #group(run: Run, row: unknown): Group {
    const { last, token, time, hash } = row as Record<keyof Group, unknown>;
    const valid =
      isWhole(last) && isWhole(token) && Number.isSafeInteger(time) && Buffer.isBuffer(hash) && hash.length === 32;
    if (!valid) throw corrupt(this.path, run.name, isWhole(last) ? last : 0, 'the commit group has no form');
    return { last, token, time: time as number, hash };
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
