/**
 * The store over an archive: runs that were exported whole, read like the runs of any other store, and never written.
 */
import { readFileSync } from 'node:fs';
import type { ClaimDesk } from '../claims.ts';
import {
  JournalError,
  type LocalJournal,
  type LocalStore,
  type Posted,
  type RunSummary,
  type RunsFilter,
  type StoredRow,
} from '../journal.ts';
import { checkLimit, wrongRun } from '../rows.ts';
import type { WorkQueue } from '../work.ts';
import { type ArchivedRun, archivedRuns } from './lines.ts';

/**
 * Reads an archive.
 * @throws JournalError `journal_cannot_read`, `journal_corrupt`, `journal_not_ours`.
 */
export function archiveStore(path: string): LocalStore {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    throw new JournalError('journal_cannot_read', `${path}: ${(error as Error).message}. Check the path.`);
  }
  return new ArchiveStore(path, archivedRuns(text, path));
}

/** The refusal of everything that would change an archive. */
export function exported(path: string): JournalError {
  const reason = `${path} holds runs that were exported: they can be read, and not go on. Name the store that has them.`;
  return new JournalError('journal_cannot_write', reason);
}

class ArchiveStore implements LocalStore {
  readonly work: WorkQueue;
  readonly claims: ClaimDesk;
  readonly #path: string;
  readonly #runs: ReadonlyMap<string, ArchivedRun>;

  constructor(path: string, runs: readonly ArchivedRun[]) {
    this.#path = path;
    this.#runs = new Map(runs.map((run) => [run.run, run]));
    const refuse = () => this.#refuse();
    this.work = {
      ...{ start: refuse, handOver: refuse, bind: refuse, delay: refuse },
      order: (run) => this.#runs.get(run)?.order ?? null,
      // Nothing of it is handed out, and nothing deleted.
      ...{ ready: () => [], left: () => [], others: () => [], ended: () => [] },
    };
    this.claims = {
      pollMs: 1_000,
      ...{ ask: refuse, leave: refuse, release: refuse, free: refuse, letGo: refuse, takeBack: refuse },
      freed: () => [],
      list: () => ({ held: [], waiting: [], freed: [] }),
      onFreed: () => () => {},
    };
  }

  async open(): Promise<LocalJournal> {
    return this.#refuse();
  }

  post(): number {
    return this.#refuse();
  }

  delete(): boolean {
    return this.#refuse();
  }

  *read(run: string): Generator<StoredRow> {
    yield* this.#found(run).rows;
  }

  /** An archive has the rows alone. */
  base(): null {
    return null;
  }

  posts(run: string): readonly Posted[] {
    return this.#found(run).posts;
  }

  run(name: string): RunSummary | null {
    const found = this.#runs.get(name);
    return found === undefined ? null : summaryOf(found);
  }

  runs({ after, limit, state }: RunsFilter = {}): readonly RunSummary[] {
    checkLimit(limit);
    if (state === 'held') return [];
    const all = [...this.#runs.values()];
    const later = after === undefined ? all : all.slice(all.indexOf(this.#found(after)) + 1);
    return later.slice(0, limit).map(summaryOf);
  }

  async close(): Promise<void> {
    // It has nothing open.
  }

  #found(run: string): ArchivedRun {
    const found = this.#runs.get(run);
    if (found === undefined) throw wrongRun('run_unknown', run);
    return found;
  }

  #refuse(): never {
    throw exported(this.#path);
  }
}

function summaryOf({ run, rows, posts }: ArchivedRun): RunSummary {
  return {
    run,
    head: rows.length,
    time: rows.at(-1)?.time ?? 0,
    held: false,
    ...(posts.length > 0 && { posts: posts.length }),
  };
}
