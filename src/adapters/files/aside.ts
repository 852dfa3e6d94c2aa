/**
 * Files kept aside: a folder for each call, named after its key, and a manifest for each publication. A record holds
 * the intent of a call. The place of its contents tells whether the call was made: one rename moves them, so no crash
 * can leave a record that contradicts the files.
 */
import { closeSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf } from '../call.ts';
import { createDurably, isThere, removeFile, syncFolder, writeDurably } from './durable.ts';

/** A call as it was intended. A digest names each content; null is a file that does not exist. */
export interface FileRecord {
  readonly key: string;
  readonly path: string;
  readonly after: string | null;
  /** True if the call waits for a publication. */
  readonly staged: boolean;
  /** The file's content when the call was staged; left out where it is not staged. */
  readonly base?: string | null;
  /** The name of the publication that the change belongs to, if there is a manifest of that name. */
  readonly publication: string | null;
  /**
   * The content before, known from the moment that it is about to be replaced; then also its permissions and a number for the order.
   */
  readonly before?: string | null;
  readonly mode?: number;
  readonly order?: number;
  /** The key under which the change is undone; known from the moment before the undo. */
  readonly undoing?: string;
}

/** The changes that a publication makes visible. */
export interface Manifest {
  readonly id: string;
  readonly calls: readonly string[];
  /** The keys of the calls that are written: of several to one path the last. */
  readonly writes: readonly string[];
}

/**
 * The files in the folder of a call. `next` leaves when the call is applied, `gone` comes when it deletes; `before` is a copy.
 * `back` leaves when the call is undone, `taken` comes when that deletes what the call had created.
 */
export type Part = 'next' | 'before' | 'gone' | 'back' | 'taken';

const PARTS: readonly Part[] = ['next', 'before', 'gone', 'back', 'taken'];

/** A commit that has a path to itself, from the moment that it is prepared until its files are visible. */
export interface Reservation {
  readonly path: string;
  /** The name of the publication, and the key of the call. */
  readonly publication: string;
  readonly key: string;
  /** The wall clock at which the reservation lapses, unless its commit goes on. */
  readonly until: number;
}

/** The folder aside. */
export class Aside {
  readonly #calls: string;
  readonly #publications: string;
  readonly #reserved: string;
  readonly #clock: string;
  #last = 0;

  constructor(folder: string) {
    this.#calls = join(folder, 'calls');
    this.#publications = join(folder, 'publications');
    this.#reserved = join(folder, 'reserved');
    this.#clock = join(folder, 'clock');
    for (const own of [this.#calls, this.#publications]) mkdirSync(own, { recursive: true, mode: 0o700 });
  }

  /** The path of a part of a call. */
  part(key: string, part: Part): string {
    return join(this.#calls, nameOf(key), part);
  }

  has(key: string, part: Part): boolean {
    return isThere(this.part(key, part));
  }

  /** Makes the folder of a call. */
  open(key: string): void {
    const folder = join(this.#calls, nameOf(key));
    if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) return;
    mkdirSync(folder, { mode: 0o700 });
    syncFolder(this.#calls);
  }

  record(key: string): FileRecord | null {
    return read<FileRecord>(join(this.#calls, nameOf(key), 'record.json'));
  }

  write(record: FileRecord): void {
    writeDurably(join(this.#calls, nameOf(record.key), 'record.json'), Buffer.from(JSON.stringify(record)), 0o600);
  }

  /** The records of the calls on one path. */
  on(path: string): FileRecord[] {
    return readdirSync(this.#calls).flatMap((name) => {
      const record = read<FileRecord>(join(this.#calls, name, 'record.json'));
      return record?.path === path ? [record] : [];
    });
  }

  /** Removes all that is kept of a call, its record first: contents without a record belong to no call. */
  drop(key: string): void {
    const folder = join(this.#calls, nameOf(key));
    if (!isThere(folder)) return;
    for (const name of ['record.json', ...PARTS]) {
      removeFile(join(folder, name));
      removeFile(join(folder, `${name}.part`));
    }
    rmdirSync(folder);
    syncFolder(this.#calls);
  }

  manifest(name: string): Manifest | null {
    return read<Manifest>(join(this.#publications, `${name}.json`));
  }

  publish(name: string, manifest: Manifest): void {
    writeDurably(join(this.#publications, `${name}.json`), Buffer.from(JSON.stringify(manifest)), 0o600);
  }

  /** Withdraws a publication of which nothing is visible yet. */
  withdraw(name: string): void {
    removeFile(join(this.#publications, `${name}.json`));
    syncFolder(this.#publications);
  }

  reservation(path: string): Reservation | null {
    return read<Reservation>(join(this.#reserved, nameOf(path)));
  }

  /** Reserves a path, over a reservation that has lapsed. @returns false where another process was faster. */
  reserve(reservation: Reservation, lapsed: boolean): boolean {
    const file = join(this.#reserved, nameOf(reservation.path));
    mkdirSync(this.#reserved, { recursive: true, mode: 0o700 });
    if (lapsed) removeFile(file);
    return createDurably(file, Buffer.from(JSON.stringify(reservation)));
  }

  release(path: string): void {
    removeFile(join(this.#reserved, nameOf(path)));
  }

  /** The time of the file system that holds everything, in nanoseconds, as it stamps a file that is written now. */
  touch(): bigint {
    closeSync(openSync(this.#clock, 'w', 0o600));
    const now = new Date();
    utimesSync(this.#clock, now, now);
    return lstatSync(this.#clock, { bigint: true }).ctimeNs;
  }

  /** A number above all earlier ones, those of other processes included as long as clocks go forward. */
  nextOrder(): number {
    this.#last = Math.max(Date.now(), this.#last + 1);
    return this.#last;
  }
}

function read<T>(file: string): T | null {
  return isThere(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null;
}
