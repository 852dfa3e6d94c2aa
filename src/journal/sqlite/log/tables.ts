/**
 * The runs of a file, by name and number, and its log. A file is not trusted to hold what its column types promise: a flipped bit
 * changes those as well, so every value is checked before it is used.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { Entry } from '../../chain.ts';
import { Stretches } from '../archived/stretches.ts';
import { corrupt } from '../errors.ts';
import { type Cipher, rowPlace } from '../file/cipher.ts';
import type { ListedRun } from './listed.ts';
import { Log } from './log.ts';
import type { Run } from './run.ts';

/** The number of a run is never given again: of one that was deleted, the lease is left. */
const NEW_RUN = `INSERT INTO run (id, name)
  SELECT 1 + max((SELECT coalesce(max(id), 0) FROM run), (SELECT coalesce(max(run), 0) FROM lease)), ?`;

/** Of each run what every table has of it, since one statement for each of them takes several times as long. */
const RUNS = `SELECT r.id, r.name, (SELECT i.id FROM run i WHERE i.name = r.name) AS named, n.at, n.digest, n.body,
    l.run AS leased, l.token, l.nonce, l.host, l.pid, l.started, l.expires, e.row, s.last, s.rows
  FROM run r NOT INDEXED LEFT JOIN note n ON n.run = r.id LEFT JOIN lease l ON l.run = r.id LEFT JOIN run_end e ON e.run = r.id
    LEFT JOIN segment s ON s.run = r.id AND s.last = (SELECT max(last) FROM segment WHERE run = r.id)
  WHERE r.id > ? ORDER BY r.id LIMIT ?`;

/** The tables of one open file. */
export class Tables {
  readonly path: string;
  /** Seals bodies. They are opened only after their hashes were checked. */
  readonly cipher: Cipher;
  readonly log: Log;
  readonly archived: Stretches;
  readonly #addRun: Statement;
  readonly #runByName: Statement;
  readonly #runById: Statement;
  readonly #runByScan: Statement;
  readonly #runs: Statement;

  constructor(db: Database.Database, path: string, { cipher, identity }: { cipher: Cipher; identity: Buffer }) {
    this.path = path;
    this.cipher = cipher;
    this.log = new Log(db, path, identity);
    this.archived = new Stretches(db, path, identity);
    this.#addRun = db.prepare(NEW_RUN);
    this.#runByName = db.prepare('SELECT id FROM run WHERE name = ?');
    this.#runById = db.prepare('SELECT name FROM run NOT INDEXED WHERE id = ?');
    this.#runByScan = db.prepare('SELECT id FROM run NOT INDEXED WHERE name = ?');
    this.#runs = db.prepare(RUNS).raw();
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
  runs(after: number, limit: number): ListedRun[] {
    return this.#runs.all(after, limit).map((row) => {
      const [id, name, named, at, digest, body, leased, token, nonce, host, pid, started, expires, end, last, rows] =
        row as unknown[];
      if (!isWhole(id) || typeof name !== 'string') throw corrupt(this.path, String(name), 0, 'its name has no form');
      if (named !== id) throw corrupt(this.path, name, 0, 'its name is missing in the index');
      return {
        id,
        name,
        note: at === null ? undefined : { at, digest, body },
        lease: leased === null ? undefined : { token, nonce, host, pid, started, expires },
        end: { segment: last === null ? undefined : [last, rows], row: end },
      };
    });
  }

  addRun(name: string): Run {
    return { id: Number(this.#addRun.run(name).lastInsertRowid), name };
  }

  /** The text of a row's body. */
  text(run: Run, { seq, kind, body }: Entry): string {
    const opened = this.cipher.open(rowPlace(run.id, seq, kind), body);
    if (opened === null) throw corrupt(this.path, run.name, seq, 'the row was not sealed under the key of the file');
    return opened.toString('utf8');
  }
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
