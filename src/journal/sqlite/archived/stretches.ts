/**
 * The stretches of runs whose rows are archived: where each of them ends. What is read of their files is held against the chain of the run, so
 * that a digest here binds the end of that chain alone.
 */
import { createHash } from 'node:crypto';
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { seed } from '../../chain.ts';
import { corrupt } from '../errors.ts';
import { ARCHIVED_FORMAT } from '../file/format.ts';
import type { Run } from '../log/run.ts';

const BEGINNING = Buffer.from('belay archived 1\0');

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
  /** Null in a file of a format without them. */
  readonly #sql: { readonly all: Statement; readonly last: Statement; readonly add: Statement } | null;

  constructor(db: Database.Database, path: string, identity: Buffer) {
    this.#path = path;
    this.#identity = identity;
    const isThere = (db.pragma('user_version', { simple: true }) as number) >= ARCHIVED_FORMAT;
    const select = 'SELECT last, row, hash, digest FROM archived WHERE run = ? ORDER BY last';
    this.#sql = isThere
      ? {
          all: db.prepare(select).raw(),
          last: db.prepare(`${select} DESC LIMIT 2`).raw(),
          add: db.prepare('INSERT INTO archived (run, last, row, hash, digest) VALUES (?, ?, ?, ?, ?)'),
        }
      : null;
  }

  /** The end of the archived rows of a run; null where it has none. @throws JournalError `journal_corrupt`. */
  endOf(run: Run): StretchEnd | null {
    const [last, before] = (this.#sql?.last.all(run.id) ?? []) as unknown[][];
    return last === undefined ? null : this.#end(run, before?.[0] ?? 0, last);
  }

  /** The stretches of a run, in order. @throws JournalError `journal_corrupt`. */
  of(run: Run): readonly ArchivedStretch[] {
    const stretches: ArchivedStretch[] = [];
    let after = 0;
    for (const stored of this.#sql?.all.all(run.id) ?? []) {
      const end = this.#end(run, after, stored as unknown[]);
      stretches.push({ after, end });
      after = end.seq;
    }
    return stretches;
  }

  /** Adds a stretch, inside the transaction that takes its rows out of the log. */
  add(run: Run, { after, end }: ArchivedStretch): void {
    this.#sql?.add.run(run.id, end.seq, end.row, end.hash, this.#digest(run, after, end));
  }

  #end(run: Run, after: unknown, [seq, row, hash, digest]: unknown[]): StretchEnd {
    if (isCount(seq) && isCount(row) && Buffer.isBuffer(hash) && Buffer.isBuffer(digest)) {
      const end = { seq, row, hash };
      if (this.#digest(run, after, end).equals(digest)) return end;
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
