/**
 * The base of each run: the state after one of its rows (J7), so that a resume reads only the rows after it. A base
 * repeats the rows and is no row: a base that does not fit them does not count, and all rows are read.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { baseDigest, hashOf, type KeptPart, KeptParts } from '../../base/kept.ts';
import { seed } from '../../chain.ts';
import type { Base } from '../../journal.ts';
import { basePlace, type Cipher } from '../file/cipher.ts';
import type { Run } from './run.ts';
import type { Tables } from './tables.ts';
import type { Head } from './verify.ts';

/** The statements on bases. */
interface Statements {
  readonly select: Statement;
  readonly write: Statement;
  readonly parts: Statement;
  readonly addPart: Statement;
  readonly numbers: Statement;
  readonly removePart: Statement;
}

/** The bases of one open file. */
export class Bases {
  readonly #tables: Tables;
  readonly #cipher: Cipher;
  readonly #identity: Buffer;
  readonly #parts = new KeptParts();
  readonly #sql: Statements;

  constructor(db: Database.Database, tables: Tables, identity: Buffer) {
    this.#tables = tables;
    this.#cipher = tables.cipher;
    this.#identity = identity;
    this.#sql = statements(db);
  }

  /** Keeps a base instead of the one there is, inside a transaction. `head` is the end of the run, at or after the row of the base. */
  keep(run: Run, { hash, row }: Pick<Head, 'hash' | 'row'>, { at, parts }: Base): void {
    const sql = this.#sql;
    const stored = sql.numbers.all(run.id) as { number: number }[];
    this.#parts.beginAt(run.id, 1 + stored.reduce((most, { number }) => Math.max(most, number), -1));
    const seal = (number: number, part: Buffer) => this.#cipher.seal(basePlace(run.id, number), part);
    const { all, added } = this.#parts.numbered(run.id, parts, seal);
    for (const { number, body } of added) sql.addPart.run(run.id, number, body);
    const numbers = new Set(all.map(({ number }) => number));
    for (const { number } of stored) if (!numbers.has(number)) sql.removePart.run(run.id, number);
    const digest = baseDigest({ beginning: this.#beginning(run), at, last: row, link: hash }, all);
    sql.write.run(run.id, at, row, JSON.stringify([...numbers]), digest);
  }

  /** The base of a run whose rows end at a seq; null where there is none, or none that fits. */
  of(run: Run, head: number): Base | null {
    const row = this.#sql.select.get(run.id) as Record<string, unknown> | undefined;
    if (row === undefined) return null;
    const { at, last, digest } = row;
    if (!isCount(at) || !isCount(last) || !Buffer.isBuffer(digest)) return null;
    const group = this.#tables.log.group(run, last);
    const parts = this.#partsOf(run, row.parts);
    if (group === null || group.last < at || group.last > head || parts === null) return null;
    const place = { beginning: this.#beginning(run), at, last, link: group.hash };
    const kept = parts.map(({ kept }) => kept);
    if (!baseDigest(place, kept).equals(digest)) return null;
    const opened = parts.map(({ kept: { number }, body }) => this.#cipher.open(basePlace(run.id, number), body));
    if (opened.includes(null)) return null;
    for (const [index, part] of opened.entries()) this.#parts.read(run.id, part as Buffer, kept[index] as KeptPart);
    return { at, parts: opened as Buffer[] };
  }

  /** The parts with some numbers, which are a list as JSON; null where one is missing. */
  #partsOf(run: Run, stored: unknown): { readonly kept: KeptPart; readonly body: Buffer }[] | null {
    const numbers = numbersIn(stored);
    if (numbers === null) return null;
    const bodies = new Map(this.#sql.parts.all(run.id) as [number: number, body: unknown][]);
    const parts: { kept: KeptPart; body: Buffer }[] = [];
    for (const number of numbers) {
      const body = bodies.get(number);
      if (!Buffer.isBuffer(body)) return null;
      parts.push({ kept: { number, hash: hashOf(body) }, body });
    }
    return parts;
  }

  #beginning(run: Run): Buffer {
    return seed(this.#identity, run.id, run.name);
  }
}

function statements(db: Database.Database): Statements {
  return {
    select: db.prepare('SELECT at, last, parts, digest FROM base WHERE run = ?'),
    write: db.prepare('INSERT OR REPLACE INTO base (run, at, last, parts, digest) VALUES (?, ?, ?, ?, ?)'),
    parts: db.prepare('SELECT number, body FROM base_part WHERE run = ?').raw(),
    addPart: db.prepare('INSERT OR REPLACE INTO base_part (run, number, body) VALUES (?, ?, ?)'),
    numbers: db.prepare('SELECT number FROM base_part WHERE run = ?'),
    removePart: db.prepare('DELETE FROM base_part WHERE run = ? AND number = ?'),
  };
}

function numbersIn(stored: unknown): number[] | null {
  try {
    const numbers: unknown = typeof stored === 'string' ? JSON.parse(stored) : null;
    return Array.isArray(numbers) && numbers.every(isCount) ? numbers : null;
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
