/**
 * The store in one SQLite file: opened, checked and migrated at once; one connection for all its journals. A store that
 * refuses its file closes so that the file and its log stay as they are, for a person to examine.
 */

import { resolve } from 'node:path';
import { type Alarm, PROCESS } from '../../clock/clock.ts';
import {
  ANYTHING,
  CODE,
  FLAG,
  listOf,
  NAME,
  NUMBER,
  OBJECT,
  optional,
  refuseOther,
  shape,
} from '../../model/argument.ts';
import type { RowArchive } from '../base/row-archive.ts';
import {
  type Base,
  JournalError,
  type LocalJournal,
  type LocalStore,
  type OpenMode,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type SeenRun,
  type StoredRow,
} from '../journal.ts';
import { checkRunName, wrongRun } from '../rows.ts';
import type { Rest, WorkQueue } from '../work.ts';
import { SqliteActs } from './acts.ts';
import { watchedArchive } from './archived/archiving.ts';
import { SqliteClaims } from './claims.ts';
import { deleteRun, shrunk } from './deleting.ts';
import { corrupt, guarded } from './errors.ts';
import { checkKey } from './file/cipher.ts';
import { checkPath, closeUntouched, type OpenFile, openForWriting, pragma } from './file/file.ts';
import { MIGRATIONS } from './file/format.ts';
import { immediately } from './file/transaction.ts';
import { Inbox } from './inbox.ts';
import { type Host, SqliteJournal } from './journal.ts';
import { Leases } from './lease/lease.ts';
import { Bases } from './log/bases.ts';
import { Commits } from './log/commits.ts';
import { Notes } from './log/notes.ts';
import type { Run } from './log/run.ts';
import { Tables } from './log/tables.ts';
import { verifiedHead } from './log/verify.ts';
import type { Writer } from './log/writer.ts';
import { SqliteNotices } from './notices.ts';
import type { SqliteOptions } from './options.ts';
import { SqlitePools } from './pools.ts';
import { ReadOnlyStore } from './read-only.ts';
import { baseOf, type Listing, postsOf, rowsOf, summaries, summary } from './reader.ts';
import { SqliteSandboxes } from './sandboxes.ts';
import { watchedQueue } from './watched-queue.ts';
import { Work } from './work.ts';

export type { SqliteOptions } from './options.ts';

/**
 * Opens a file of journals, and creates it where there is none.
 * @throws JournalError when the file is not Belay's, is newer or damaged, or cannot be opened as required.
 * @example
 * import { sqliteStore } from 'belay-sidecar/sqlite';
 *
 * const store = sqliteStore('belay.sqlite');
 * assert.deepEqual(store.runs(), []);
 * await store.close();
 */
export function sqliteStore(file: string, options: SqliteOptions = {}): LocalStore {
  refuseOther('sqliteStore', { file: [file, NAME], options: [options, SQLITE_OPTIONS] });
  const path = resolve(file);
  checkPath(path);
  const { migrations = MIGRATIONS, busyMs = 5_000, leaseMs = 30_000, now = Date.now, maxPages, key } = options;
  checkKey(key);
  if (options.readonly === true) return new ReadOnlyStore(path, { migrations, busyMs, leaseMs, now, key });
  const opened = openForWriting(path, { migrations, busyMs, maxPages, now, key });
  try {
    return new SqliteStore(path, opened, leaseMs, now);
  } catch (error) {
    closeUntouched(opened.db, path);
    throw error;
  }
}

/** The options, as they are held against what is given; the key has errors of its own. */
const SQLITE_OPTIONS = shape<SqliteOptions>('an object', {
  readonly: optional(FLAG),
  leaseMs: optional(NUMBER),
  busyMs: optional(NUMBER),
  key: ANYTHING,
  now: optional(CODE),
  maxPages: optional(NUMBER),
  migrations: optional(listOf(OBJECT)),
});

class SqliteStore implements LocalStore {
  readonly confidential: boolean;
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #tables: Tables;
  readonly #leases: Leases;
  readonly #notes: Notes;
  readonly #work: Work;
  readonly work: WorkQueue;
  readonly claims: SqliteClaims;
  readonly notices: SqliteNotices;
  readonly pools: SqlitePools;
  readonly sandboxes: SqliteSandboxes;
  readonly archive: RowArchive;
  readonly #host: Host;
  readonly #writers = new Set<Writer>();
  readonly #renewal: Alarm;
  #closed = false;
  /** True if a part was refused as damaged: the file then stays as it is. */
  #damaged = false;

  constructor(path: string, file: OpenFile, leaseMs: number, now: () => number) {
    [this.#path, this.#file] = [path, file];
    this.confidential = file.cipher.seals;
    const made = guarded(path, 'read', () => {
      const tables = new Tables(file.db, path, file);
      const [inbox, notes] = [new Inbox(file.db, tables), new Notes(file.db, tables, file.identity)];
      const fence = () => void tables.log.add([]);
      const bases = new Bases(file.db, tables, file.identity);
      const acts = new SqliteActs(file.db, file.cipher);
      return { tables, inbox, notes, bases, acts, leases: new Leases(file.db, path, { now, leaseMs, fence }) };
    });
    const { tables, leases, notes } = made;
    [this.#tables, this.#leases, this.#notes] = [tables, leases, notes];
    this.#work = new Work(file.db, tables, leases, now, (name) => this.#begun(name));
    const watched = <T>(call: () => T, doing: 'read' | 'write') => this.#watched(call, doing);
    this.work = watchedQueue(this.#work, watched);
    this.claims = new SqliteClaims({ ...made, db: file.db, now, writers: this.#writers, watched });
    this.notices = new SqliteNotices({ db: file.db, path, cipher: file.cipher, now, watched });
    this.archive = watchedArchive(made, file, watched);
    this.pools = new SqlitePools({ db: file.db, watched });
    this.sandboxes = new SqliteSandboxes({ db: file.db, watched });
    const commits = new Commits(file.db, tables, leases, { ...made, pools: this.pools }, file);
    const release: Host['release'] = (writer, rest) => this.#release(writer, rest);
    this.#host = { ...made, db: file.db, identity: file.identity, commits, now, release };
    this.#renewal = PROCESS.every(Math.max(1, leaseMs / 4), () => this.#renew());
  }

  async open(run: string, mode: OpenMode): Promise<LocalJournal> {
    this.#refuseUnlessOpen();
    checkRunName(run);
    const writer = this.#watched(() => immediately(this.#file.db, () => this.#take(run, mode)), 'write');
    this.#writers.add(writer);
    return new SqliteJournal(this.#host, writer);
  }

  *read(run: string): Generator<StoredRow> {
    this.#refuseUnlessOpen();
    const rows = rowsOf(this.#file, this.#tables, run);
    for (;;) {
      const next = this.#watched(() => rows.next(), 'read');
      if (next.done === true) return;
      yield next.value;
    }
  }

  base(run: string): Base | null {
    return this.#watched(() => baseOf(this.#file, this.#tables, run), 'read');
  }

  post(run: string, body: string): number {
    return this.#watched(() => {
      const number = this.#host.inbox.post(run, body, this.#host.now(), (id) => this.#work.posted(id));
      this.#file.presence.check();
      return number;
    }, 'write');
  }

  posts(run: string): readonly Posted[] {
    return this.#watched(() => postsOf(this.#file, this.#tables, run), 'read');
  }

  delete(run: string, seen: SeenRun): boolean {
    return this.#watched(() => deleteRun(this.#host, this.#file, run, seen), 'write');
  }

  shrink(): number {
    return this.#watched(() => shrunk(this.#file), 'write');
  }

  run(name: string): RunSummary | null {
    return this.#watched(() => summary(this.#listing(), name), 'read');
  }

  runs(filter: RunsFilter = {}): readonly RunSummary[] {
    return this.#watched(() => summaries(this.#listing(), filter), 'read');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#writers.size > 0) {
      const names = [...this.#writers].map(({ run }) => JSON.stringify(run.name)).join(', ');
      throw new JournalError('lease_held', `${this.#path} has open journals. Close them first: ${names}.`);
    }
    this.#closed = true;
    this.#renewal.cancel();
    const { db, anchor } = this.#file;
    anchor.close();
    if (this.#damaged || this.#host.commits.failure !== null) return closeUntouched(db, this.#path);
    guarded(this.#path, 'write', () => {
      // A process that still reads keeps the log; the next process to close folds it in.
      pragma(db, 'busy_timeout = 0');
      pragma(db, 'wal_checkpoint(TRUNCATE)');
      db.close();
    });
  }

  #listing(): Listing {
    return { file: this.#file, tables: this.#tables, leases: this.#leases, notes: this.#notes };
  }

  /** Inside a transaction: the run, its lease, and its head. */
  #take(name: string, mode: OpenMode): Writer {
    const tables = this.#tables;
    this.#checkAnchor();
    const found = tables.run(name);
    if (found === null && mode === 'resume') throw wrongRun('run_unknown', name);
    if (found !== null && mode === 'create') throw wrongRun('run_exists', name);
    const run = found ?? tables.addRun(name);
    const lease = this.#leases.take(run.id, name);
    const durable = verifiedHead(tables, this.#file.identity, run);
    if (lease.token <= durable.token)
      throw corrupt(this.#path, name, durable.seq, 'its lease is older than its last row');
    const seen = this.#leases.version();
    const nothing = { pending: [], pendingBytes: 0, pendingTime: 0, waiting: [], acts: [], pools: [], base: null };
    this.#work.taken(run.id);
    const overtaken = this.#leases.overtaken(run, lease, durable.seq);
    const unsaid = { note: null, durableNote: undefined };
    return { run, lease, overtaken, durable, seen, ...nothing, ...unsaid, state: { kind: 'open' } };
  }

  /** Inside a transaction that writes: nothing can be committed beside it, so the anchor is not ahead. */
  #checkAnchor(): void {
    this.#tables.log.refresh();
    this.#tables.log.check(this.#file.anchor.head());
  }

  #begun(name: string): Run {
    this.#checkAnchor();
    return this.#tables.addRun(name);
  }

  #release(writer: Writer, rest: Rest | undefined): void {
    this.#writers.delete(writer);
    guarded(this.#path, 'write', () => {
      immediately(this.#file.db, () => {
        const { run } = writer;
        if (this.#leases.release(run.id, writer.lease)) this.#work.given(run.id, rest, this.#host.inbox.last(run));
      });
    });
  }

  #renew(): void {
    const due = [...this.#writers].filter(({ state, lease }) => state.kind === 'open' && this.#leases.isDue(lease));
    this.#host.commits.renew(due);
  }

  #refuseUnlessOpen(): void {
    const { failure } = this.#host.commits;
    if (failure !== null) throw failure;
    if (this.#closed) throw new JournalError('journal_closed', `The store ${this.#path} is closed. Open it again.`);
  }

  #watched<T>(work: () => T, doing: 'read' | 'write'): T {
    this.#refuseUnlessOpen();
    try {
      return guarded(this.#path, doing, work);
    } catch (error) {
      const code = error instanceof JournalError ? error.code : null;
      if (code === 'journal_corrupt' || code === 'journal_tail_lost' || code === 'journal_not_ours')
        this.#damaged = true;
      throw error;
    }
  }
}
