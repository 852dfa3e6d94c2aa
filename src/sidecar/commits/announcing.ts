/** Tells the program of the commits of a run: each once it stands for others to see, until the function has returned (semantics.md SP3, SP4). */
import { within } from '../../clock/clock.ts';
import type { CommittedEntry } from '../../model/commit-entries.ts';
import { ROOT } from '../../model/instance.ts';
import { madeVisible, owedCommits, standingAt } from '../../projection/made-visible.ts';
import { reliesOnUncommitted } from '../../recovery/covered.ts';
import type { Branches } from '../calls/branches.ts';
import type { RunParts } from '../parts.ts';
import { triesOf, waitOf } from '../retry.ts';
import type { Writing } from '../writing.ts';

/** The wait in milliseconds before commits are told of again, after their tries. */
const LATER = 5_000;
/** The longest that the end of a run waits for the program, in milliseconds. */
const AT_END = 10_000;

/** The telling of one run's commits. */
export class Announcing {
  readonly #parts: RunParts;
  readonly #write: Pick<Writing, 'append' | 'durable' | 'broken'>;
  readonly #branches: Pick<Branches, 'of'>;
  #under: Promise<void> | null = null;
  #isOwed = false;
  #isOver = false;
  /** The wall clock from which commits are told of again that could not be; null where there are none. */
  #next: number | null = null;

  /** @param branches the branches of alternatives: a commit of one is made once the branch is chosen. */
  constructor(parts: RunParts, write: Pick<Writing, 'append' | 'durable' | 'broken'>, branches: Pick<Branches, 'of'>) {
    this.#parts = parts;
    this.#write = write;
    this.#branches = branches;
    if (parts.onCommit !== null) parts.lifecycle.whenever('commit', () => this.begin());
  }

  /** The wall clock from which the program is told again; null where nothing waits for that. */
  get next(): number | null {
    return this.isOwed ? this.#next : null;
  }

  /** True while the program is to be told of a commit, and can be. */
  get isOwed(): boolean {
    const { onCommit, runState } = this.#parts;
    return onCommit !== null && runState.commits.due.length > 0 && owedCommits(runState).length > 0;
  }

  /** Tells of the commits that are made; the run goes on meanwhile. */
  begin(): void {
    const { onCommit, runState } = this.#parts;
    if (onCommit === null || runState.commits.due.length === 0) return;
    this.#isOwed = true;
    if (this.#under !== null) return;
    const ends = this.#parts.activity.begin();
    this.#under = this.#all()
      // A broken journal is told to the callers that wait for the run.
      .catch(() => {})
      .finally(() => {
        this.#under = null;
        ends();
        if (this.#isOwed) this.begin();
      });
  }

  /** Tells of all commits: nothing is taken back any more. The end waits for the program as long as that takes, but not for ever. */
  async atEnd(): Promise<void> {
    this.#isOver = true;
    const { commits } = this.#parts.runState;
    for (let before = Number.POSITIVE_INFINITY; this.isOwed && commits.due.length < before; ) {
      before = commits.due.length;
      this.begin();
      await within(AT_END, this.#under ?? Promise.resolve());
    }
    this.#isOver = false;
  }

  async #all(): Promise<void> {
    while (this.#isOwed) {
      this.#isOwed = false;
      this.#next = null;
      const failed = new Set<string>();
      for (let commit = this.#made(failed); commit !== undefined; commit = this.#made(failed)) {
        await this.#write.durable();
        if (!(await this.#told(commit))) failed.add(commit.id);
      }
      if (failed.size > 0 && !this.#isLeft) this.#later();
    }
  }

  get #isLeft(): boolean {
    return this.#parts.lifecycle.leave.aborted || this.#write.broken !== null || this.#parts.runState.ended !== null;
  }

  #later(): void {
    const { now, after } = this.#parts;
    this.#next = now() + LATER;
    after(LATER, () => this.begin(), false);
  }

  /** The first commit that is made and that the program was not told of. */
  #made(failed: ReadonlySet<string>): CommittedEntry | undefined {
    const { runState, lifecycle } = this.#parts;
    if (this.#isLeft || !lifecycle.may('commit')) return undefined;
    return owedCommits(runState).find((commit) => !failed.has(commit.id) && this.#isMade(commit));
  }

  /** True for a commit that others can see: its held calls are visible, and its reads are promised (E4). */
  #isMade(commit: CommittedEntry): boolean {
    const { runState } = this.#parts;
    const { instance, actor } = commit;
    const at = standingAt(runState, commit) ?? 0;
    if (this.#branches.of(actor) !== null && !runState.choices.hasWon(runState.actors, actor)) return false;
    const isHeld = runState.ledger.buffered(instance).some((call) => call.staged && (call.at ?? at) < at);
    const name = JSON.stringify(instance);
    const isOpen = runState.publications.some((each) => each.at <= at && JSON.stringify(each.instance) === name);
    if (isHeld || isOpen) return false;
    if (this.#isOver) return true;
    return reliesOnUncommitted(runState.history, instance, at, ({ skeleton }) => skeleton === ROOT) === null;
  }

  /** Tells the program of a commit. @returns false where it could not be told. */
  async #told(commit: CommittedEntry): Promise<boolean> {
    const { run, runState, onCommit, pause, lifecycle } = this.#parts;
    const { id, instance, boundary, text } = commit;
    const { calls, things } = madeVisible(runState, instance, standingAt(runState, commit) ?? 0);
    const message = text === undefined ? null : runState.redaction.text(text);
    const made = calls.map(({ key, tool }) => ({ key, tool }));
    for (let round = 0; round < triesOf('commit'); round += 1) {
      await pause(waitOf('commit', round), lifecycle.leave);
      if (this.#isLeft || !lifecycle.may('commit')) return false;
      try {
        await onCommit?.({ run, id, instance, boundary, message, calls: made, things });
      } catch {
        continue;
      }
      if (this.#isLeft) return false;
      this.#write.append([{ do: 'announced', id }]);
      await this.#write.durable();
      return true;
    }
    return false;
  }
}
