/**
 * The head of every run, remembered outside the database in `<file>-anchor`. A database that was put back to an older
 * state is whole in itself; only the anchor shows that. One record of 64 bytes per run at offset id * 64; the record of
 * id 0 names the file. It is written after each commit and never synced, so it may lag, be torn or be missing; it can
 * never be ahead.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';

/** The newest head that the anchor remembers of a run. */
export interface AnchoredHead {
  readonly seq: number;
  readonly hash: Buffer;
}

const SIZE = 64;
const CONTENT = 48;
/** The id of the record that names the file, with the file's nonce in place of a hash. */
const FILE = 0;

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
    return this.head(FILE)?.hash.subarray(0, 16) ?? null;
  }

  /** The remembered head of a run; null counts as lagging. */
  head(id: number): AnchoredHead | null {
    const record = Buffer.alloc(SIZE);
    try {
      const descriptor = openSync(this.path, 'r');
      try {
        if (readSync(descriptor, record, 0, SIZE, id * SIZE) < SIZE) return null;
      } finally {
        closeSync(descriptor);
      }
    } catch {
      return null;
    }
    return headIn(record, id);
  }

  /** The remembered heads of all runs as they are now, read at once. */
  heads(): (id: number) => AnchoredHead | null {
    let records: Buffer;
    try {
      records = readFileSync(this.path);
    } catch {
      return () => null;
    }
    return (id) => {
      const record = records.subarray(id * SIZE, (id + 1) * SIZE);
      return record.length < SIZE ? null : headIn(record, id);
    };
  }

  /** Writes the nonce of the anchor's file. */
  name(identity: Buffer): void {
    this.write(FILE, 0, Buffer.concat([identity], 32));
  }

  /** Remembers a head that is durable. */
  write(id: number, seq: number, hash: Buffer): void {
    const record = Buffer.alloc(SIZE);
    record.writeDoubleBE(id, 0);
    record.writeDoubleBE(seq, 8);
    hash.copy(record, 16);
    checksum(record).copy(record, CONTENT);
    try {
      // A process that may use the file may use its anchor, as SQLite has it for the log.
      this.#writing ??= openSync(this.path, constants.O_RDWR | constants.O_CREAT, statSync(this.#file).mode & 0o666);
      writeSync(this.#writing, record, 0, SIZE, id * SIZE);
    } catch {
      // The commit stands; an anchor that lags is refreshed by the next one.
    }
  }

  close(): void {
    if (this.#writing !== null) closeSync(this.#writing);
    this.#writing = null;
  }
}

function headIn(record: Buffer, id: number): AnchoredHead | null {
  if (!record.subarray(CONTENT).equals(checksum(record)) || record.readDoubleBE(0) !== id) return null;
  return { seq: record.readDoubleBE(8), hash: Buffer.from(record.subarray(16, CONTENT)) };
}

function checksum(record: Buffer): Buffer {
  return hash('sha256', record.subarray(0, CONTENT), 'buffer').subarray(0, SIZE - CONTENT);
}
