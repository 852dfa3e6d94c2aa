/**
 * The store that only reads. It opens the file for a question, sees its present content, and holds it until the process
 * turns to other work: a series of questions, such as one for every run of a list, opens the file once.
 */
import type { RowArchive } from '../base/row-archive.ts';
import type { ClaimDesk, ClaimsListed } from '../claims.ts';
import {
  type Base,
  JournalError,
  type LocalJournal,
  type LocalStore,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type StoredRow,
} from '../journal.ts';
import type { NoticeBoard } from '../notices.ts';
import type { PoolDesk } from '../pools.ts';
import type { SandboxDesk } from '../sandboxes.ts';
import type { WorkQueue } from '../work.ts';
import { archiveOf } from './archived/archiving.ts';
import { folderOf } from './archived/files.ts';
import { ClaimRows } from './claim-rows.ts';
import { listed } from './claims.ts';
import { guarded } from './errors.ts';
import type { Migration } from './file/format.ts';
import { atOnce } from './file/transaction.ts';
import { openForReading, type View } from './file/view.ts';
import { Leases } from './lease/lease.ts';
import { Bases } from './log/bases.ts';
import { Notes } from './log/notes.ts';
import { Tables } from './log/tables.ts';
import { SqliteNotices } from './notices.ts';
import { listedPools } from './pools.ts';
import { baseOf, type Listing, postsOf, rowsOf, summaries, summary } from './reader.ts';
import { listedSandboxes } from './sandboxes.ts';
import { Work } from './work.ts';

interface Settings {
  readonly migrations: readonly Migration[];
  readonly busyMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
  readonly key: Uint8Array | undefined;
}

/** The file while it is open. */
interface Opened {
  readonly view: View;
  readonly tables: Tables;
  /** The number of questions that are under way. */
  users: number;
}

export class ReadOnlyStore implements LocalStore {
  readonly confidential: boolean;
  readonly work: WorkQueue;
  readonly claims: ClaimDesk;
  readonly notices: NoticeBoard;
  readonly pools: PoolDesk;
  readonly sandboxes: SandboxDesk;
  readonly archive: RowArchive;
  readonly #path: string;
  readonly #settings: Settings;
  #opened: Opened | null = null;
  #turn: NodeJS.Immediate | null = null;

  /** Opens the file once, so that a wrong path is refused here and not later. */
  constructor(path: string, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
    const opened = guarded(path, 'read', () => this.#lend());
    this.confidential = opened.view.cipher.seals;
    this.#giveBack(opened);
    this.work = this.#queue();
    this.claims = this.#desk();
    this.notices = this.#board();
    this.pools = this.#pools();
    this.sandboxes = this.#sandboxes();
    this.archive = this.#archive();
  }

  async open(run: string): Promise<LocalJournal> {
    throw this.#refused(`to write run ${JSON.stringify(run)}`);
  }

  base(run: string): Base | null {
    return this.#asked((view, tables) => baseOf(view, tables, run));
  }

  post(run: string): number {
    throw this.#refused(`to post to run ${JSON.stringify(run)}`);
  }

  delete(run: string): boolean {
    throw this.#refused(`to delete run ${JSON.stringify(run)}`);
  }

  *read(run: string): Generator<StoredRow> {
    const opened = guarded(this.#path, 'read', () => this.#lend());
    const { view, tables } = opened;
    try {
      const rows = guarded(this.#path, 'read', () => rowsOf(view, tables, run));
      for (;;) {
        const next = guarded(this.#path, 'read', () => rows.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      this.#giveBack(opened);
    }
  }

  run(name: string): RunSummary | null {
    return this.#asked((view, tables) => summary(this.#listing(view, tables), name));
  }

  runs(filter: RunsFilter = {}): readonly RunSummary[] {
    return this.#asked((view, tables) => summaries(this.#listing(view, tables), filter));
  }

  posts(run: string): readonly Posted[] {
    return this.#asked((view, tables) => postsOf(view, tables, run));
  }

  async close(): Promise<void> {
    this.#letGo();
  }

  #asked<T>(answer: (view: View, tables: Tables) => T): T {
    return guarded(this.#path, 'read', () => {
      const opened = this.#lend();
      try {
        return answer(opened.view, opened.tables);
      } finally {
        this.#giveBack(opened);
      }
    });
  }

  /** The file for one question, which gives it back. Every reading of rows is a question until it ends. */
  #lend(): Opened {
    if (this.#opened?.view.isCurrent() === false) this.#letGo();
    if (this.#opened === null) {
      const view = openForReading(this.#path, this.#settings);
      this.#opened = { view, tables: new Tables(view.db, this.#path, view), users: 0 };
    }
    this.#opened.users += 1;
    return this.#opened;
  }

  #giveBack(opened: Opened): void {
    opened.users -= 1;
    if (opened.users > 0) return;
    if (opened !== this.#opened) opened.view.close();
    else this.#turn ??= setImmediate(() => this.#letGo());
  }

  /** Holds the file no longer; who still reads of it closes it. */
  #letGo(): void {
    if (this.#turn !== null) clearImmediate(this.#turn);
    this.#turn = null;
    const opened = this.#opened;
    this.#opened = null;
    if (opened?.users === 0) opened.view.close();
  }

  #listing(file: View, tables: Tables): Listing {
    const { db, identity } = file;
    return { file, tables, leases: this.#leasesIn(file), notes: new Notes(db, tables, identity) };
  }

  #leasesIn({ db }: View): Leases {
    const fence = () => {
      throw this.#refused('to take a run');
    };
    return new Leases(db, this.#path, { ...this.#settings, fence });
  }

  #queue(): WorkQueue {
    const asked = <T>(answer: (work: Work) => T): T =>
      this.#asked((view, tables) =>
        answer(new Work(view.db, tables, this.#leasesIn(view), this.#settings.now, (name) => tables.addRun(name))),
      );
    return {
      start: ({ run }) => {
        throw this.#refused(`to leave run ${JSON.stringify(run)} for workers`);
      },
      handOver: ({ run }) => {
        throw this.#refused(`to leave run ${JSON.stringify(run)} for workers`);
      },
      order: (run) => asked((work) => work.order(run)),
      ready: (wanted) => asked((work) => work.ready(wanted)),
      left: (wanted) => asked((work) => work.left(wanted)),
      others: (wanted) => asked((work) => work.others(wanted)),
      ended: (...wanted) => asked((work) => work.ended(...wanted)),
      bind: (run) => {
        throw this.#refused(`to bind run ${JSON.stringify(run)}`);
      },
      delay: (run) => {
        throw this.#refused(`to put run ${JSON.stringify(run)} off`);
      },
    };
  }

  #archive(): RowArchive {
    const archive = (view: View, tables: Tables) => archiveOf(tables, new Bases(view.db, tables, view.identity), view);
    return {
      folder: folderOf(this.#path),
      upTo: (run) => this.#asked((view, tables) => archive(view, tables).upTo(run)),
      couldReach: (run, at) => this.#asked((view, tables) => archive(view, tables).couldReach(run, at)),
      moveUpTo: (run) => {
        throw this.#refused(`to archive rows of run ${JSON.stringify(run)}`);
      },
    };
  }

  #desk(): ClaimDesk {
    const refuse = () => {
      throw this.#refused('to take or free claims');
    };
    const list = (view: View, tables: Tables): ClaimsListed =>
      atOnce(view.db, () => listed(new ClaimRows(view.db, tables), { leases: this.#leasesIn(view) }));
    return {
      pollMs: 25,
      ...{ ask: refuse, leave: refuse, release: refuse, free: refuse, letGo: refuse, takeBack: refuse },
      freed: refuse,
      list: () => this.#asked(list),
      onFreed: () => () => {},
    };
  }

  #pools(): PoolDesk {
    const refuse = () => {
      throw this.#refused('to change a pool');
    };
    const list = () => this.#asked((view) => atOnce(view.db, () => listedPools(view.db)));
    return {
      pollMs: 25,
      ...{ join: refuse, limit: refuse },
      pool: (name) => list().find((each) => each.name === name) ?? null,
      list,
      onFreed: () => () => {},
    };
  }

  #sandboxes(): SandboxDesk {
    const refuse = () => {
      throw this.#refused('to change a sandbox');
    };
    const list = (run?: string) => this.#asked((view) => atOnce(view.db, () => listedSandboxes(view.db, run)));
    return { put: refuse, take: refuse, remove: refuse, list };
  }

  #board(): NoticeBoard {
    const refuse = () => {
      throw this.#refused('to send notices');
    };
    return {
      ...{ note: refuse, take: refuse, sent: refuse, putOff: refuse },
      list: (channel) =>
        this.#asked(({ db, cipher }) => {
          const { now } = this.#settings;
          return new SqliteNotices({ db, path: this.#path, cipher, now, watched: (call) => call() }).list(channel);
        }),
    };
  }

  #refused(to: string): JournalError {
    return new JournalError(
      'journal_cannot_write',
      `${this.#path} was opened read-only. Open it without "readonly" ${to}.`,
    );
  }
}
