/** The options of a store in a file. */
import type { Migration } from './file/format.ts';

/** Options for opening a file; the defaults suit normal use. */
export interface SqliteOptions {
  /** Reads only, also beside a writer in another process: takes no lease and creates no file. */
  readonly readonly?: boolean;
  /** The time that a lease lasts without being renewed, in milliseconds; 30,000. */
  readonly leaseMs?: number;
  /** The wait for a lock of another process, in milliseconds; 5,000. */
  readonly busyMs?: number;
  /**
   * 32 bytes: the key under which a new file is encrypted; an encrypted file opens with its key alone. Rows and
   * messages are sealed; numbers, times, lengths and the names of runs are not.
   */
  readonly key?: Uint8Array;
  /** The wall clock, in milliseconds. */
  readonly now?: () => number;
  /** For tests: the most pages that the file may have. */
  readonly maxPages?: number;
  /** For tests: the formats that exist. */
  readonly migrations?: readonly Migration[];
}
