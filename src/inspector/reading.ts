/**
 * Reads the runs of a journal file for the inspector, beside the processes that write them. A run is read again only if
 * its head has moved; the last reading is kept for the next question about the run.
 */
import { JournalError, type JournalStore, type Posted, type RunSummary, type StoredRow } from '../journal/journal.ts';
import { parseRunNote, runNoteOf } from '../reports/run-note.ts';
import type { RunStatus } from '../reports/run-status.ts';
import { type Timeline, timelineOf } from '../reports/timeline.ts';
import type { Wait } from '../reports/waits.ts';
import type { WireTimeline } from './course-data.ts';
import { InspectorError } from './inspector-error.ts';
import { Course } from './views/timeline.ts';

/** A run as it was read. */
export interface Read {
  readonly id: string;
  readonly summary: RunSummary;
  readonly rows: readonly StoredRow[];
  readonly timeline: Timeline;
  /** Its steps, calls and whatever else the page shows on a line of time. */
  readonly course: WireTimeline;
  readonly posts: readonly Posted[];
}

type Whole = Pick<Read, 'rows' | 'timeline' | 'course'>;

/** The status of a run of a file; the code where it cannot be read. */
export interface ReadStatus {
  readonly agent: string | null;
  /** The digest of the config that it goes by. */
  readonly config: string | null;
  readonly status: RunStatus | { readonly is: 'unread'; readonly code: string };
  /** The things that it waits for, as its journal tells them. */
  readonly waits: readonly Wait[];
}

/** Runs that are kept after they were read. */
const KEPT = 3;

/** The runs of one file. */
export class Runs {
  readonly #open: () => JournalStore | Promise<JournalStore>;
  #store: Promise<JournalStore> | null = null;
  readonly #read = new Map<string, { readonly head: number; readonly of: Promise<Whole> }>();
  readonly #standings = new Map<string, ReadStatus & { readonly head: number }>();

  constructor(open: () => JournalStore | Promise<JournalStore>) {
    this.#open = open;
  }

  /** Every run, in the order of their beginning. */
  async summaries(): Promise<readonly RunSummary[]> {
    return this.#asking(async (store) => await store.runs());
  }

  /** The status of a run. A damaged run must not hide the others. */
  async standing(summary: RunSummary): Promise<ReadStatus> {
    const { run, head } = summary;
    const known = this.#standings.get(run);
    if (known !== undefined && known.head === head) return known;
    const standing = await this.#asking(async (store): Promise<ReadStatus> => {
      try {
        const note = parseRunNote(summary.note) ?? runNoteOf(await collected(store.read(run)));
        const { agent, under, standing: status, waits } = note;
        return { agent, config: under?.config ?? null, status, waits };
      } catch (error) {
        if (!(error instanceof JournalError) || error.code === 'journal_closed') throw error;
        return { agent: null, config: null, status: { is: 'unread', code: error.code }, waits: [] };
      }
    });
    this.#standings.set(run, { ...standing, head });
    return standing;
  }

  /** A run by its id. @throws InspectorError where there is none; JournalError where it cannot be read. */
  async run(id: string): Promise<Read> {
    const run = Buffer.from(id, 'base64url').toString('utf16le');
    const summary = idOf(run) === id ? await this.#asking(async (store) => await store.run(run)) : null;
    if (summary === null) throw new InspectorError('not_found', 'There is no such run in this file.');
    return this.read(summary);
  }

  /** A run of which the summary is at hand. Several who ask at once wait for one reading. */
  async read(summary: RunSummary): Promise<Read> {
    const { run, head } = summary;
    const posts = await this.#asking(async (store) => await store.posts(run));
    const id = idOf(run);
    let known = this.#read.get(id);
    if (known === undefined || known.head !== head) {
      known = { head, of: this.#whole(run) };
      this.#read.delete(id);
      this.#read.set(id, known);
      for (const old of [...this.#read.keys()].slice(0, -KEPT)) this.#read.delete(old);
    }
    const { of } = known;
    try {
      return { id, summary, posts, ...(await of) };
    } catch (error) {
      if (this.#read.get(id)?.of === of) this.#read.delete(id);
      throw error;
    }
  }

  #whole(run: string): Promise<Whole> {
    return this.#asking(async (store) => {
      const rows = await collected(store.read(run));
      const course = new Course();
      const timeline = timelineOf(rows, ({ entry, row }, runState) => course.take(entry, row, runState));
      return { rows, timeline, course: course.view() };
    });
  }

  /** Closes the file. */
  async close(): Promise<void> {
    const store = this.#store;
    this.#store = null;
    await (await store)?.close();
  }

  /** Asks the store; one that has refused is opened anew for the next question. */
  async #asking<T>(ask: (store: JournalStore) => Promise<T>): Promise<T> {
    this.#store ??= Promise.resolve(this.#open());
    const store = this.#store;
    try {
      return await ask(await store);
    } catch (error) {
      if (error instanceof JournalError && this.#store === store) await this.close().catch(() => {});
      throw error;
    }
  }
}

/** The rows of a run: the one place where they are collected. */
async function collected(reading: ReturnType<JournalStore['read']>): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  for await (const row of await reading) rows.push(row);
  return rows;
}

/** The id of a run in addresses: its name in characters that mean nothing to an address. */
export function idOf(run: string): string {
  return Buffer.from(run, 'utf16le').toString('base64url');
}
