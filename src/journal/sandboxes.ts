/**
 * The sandboxes of a store (semantics.md SB7): a row for each that a run has begun to start, beside the run. After the end of the
 * run, whose journal is closed by then, a sweep takes the row for a while, and takes it out once the sandbox is destroyed.
 */

/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/** The name of a sandbox: no two rows have the same. */
export interface SandboxName {
  readonly run: string;
  readonly name: string;
}

/** The row of a sandbox. */
export interface SandboxRow extends SandboxName {
  /** The name that its provider knows it by. */
  readonly key: string;
  readonly provider: string;
  /** The wall clock from which it may be destroyed, in milliseconds; null while its run has not come to its end. */
  readonly until: number | null;
}

/** The sandboxes of a store. */
export interface SandboxDesk {
  /** Writes the row of a sandbox, in place of an earlier one. */
  put(row: SandboxRow): Awaitable<void>;
  /** Every row, or those of one run, by run and name. */
  list(run?: string): Awaitable<readonly SandboxRow[]>;
  /** Takes rows whose time is over for so many milliseconds: no other process gets them meanwhile. */
  take(now: number, limit: number, leaseMs: number): Awaitable<readonly SandboxRow[]>;
  /** Takes a row out, if it is still that of the same key and its time is over. */
  remove(row: SandboxRow): Awaitable<void>;
}
