/** Deletes the runs of a queue that ended long enough ago, a few at a time. */
import type { JournalStore } from '../journal/journal.ts';
import { type Archive, deleteEnded } from './deleting.ts';

/** The most runs that are deleted between two looks for work. */
const BATCH = 20;

interface SweepingOptions {
  readonly store: JournalStore;
  readonly queue?: string;
  readonly archive?: Archive;
  readonly onTold?: (
    told:
      | { readonly is: 'deleted'; readonly run: string }
      | { readonly is: 'retained'; readonly run: string; readonly why: string },
  ) => void;
}

/** The deleting of one worker. */
export class Sweeping {
  readonly #options: SweepingOptions;
  readonly #retainMs: number;
  /** The runs that stay, and why. */
  readonly #retained = new Map<string, string>();

  /** @param retainMs how long ago a run has to have ended, in milliseconds. */
  constructor(options: SweepingOptions, retainMs: number) {
    this.#options = options;
    this.#retainMs = retainMs;
  }

  /** Deletes some. Another worker may do the same: that a run is gone is no error. */
  async sweep(stopping: AbortSignal): Promise<void> {
    const { store, queue = 'default' } = this.#options;
    const over = await store.work.ended(queue, this.#retainMs, BATCH + this.#retained.size);
    for (const run of over) {
      if (stopping.aborted) return;
      if (!this.#retained.has(run)) await this.#delete(run);
    }
    // Looks again at one of the runs that stayed: the obstacle may be gone.
    const [stayed] = this.#retained.keys();
    if (stayed === undefined || stopping.aborted) return;
    if (over.includes(stayed)) await this.#delete(stayed);
    else this.#retained.delete(stayed);
  }

  async #delete(run: string): Promise<void> {
    const { store, archive, onTold } = this.#options;
    const before = this.#retained.get(run);
    this.#retained.delete(run);
    const why = await deleteEnded(store, run, archive).catch((error: unknown) =>
      String((error as { code?: unknown }).code ?? error),
    );
    if (why === 'run_unknown') return;
    if (why === null) {
      onTold?.({ is: 'deleted', run });
      return;
    }
    this.#retained.set(run, why);
    if (why !== before) onTold?.({ is: 'retained', run, why });
  }
}
