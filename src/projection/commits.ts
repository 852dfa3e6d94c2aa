/** The commits that the program has yet to be told of (semantics.md SP3). */
import type { CommittedEntry } from '../model/commit-entries.ts';

/** The untold commits of one run, in order. */
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

  /** Drops the commits of the parent, which tells them itself. */
  fork(): void {
    this.#due.clear();
  }

  /** Takes over what a base has. */
  resumeAt(due: readonly CommittedEntry[]): void {
    for (const entry of due) this.#due.set(entry.id, entry);
  }
}
