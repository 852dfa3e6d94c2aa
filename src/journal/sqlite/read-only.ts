/**
 * The store that only reads. Each question opens the file, so that the store holds nothing in between and sees the
 * present content.
 */
import {
  JournalError,
  type LocalJournal,
  type LocalStore,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type StoredRow,
} from '../journal.ts';
import type { WorkQueue } from '../work.ts';
import { guarded } from './errors.ts';
import type { Migration } from './file/format.ts';
import { openForReading, type View } from './file/view.ts';
import { Leases } from './lease/lease.ts';
import { Tables } from './log/tables.ts';
import { postsOf, rowsOf, summaries, summary } from './reader.ts';
import { Work } from './work.ts';

interface Settings {
  readonly migrations: readonly Migration[];
  readonly busyMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
  readonly key: Uint8Array | undefined;
}

export class ReadOnlyStore implements LocalStore {
  readonly confidential: boolean;
  readonly work: WorkQueue;
  readonly #path: string;
  readonly #settings: Settings;

  /** Opens the file once, so that a wrong path is refused here and not later. */
  constructor(path: string, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
    const view = guarded(path, 'read', () => this.#view());
    this.confidential = view.cipher.seals;
    view.close();
    this.work = this.#queue();
  }

  async open(run: string): Promise<LocalJournal> {
    throw this.#refused(`to write run ${JSON.stringify(run)}`);
  }

  post(run: string): number {
    throw this.#refused(`to post to run ${JSON.stringify(run)}`);
  }

  *read(run: string): Generator<StoredRow> {
    const view = guarded(this.#path, 'read', () => this.#view());
    try {
      const rows = guarded(this.#path, 'read', () => rowsOf(view, new Tables(view.db, this.#path, view.cipher), run));
      for (;;) {
        const next = guarded(this.#path, 'read', () => rows.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      view.close();
    }
  }

  run(name: string): RunSummary | null {
    return this.#asked((view, tables) => summary(view, tables, this.#leases(view), name));
  }

  runs(filter: RunsFilter = {}): readonly RunSummary[] {
    return this.#asked((view, tables) => summaries(view, tables, this.#leases(view), filter));
  }

  posts(run: string): readonly Posted[] {
    return this.#asked((view, tables) => postsOf(view, tables, run));
  }

  async close(): Promise<void> {}

  #asked<T>(answer: (view: View, tables: Tables) => T): T {
    return guarded(this.#path, 'read', () => {
      const view = this.#view();
      try {
        return answer(view, new Tables(view.db, this.#path, view.cipher));
      } finally {
        view.close();
      }
    });
  }

  #leases({ db }: View): Leases {
    return new Leases(db, this.#path, this.#settings.now, this.#settings.leaseMs);
  }

  #queue(): WorkQueue {
    const asked = <T>(answer: (work: Work) => T): T =>
      this.#asked((view, tables) =>
        answer(new Work(view.db, tables, this.#leases(view), this.#settings.now, (name) => tables.addRun(name))),
      );
    return {
      start: ({ run }) => {
        throw this.#refused(`to leave run ${JSON.stringify(run)} for workers`);
      },
      order: (run) => asked((work) => work.order(run)),
      ready: (wanted) => asked((work) => work.ready(wanted)),
      left: (wanted) => asked((work) => work.left(wanted)),
      bind: (run) => {
        throw this.#refused(`to bind run ${JSON.stringify(run)}`);
      },
      delay: (run) => {
        throw this.#refused(`to put run ${JSON.stringify(run)} off`);
      },
    };
  }

  #refused(to: string): JournalError {
    return new JournalError(
      'journal_cannot_write',
      `${this.#path} was opened read-only. Open it without "readonly" ${to}.`,
    );
  }

  #view(): View {
    return openForReading(this.#path, this.#settings);
  }
}
