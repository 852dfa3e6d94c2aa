/**
 * The journal's port and its rules (architecture.md). A run owns one journal: append-only, gap-free, numbered by `seq`
 * from 1.
 * - J1: only the holder of the run's lease appends; its fencing token goes with every commit group.
 * - J2: `seq` has no gaps; an append follows the head.
 * - J3: `append` is at once visible to `read`, and is durable only when `flush` says so. The rows of one call become
 *   durable together or not at all.
 * - J4: a journal that failed once refuses everything after.
 * - J5: any process may post to a run, without its lease. A post is durable at once, numbered from 1 without gaps, and
 *   no row.
 * - J6: an append may carry a note, the writer's summary of the rows. The note becomes durable with the rows, and an
 *   append without a note removes it.
 * - J7: a writer may have a base kept: the state of the run after a row. A base may become durable with any later
 *   commit or never, and takes the place of the earlier base. A base that does not fit the rows does not count.
 * - J8: rows before a base's row may be archived. They are read as before while their files are there; if a file is
 *   missing, `read` refuses with `rows_archived`. The base, the rows after it and the writer do not need the archived
 *   rows.
 * - J9: an act of a store has at most one call, over all runs. A commit takes or frees an act when its rows say so, and
 *   an act outlives a deleted run.
 * - J10: what calls have reserved and spent of a pool is changed by the commits whose rows say so. No commit reserves
 *   beyond the limit of the pool. What a deleted run has reserved counts as spent.
 */
import { CodedError } from '../model/coded-error.ts';
import type { ActChange, HeldAct } from './acts.ts';
import type { RowArchive } from './base/row-archive.ts';
import type { ClaimDesk } from './claims.ts';
import type { NoticeBoard } from './notices.ts';
import type { PoolChange, PoolDesk } from './pools.ts';
import type { SandboxDesk } from './sandboxes.ts';
import type { Rest, WorkQueue } from './work.ts';

/** A row before it has a place: the kind of its entry, and its body as JSON text. */
export interface Row {
  readonly kind: number;
  readonly body: string;
  /** Its changes to the acts of the store (J9); the stored row has no part of them. */
  readonly acts?: readonly ActChange[];
  /** Its changes to the pools of the store (J10); the stored row has no part of them. */
  readonly pools?: readonly PoolChange[];
}

/** A row in its place. `time` is the wall clock of the first append of its commit group, in milliseconds, and never goes back. */
export interface StoredRow extends Row {
  readonly seq: number;
  readonly time: number;
}

/** Rows in their order: at once, or as a store on a server tells them. */
export type Rows = Iterable<StoredRow> | AsyncIterable<StoredRow>;

/** An answer: at once, or as a store on a server gives it. */
type Awaitable<T> = T | Promise<T>;

/**
 * A message for a run, an approval for instance. It is only a request: it lies outside the rows and their hashes, any
 * process that may write the file may have written it, and it changes nothing until the run's writer has checked it and
 * appended its answer.
 */
export interface Posted {
  readonly number: number;
  /** The poster's wall clock at the post, in milliseconds. Posters' clocks differ: only the numbers give the order. */
  readonly time: number;
  readonly body: string;
}

/** The reasons why a journal cannot be opened, read or appended to. */
export type JournalErrorCode =
  /** Another process holds the run, and it lives. */
  | 'lease_held'
  /** Another process took the run over: this writer is fenced off. */
  | 'lease_lost'
  /** The database ends before the head that the anchor remembers. */
  | 'journal_tail_lost'
  /** A row or a commit group does not have the hash, the number or the form that it must have. */
  | 'journal_corrupt'
  /** Not a journal of Belay's, or one of another format. */
  | 'journal_not_ours'
  /** The file or the disk refuses: read-only, full, a failed sync. */
  | 'journal_cannot_write'
  /** The file was removed or replaced while it was open. */
  | 'journal_gone'
  /** The file cannot be opened or read. */
  | 'journal_cannot_read'
  /** The key has the wrong length. */
  | 'journal_key_bad'
  /** The file is encrypted, and no key was given, or not its own. */
  | 'journal_key_missing'
  | 'journal_key_wrong'
  /** A key was given for a file that is not encrypted. */
  | 'journal_not_encrypted'
  /** The journal or its store was closed. (One that failed repeats its failure.) */
  | 'journal_closed'
  /** There is no run of that name, or there is one already where a new one was to begin. */
  | 'run_unknown'
  | 'run_exists'
  /** Rows were archived, and a file of theirs is not there. */
  | 'rows_archived'
  /** A message has more than 64 KiB. */
  | 'post_too_large'
  /** The input of a run that is left for workers has more than 1 MiB. */
  | 'input_too_large'
  /** A run has 10,000 messages already. */
  | 'inbox_full'
  /** Another message was left under the same id. */
  | 'message_differs';

/** Thrown for a journal that breaks its contract, or whose medium does. */
export class JournalError extends CodedError<JournalErrorCode> {
  override readonly name = 'JournalError';
}

/** A part of a base, as bytes. */
export type BasePart = Buffer;

/** The sum of the rows of a run up to one, in parts (J7). A store does not look into them. */
export interface Base {
  /** The seq of the last row that it is of. */
  readonly at: number;
  /** Parts that it shares with the base before it are the same buffers: they are not stored again. */
  readonly parts: readonly BasePart[];
}

/** The journal of one run, opened by its one writer. */
export interface Journal {
  readonly run: string;
  /** The seq of the last appended row; 0 before the first. */
  readonly head: number;
  /** The seq of the last row that is durable. */
  readonly durable: number;
  /**
   * The seq of the last row that the run had when it was last taken from a process whose lease had run out and that may still live; 0 where it
   * never was. Such a process writes no row any more, and may still make a call (E2).
   */
  readonly overtaken: number;
  /**
   * Appends rows, all of them in one commit group (J3).
   * @param note what the rows of the run come to (J6), for lists of runs; left out, the run has none from then on.
   * @returns the new head.
   * @throws JournalError once the lease is lost or a write failed (J4).
   */
  append(rows: readonly Row[], note?: string): number;
  /** The call that has an act of the store (J9), as far as the act is durable; null if no call has it. */
  actOf(act: string): Awaitable<HeldAct | null>;
  /** Has a base of its rows kept (J7), of which none is after its head. */
  keep(base: Base): void;
  /** The newest base that is kept and fits the rows; null where there is none. */
  base(): Awaitable<Base | null>;
  /** Resolves with `durable` once everything appended so far is; rejects with a JournalError. */
  flush(): Promise<number>;
  /** The rows after `after` (default 0), those that are not yet durable included, in order. */
  read(after?: number): Rows;
  /**
   * The messages with a number above `after`, in order, from all posters, as far as this process has heard of them. Cheap
   * enough to be asked several times a second.
   * @param late the age in milliseconds that an answer of none may have, so that many runs share one look; 0 if left out.
   */
  posted(after: number, late?: number): readonly Posted[];
  /**
   * Has `posted` tell every message that was durable before this call: null where it always does.
   * @throws JournalError, or rejects with one.
   */
  catchUp(): Promise<void> | null;
  /**
   * Makes sure that no other process can have taken the run: null where its lease has half of its time left at least; else it is renewed first.
   * @throws JournalError, or rejects with one: `lease_lost` where the run was taken over.
   */
  confirm(): Promise<void> | null;
  /**
   * Makes everything durable, gives the lease back, and closes.
   * @param rest when the run can go on, for the workers of the store; left out, nothing is said of that.
   */
  close(rest?: Rest): Promise<void>;
}

/** The way of opening a run: `create` refuses one that exists, `resume` one that does not, `either` takes both. */
export type OpenMode = 'create' | 'resume' | 'either';

/** A run as a reader sees it, while another process may be writing it. */
export interface RunSummary {
  readonly run: string;
  readonly head: number;
  /** The wall clock of the last commit group, in milliseconds. */
  readonly time: number;
  /** True if a living process holds its lease. */
  readonly held: boolean;
  /** The durable note of its writer (J6); left out where there is none, or none that fits its rows. */
  readonly note?: string;
  /** The number of its messages; left out where it has none. */
  readonly posts?: number;
}

/** A run as it was seen before it is deleted. */
export interface SeenRun {
  /** The seq of its last row; 0 where it has none. */
  readonly head: number;
  /** The number of its messages. */
  readonly posts: number;
}

/** The runs that a list is limited to. */
export interface RunsFilter {
  /** The name of a run: only those that began after it. */
  readonly after?: string;
  /** The most runs that are told. */
  readonly limit?: number;
  /** `held` by a living process, or `free`. */
  readonly state?: 'held' | 'free';
}

/**
 * A place for journals: memory, one SQLite file, a database on a server. Who asks it awaits its answers, and goes through its rows with
 * `for await`.
 */
export interface JournalStore {
  /**
   * True where nothing that it is given can be read outside of the process without a key: it is encrypted, or never leaves
   * memory.
   */
  readonly confidential?: boolean;
  /** Takes the lease of a run and opens its journal for writing. */
  open(run: string, mode: OpenMode): Promise<Journal>;
  /** The durable rows of a run, verified, without its lease. */
  read(run: string): Rows;
  /** The base of a run that is kept and fits its rows, without its lease; null where there is none. */
  base(run: string): Awaitable<Base | null>;
  /**
   * Leaves a message for a run, from any process, with or without its lease. It is durable on return.
   * @returns its number.
   * @throws JournalError `run_unknown`; `post_too_large` above 64 KiB of UTF-8; `inbox_full` at the 10,001st message.
   */
  post(run: string, body: string): Awaitable<number>;
  /** Every message of a run, in order, without its lease. */
  posts(run: string): Awaitable<readonly Posted[]>;
  /** A run by its name, without its rows; null where there is none. */
  run(name: string): Awaitable<RunSummary | null>;
  /**
   * The runs, without their rows, in the order of their beginning.
   * @throws JournalError `run_unknown` where `after` names none.
   */
  runs(filter?: RunsFilter): Awaitable<readonly RunSummary[]>;
  /**
   * Takes a run out, with its rows, its messages and its request, if it is as it was seen: for good.
   * @returns false where it has moved on since.
   * @throws JournalError `run_unknown`; `lease_held` where a living process has it.
   */
  delete(run: string, seen: SeenRun): Awaitable<boolean>;
  /**
   * Gives the disk the space back that deleted runs have left; stores without a file of their own have none to give.
   * @returns the bytes that the file is shorter by.
   */
  shrink?(): number;
  /** Archives the oldest rows of runs (J8); stores without it keep all of them. */
  readonly archive?: RowArchive;
  /** The runs that are left for workers. */
  readonly work: WorkQueue;
  /** The claims of its runs. */
  readonly claims: ClaimDesk;
  /** The messages to people about its runs; a store without them cannot be watched by `belay notify`. */
  readonly notices?: NoticeBoard;
  /** The budgets that its runs share; runs whose config names a pool need it. */
  readonly pools?: PoolDesk;
  /** The sandboxes of its runs; runs whose config names one need it. */
  readonly sandboxes?: SandboxDesk;
  /** Closes the store; every journal of it must be closed before. */
  close(): Promise<void>;
}

/** A journal whose rows are read at once. */
export interface LocalJournal extends Journal {
  read(after?: number): Iterable<StoredRow>;
  base(): Base | null;
}

/** A store in this process or in a file: it answers at once. */
export interface LocalStore extends JournalStore {
  open(run: string, mode: OpenMode): Promise<LocalJournal>;
  read(run: string): Iterable<StoredRow>;
  base(run: string): Base | null;
  post(run: string, body: string): number;
  posts(run: string): readonly Posted[];
  run(name: string): RunSummary | null;
  runs(filter?: RunsFilter): readonly RunSummary[];
  delete(run: string, seen: SeenRun): boolean;
}
