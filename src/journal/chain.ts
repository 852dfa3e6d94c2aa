/**
 * The hash chain of a run: each commit group's SHA-256 covers the hash before it, the lease token, the time, and every row with
 * its number. The chain begins with the store's nonce and the run's id and name, so no run can pass for another.
 */
import { createHash, hash as digestOf } from 'node:crypto';

/** A row in its stored form: its body is the UTF-8 of its JSON text. */
export interface Entry {
  readonly seq: number;
  readonly kind: number;
  readonly body: Buffer;
}

/** The data of a commit group beside its rows. */
export interface Group {
  /** The seq of its last row. */
  readonly last: number;
  readonly token: number;
  readonly time: number;
  readonly hash: Buffer;
}

const BEGINNING = Buffer.from('belay journal 1\0');
const NOTE = Buffer.from('belay note 1\0');
/** The length of three numbers, and the length of what is not copied to be hashed, in bytes. */
const NUMBERS = 24;
const LONG = 64 * 1024;
/** The place where a group is put together to be hashed. */
const SCRATCH = Buffer.alloc(LONG);
const DOUBLES = new DataView(SCRATCH.buffer, SCRATCH.byteOffset, LONG);

/** The hash before the first group of a run. */
export function seed(identity: Buffer, id: number, name: string): Buffer {
  return digestOfAll([BEGINNING, identity, `${id}\0${name}`]);
}

/** The hash of a group, from the hash before it: computed over one buffer, unless the group is long. */
export function chained(before: Buffer, token: number, time: number, entries: readonly Entry[]): Buffer {
  let size = before.length + NUMBERS;
  for (const { body } of entries) size += NUMBERS + body.length;
  if (size > LONG) return chainedInParts(before, token, time, entries);
  let at = numbers(before.copy(SCRATCH, 0), token, time, entries.length);
  for (const { seq, kind, body } of entries) {
    at = numbers(at, seq, kind, body.length);
    at += body.copy(SCRATCH, at);
  }
  return digestOf('sha256', SCRATCH.subarray(0, size), 'buffer');
}

function chainedInParts(before: Buffer, token: number, time: number, entries: readonly Entry[]): Buffer {
  const hash = createHash('sha256').update(before);
  const row = (a: number, b: number, c: number) => hash.update(SCRATCH.subarray(0, numbers(0, a, b, c)));
  row(token, time, entries.length);
  for (const { seq, kind, body } of entries) {
    row(seq, kind, body.length);
    hash.update(body);
  }
  return hash.digest();
}

/** The digest of a note (J6): binds its body to the beginning of a run's chain and to a link of it. */
export function noteDigest(beginning: Buffer, link: Buffer, body: Buffer): Buffer {
  return digestOfAll([NOTE, beginning, link, body]);
}

/** The hash of bytes and texts that follow one another. */
function digestOfAll(parts: readonly (Buffer | string)[]): Buffer {
  let size = 0;
  for (const { length } of parts) size += length;
  // A character takes three bytes at most.
  if (3 * size > LONG)
    return digestOf('sha256', Buffer.concat(parts.map((part) => Buffer.from(part as string))), 'buffer');
  let at = 0;
  for (const part of parts) at += typeof part === 'string' ? SCRATCH.write(part, at) : part.copy(SCRATCH, at);
  return digestOf('sha256', SCRATCH.subarray(0, at), 'buffer');
}

/** Writes three whole numbers as 24 bytes: a double holds each exactly. @returns the place after them. */
function numbers(at: number, a: number, b: number, c: number): number {
  DOUBLES.setFloat64(at, a);
  DOUBLES.setFloat64(at + 8, b);
  DOUBLES.setFloat64(at + 16, c);
  return at + NUMBERS;
}
