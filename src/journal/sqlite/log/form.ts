/**
 * The bytes of a row of the log. Its head names each commit group in it: the run, how many rows of the log its previous group is back (0 for
 * none), the seq of its last row, the lease token, the time, and the hash that chains it to that group. Its body has the groups' rows: first
 * the length of each group, then the groups. The link of a row is a hash over the link before it, the number of the row and its head, so that
 * the body of a group can go and everything else is still checked. Whole numbers are written seven bits a byte.
 */
import { hash as digestOf } from 'node:crypto';
import type { Entry, Group } from '../../chain.ts';
import { JournalError } from '../../journal.ts';

/** A commit group as the head of a row has it. */
export interface LoggedGroup extends Group {
  /** The number of its run. */
  readonly run: number;
  /** The row of the log with the previous group of its run; 0 where there is none. */
  readonly before: number;
}

/** A commit group that is written. */
export interface NewGroup extends LoggedGroup {
  readonly entries: readonly Entry[];
}

/** The length of a link: half of a SHA-256. */
export const LINK = 16;
const HASH = 32;
/** The room for a number. */
const NUMBER = 8;
const BEGINNING = Buffer.from('belay log 1\0');

/** The link before the first row of a file. */
export function firstLink(identity: Buffer): Buffer {
  return half(Buffer.concat([BEGINNING, identity]));
}

/** The link of a row. */
export function linked(before: Buffer, row: number, head: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(LINK + NUMBER + head.length);
  before.copy(bytes, 0);
  new DataView(bytes.buffer, bytes.byteOffset).setFloat64(LINK, row);
  head.copy(bytes, LINK + NUMBER);
  return half(bytes);
}

function half(bytes: Buffer): Buffer {
  return digestOf('sha256', bytes, 'buffer').subarray(0, LINK);
}

/** The head of a row. */
export function headOf(row: number, groups: readonly LoggedGroup[]): Buffer {
  const bytes = Buffer.allocUnsafe(NUMBER + groups.length * (5 * NUMBER + HASH));
  let at = put(bytes, 0, groups.length);
  for (const { run, before, last, token, time, hash } of groups) {
    at = put(bytes, at, run);
    at = put(bytes, at, before === 0 ? 0 : row - before);
    at = put(bytes, at, last);
    at = put(bytes, at, token);
    at = put(bytes, at, time);
    at += hash.copy(bytes, at);
  }
  return bytes.subarray(0, at);
}

/** The groups of a row, from its head; null where it has no form. */
export function groupsIn(row: number, head: Buffer): LoggedGroup[] | null {
  const from = new Reader(head);
  const count = from.number();
  const groups: LoggedGroup[] = [];
  for (let index = 0; index < count && from.isWhole; index += 1) {
    const [run, back, last, token, time] = [from.number(), from.number(), from.number(), from.number(), from.number()];
    groups.push({ run, before: back === 0 ? 0 : row - back, last, token, time, hash: from.bytes(HASH) });
  }
  return from.isAtEnd ? groups : null;
}

/**
 * The group of a run in a row, and the number of groups before it; null if the row has none for the run, or is
 * malformed.
 */
export function groupOf(row: number, head: Buffer, run: number): { group: LoggedGroup; index: number } | null {
  const from = new Reader(head);
  const count = from.number();
  for (let index = 0; index < count && from.isWhole; index += 1) {
    const isOwn = from.number() === run;
    const [back, last, token, time] = [from.number(), from.number(), from.number(), from.number()];
    const hash = from.bytes(HASH);
    if (!isOwn || !from.isWhole) continue;
    return { group: { run, before: back === 0 ? 0 : row - back, last, token, time, hash }, index };
  }
  return null;
}

/** The body of a row. */
export function bodyOf(groups: readonly NewGroup[]): Buffer {
  const parts = groups.map(({ entries }) => partOf(entries));
  return joined(parts);
}

/** The body of a row, from its groups. */
export function joined(parts: readonly Buffer[]): Buffer {
  let size = parts.length * NUMBER;
  for (const part of parts) size += part.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) at = put(bytes, at, part.length);
  for (const part of parts) at += part.copy(bytes, at);
  return bytes.subarray(0, at);
}

/** The groups of a body, one that was deleted as no bytes; null where it has no form. */
export function partsIn(body: Buffer, count: number): Buffer[] | null {
  const from = new Reader(body);
  const lengths = Array.from({ length: count }, () => from.number());
  const parts = lengths.map((length) => from.bytes(length));
  return from.isAtEnd ? parts : null;
}

/** The group with a number in a body, of which the head has so many; null where the body has no form. */
export function partAt(body: Buffer, index: number, head: Buffer): Buffer | null {
  const count = new Reader(head).number();
  const from = new Reader(body);
  let [before, length, all] = [0, 0, 0];
  for (let at = 0; at < count && from.isWhole; at += 1) {
    const own = from.number();
    if (at < index) before += own;
    if (at === index) length = own;
    all += own;
  }
  from.bytes(before);
  const part = from.bytes(length);
  from.bytes(all - before - length);
  return from.isAtEnd ? part : null;
}

function partOf(entries: readonly Entry[]): Buffer {
  let size = entries.length * 2 * NUMBER;
  for (const { body } of entries) size += body.length;
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for (const { kind, body } of entries) {
    at = put(bytes, at, kind);
    at = put(bytes, at, body.length);
    at += body.copy(bytes, at);
  }
  return bytes.subarray(0, at);
}

/** The rows of a group, the first of which has the number after `seq`; null where they have no form. */
export function entriesIn(part: Buffer, seq: number): Entry[] | null {
  const from = new Reader(part);
  const entries: Entry[] = [];
  while (from.isWhole && !from.isAtEnd) {
    const kind = from.number();
    entries.push({ seq: seq + entries.length + 1, kind, body: from.bytes(from.number()) });
  }
  return from.isWhole ? entries : null;
}

/** Ascending numbers, each by its distance from the one before. */
export function ascending(numbers: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(numbers.length * NUMBER);
  let [at, before] = [0, 0];
  for (const number of numbers) {
    at = put(bytes, at, number - before);
    before = number;
  }
  return bytes.subarray(0, at);
}

/** The numbers that `ascending` wrote; null where they have no form. */
export function ascendingIn(bytes: Buffer): number[] | null {
  const from = new Reader(bytes);
  const numbers: number[] = [];
  let before = 0;
  while (from.isWhole && !from.isAtEnd) {
    const distance = from.number();
    if (distance === 0) return null;
    before += distance;
    numbers.push(before);
  }
  return from.isWhole ? numbers : null;
}

/** Writes a whole number from 0. @throws JournalError for any other: the clock of the caller may give one. */
function put(bytes: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new JournalError('journal_cannot_write', `Not taken: a row has whole numbers from 0, not ${value}.`);
  let rest = value;
  let end = at;
  while (rest >= 0x80) {
    bytes[end] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
    end += 1;
  }
  bytes[end] = rest;
  return end + 1;
}

/** Reads what was written, and tells once it is not so. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  /** False once something was not as it is written. */
  isWhole = true;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.isWhole && this.#at === this.#bytes.length;
  }

  number(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || scale > Number.MAX_SAFE_INTEGER) return this.#refused();
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return Number.isSafeInteger(value) ? value : this.#refused();
      scale *= 0x80;
    }
  }

  bytes(length: number): Buffer {
    const from = this.#at;
    if (from + length > this.#bytes.length) this.isWhole = false;
    else this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  #refused(): number {
    this.isWhole = false;
    return 0;
  }
}
