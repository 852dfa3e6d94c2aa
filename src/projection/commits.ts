/** The commits that the program is to be told of (semantics.md SP3). */
import type { CommittedEntry } from '../model/commit-entries.ts';

/** The commits of one run that the program was not told of yet, in their order. */
export class Commits {
  readonly #due = new Map<string, CommittedEntry>();

  get due(): readonly CommittedEntry[] {
    return [...this.#due.values()];
  }

  take(entry: CommittedEntry): void {
    if (entry.due === true) this.#due.set(entry.id, entry);
  }

  announced(id: string): void {
    this.#due.delete(id);
  }

  /** The commits of the run that this one was forked from are that run's to tell of. */
  fork(): void {
    this.#due.clear();
  }

  /** Takes over what a base has. */
  resumeAt(due: readonly CommittedEntry[]): void {
    for (const entry of due) this.#due.set(entry.id, entry);
  }
}
