/** The store that only reads: each question opens the file, so that it holds nothing in between and sees what is there by then. */
import { type Journal, JournalError, type JournalStore, type RunSummary, type StoredRow } from '../journal.ts';
import { guarded } from './errors.ts';
import type { Migration } from './format.ts';
import { Leases } from './lease.ts';
import { rowsOf, summaries } from './reader.ts';
import { Tables } from './tables.ts';
import { openForReading } from './view.ts';

interface Settings {
  readonly migrations: readonly Migration[];
  readonly busyMs: number;
  readonly leaseMs: number;
  readonly now: () => number;
}

export class ReadOnlyStore implements JournalStore {
  readonly #path: string;
  readonly #settings: Settings;

  /** Looks at the file once, so that a wrong path is refused here and not later. */
  constructor(path: string, settings: Settings) {
    this.#path = path;
    this.#settings = settings;
    guarded(path, 'read', () => this.#view()).close();
  }

  async open(run: string): Promise<Journal> {
    const reason = `${this.#path} was opened read-only. Open it without "readonly" to write run ${JSON.stringify(run)}.`;
    throw new JournalError('journal_cannot_write', reason);
  }

  *read(run: string): Generator<StoredRow> {
    const view = guarded(this.#path, 'read', () => this.#view());
    try {
      const rows = guarded(this.#path, 'read', () => rowsOf(view, new Tables(view.db, this.#path), run));
      for (;;) {
        const next = guarded(this.#path, 'read', () => rows.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      view.close();
    }
  }

  runs(): readonly RunSummary[] {
    return guarded(this.#path, 'read', () => {
      const view = this.#view();
      try {
        const { now, leaseMs } = this.#settings;
        return summaries(view, new Tables(view.db, this.#path), new Leases(view.db, this.#path, now, leaseMs));
      } finally {
        view.close();
      }
    });
  }

  async close(): Promise<void> {}

  #view(): ReturnType<typeof openForReading> {
    return openForReading(this.#path, this.#settings.migrations, this.#settings.busyMs);
  }
}
