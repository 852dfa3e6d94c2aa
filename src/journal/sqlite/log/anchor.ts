/**
 * The last row of the log, remembered outside the database in `<file>-anchor`. A database that was put back to an older
 * state is whole in itself; only the anchor shows that. It has two records of 64 bytes: one names the file, the other has the number and the link
 * of the row. It is written after each commit and never synced, so it may lag, be torn or be missing; it can never be ahead.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs';
import { LINK } from './form.ts';

/** A row of the log, by its number and its link. */
export interface AnchoredHead {
  readonly row: number;
  readonly link: Buffer;
}

const SIZE = 64;
const CONTENT = 48;
/** The places of the two records, and the name that each has in it. That of the log is no number of a run. */
const FILE = { at: 0, name: 0 };
const LOG = { at: SIZE, name: -1 };

/** The anchor of one database file. Its failures never fail the journal: the anchor then lags. */
export class Anchor {
  readonly path: string;
  readonly #file: string;
  #writing: number | null = null;

  constructor(file: string) {
    this.path = `${file}-anchor`;
    this.#file = file;
  }

  /** The nonce of the file that the anchor belongs to; null when there is no readable one. */
  identity(): Buffer | null {
    return this.#read(FILE)?.hash.subarray(0, 16) ?? null;
  }

  /** The remembered end of the log; null counts as lagging. */
  head(): AnchoredHead | null {
    const record = this.#read(LOG);
    return record === null ? null : { row: record.number, link: record.hash.subarray(0, LINK) };
  }

  /** Writes the nonce of the anchor's file. */
  name(identity: Buffer): void {
    this.#write(FILE, 0, identity);
  }

  /** Remembers a row that is durable. @param beside true where another process writes too: what that has remembered of a later row stays. */
  advance(head: AnchoredHead, beside: boolean): void {
    if (!beside || (this.head()?.row ?? 0) <= head.row) this.#write(LOG, head.row, head.link);
  }

  close(): void {
    if (this.#writing !== null) closeSync(this.#writing);
    this.#writing = null;
  }

  #read({ at, name }: typeof FILE): { number: number; hash: Buffer } | null {
    const record = Buffer.alloc(SIZE);
    try {
      const descriptor = openSync(this.path, 'r');
      try {
        if (readSync(descriptor, record, 0, SIZE, at) < SIZE) return null;
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return null;
    }
    return contentOf(record, name);
  }

  #write({ at, name }: typeof FILE, number: number, content: Buffer): void {
    const record = Buffer.alloc(SIZE);
    record.writeDoubleBE(name, 0);
    record.writeDoubleBE(number, 8);
    content.copy(record, 16);
    checksum(record).copy(record, CONTENT);
    try {
      // A process that may use the file may use its anchor, as SQLite has it for the log.
      this.#writing ??= openSync(this.path, constants.O_RDWR | constants.O_CREAT, statSync(this.#file).mode & 0o666);
      writeSync(this.#writing, record, 0, SIZE, at);
    } catch {
      // The commit stands; an anchor that lags is refreshed by the next one.
    }
  }
}

function contentOf(record: Buffer, name: number): { number: number; hash: Buffer } | null {
  if (!record.subarray(CONTENT).equals(checksum(record)) || record.readDoubleBE(0) !== name) return null;
  return { number: record.readDoubleBE(8), hash: Buffer.from(record.subarray(16, CONTENT)) };
}

function checksum(record: Buffer): Buffer {
  return hash('sha256', record.subarray(0, CONTENT), 'buffer').subarray(0, SIZE - CONTENT);
}
