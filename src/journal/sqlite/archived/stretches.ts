/**
 * The stretches of runs whose rows are archived, by their ends. Rows read from their files are checked against the
 * chain of the run, so a digest here binds the end of that chain alone.
 */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { seed } from '../../chain.ts';
import { corrupt } from '../errors.ts';
import type { Run } from '../log/run.ts';

const BEGINNING = Buffer.from('belay archived 1\0');
/** The lengths of a number and of a hash, in bytes. */
const [NUMBER, HASH] = [8, 32];

/** The end of a stretch: the next commit group is chained to it. */
export interface StretchEnd {
  readonly seq: number;
  readonly row: number;
  readonly hash: Buffer;
}

/** The rows of a run after `after` and up to the end of the stretch. */
export interface ArchivedStretch {
  readonly after: number;
  readonly end: StretchEnd;
}

/** The stretches of one open file. */
export class Stretches {
  readonly #path: string;
  readonly #identity: Buffer;
  readonly #all: Statement;
  readonly #last: Statement;
  readonly #add: Statement;
  readonly #delete: Statement;

  constructor(db: Database.Database, path: string, identity: Buffer) {
    this.#path = path;
    this.#identity = identity;
    const select = 'SELECT last, rows FROM segment WHERE run = ? ORDER BY last';
    this.#all = db.prepare(select).raw();
    this.#last = db.prepare(`${select} DESC LIMIT 2`).raw();
    this.#add = db.prepare('INSERT INTO segment (run, last, rows) VALUES (?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM segment WHERE run = ?');
  }

  /** The end of the archived rows of a run; null where it has none. @throws JournalError `journal_corrupt`. */
  endOf(run: Run): StretchEnd | null {
    const [last, before] = this.#last.all(-run.id) as unknown[][];
    return last === undefined ? null : this.#end(run, before?.[0] ?? 0, last);
  }

  /** The stretches of a run, in order. @throws JournalError `journal_corrupt`. */
  of(run: Run): readonly ArchivedStretch[] {
    const stretches: ArchivedStretch[] = [];
    let after = 0;
    for (const stored of this.#all.all(-run.id)) {
      const end = this.#end(run, after, stored as unknown[]);
      stretches.push({ after, end });
      after = end.seq;
    }
    return stretches;
  }

  /** Adds a stretch, inside the transaction that takes its rows out of the log. */
  add(run: Run, { after, end }: ArchivedStretch): void {
    const row = Buffer.alloc(NUMBER);
    row.writeDoubleBE(end.row);
    this.#add.run(-run.id, end.seq, Buffer.concat([row, end.hash, this.#digest(run, after, end)]));
  }

  delete(run: Run): void {
    this.#delete.run(-run.id);
  }

  #end(run: Run, after: unknown, [seq, stored]: unknown[]): StretchEnd {
    if (isCount(seq) && Buffer.isBuffer(stored) && stored.length === NUMBER + 2 * HASH) {
      const end = { seq, row: stored.readDoubleBE(0), hash: stored.subarray(NUMBER, NUMBER + HASH) };
      if (this.#digest(run, after, end).equals(stored.subarray(NUMBER + HASH))) return end;
    }
    throw corrupt(
      this.#path,
      run.name,
      isCount(seq) ? seq : 0,
      'the end of its archived rows is not as it was written',
    );
  }

  #digest(run: Run, after: unknown, { seq, row, hash }: StretchEnd): Buffer {
    const place = `${String(after)}\0${seq}\0${row}`;
    const beginning = seed(this.#identity, run.id, run.name);
    return createHash('sha256').update(BEGINNING).update(beginning).update(hash).update(place).digest();
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
