/**
 * The commits of a run: held calls of an instance become visible once the commit is due (semantics.md E4). The staging
 * areas are asked first; then the durable entry is the decision; everything after it is redo-only, also across a crash.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { PublishEntry } from '../../model/call-entries.ts';
import type { Mandates } from '../mandates/mandates.ts';
import type { Raised, RunParts } from '../parts.ts';
import { waitOf } from '../retry.ts';
import { abandonHeld } from './abandoned.ts';
import type { CommitLooks } from './commit-looks.ts';
import { dueCommits } from './due.ts';
import { DueCommits, type PublishingPort } from './due-commits.ts';
import { type Asking, prepareAll, type Refusal, withdrawAll } from './preparing.ts';
import { failureOf, waitBefore } from './refusing.ts';
import { Staging } from './staging.ts';
import { triesOf } from './tries.ts';

/** The port of the outbox to the run. */
export interface OutboxPort extends PublishingPort {
  discard(call: LedgerCall): Promise<void>;
  /** The second looks of a commit's calls (RV4). */
  looks(entry: Pick<PublishEntry, 'keys'>): CommitLooks;
  /** The mandate that commits are decided under. */
  readonly mandates: Pick<Mandates, 'under' | 'look' | 'want'>;
  /** Says why a call that is held back is outside of the mandate that it would leave under now; null where it is not. */
  outsideMandate(call: LedgerCall): string | null;
  /** A commit was refused before anything of it was visible: its instance has failed. */
  refused(raised: Raised): void;
}

/** The outbox of one run. */
export class Outbox {
  readonly #parts: RunParts;
  readonly #run: OutboxPort;
  readonly #staging: Staging;
  readonly #publishing: DueCommits;
  #under: Promise<void> | null = null;
  /** The commits that are being prepared, or were refused: they are not begun again. */
  readonly #begun = new Set<string>();

  constructor(parts: RunParts, run: OutboxPort) {
    this.#parts = parts;
    this.#run = run;
    this.#staging = new Staging(parts);
    this.#publishing = new DueCommits(parts, run, this.#staging);
  }

  /**
   * True while a commit may still be refused: then its instance has to be done again, which it cannot be after the end of the
   * run.
   */
  get mayRefuse(): boolean {
    const { ledger, publications } = this.#parts.runState;
    const isAsked = (call: LedgerCall) => this.#staging.area(this.#staging.areaOf(call))?.prepare !== undefined;
    const isLooked = ({ key }: LedgerCall) => this.#run.looks({ keys: [key] }).isAny;
    const buffered = ledger.buffered();
    return (
      (buffered.length > 0 && this.#parts.runState.mandates.isUsed) ||
      buffered.some(isAsked) ||
      buffered.some(isLooked) ||
      publications.some(({ prepared }) => prepared !== undefined)
    );
  }

  get #isStopped(): boolean {
    return this.#parts.lifecycle.leave.aborted;
  }

  /** Resolves once everything that was decided so far is visible. */
  async settled(): Promise<void> {
    while (this.#under !== null) await this.#under;
  }

  /**
   * Decides which commits can be made now, and makes them. @param isOver true at the end of the run: nothing is rolled back any
   * more.
   */
  begin(isOver = false): void {
    const { lifecycle, runState } = this.#parts;
    if (runState.ledger.buffered().length > 0) this.#run.mandates.look();
    if (lifecycle.may('commit')) this.#begin(isOver);
    else if (this.isHeld(isOver)) this.#run.mandates.want(this.#heldTool(isOver));
  }

  /** True where commits are due, and the run has no mandate to decide them under (MD3). */
  isHeld(isOver: boolean): boolean {
    return (
      this.#lacksMandate &&
      this.#parts.runState.ledger.buffered().length > 0 &&
      dueCommits(this.#parts, isOver).length > 0
    );
  }

  get #lacksMandate(): boolean {
    return this.#parts.lifecycle.configuration.mandate !== 'stands';
  }

  /** The tool of the first call that waits for a mandate. */
  #heldTool(isOver: boolean): string {
    const [key = ''] = dueCommits(this.#parts, isOver)[0]?.keys ?? [];
    return this.#parts.runState.ledger.get(key)?.intent.tool ?? '';
  }

  /** Looks at the mandate once more: it may have been withdrawn while a commit was prepared. */
  #mayDecide(): boolean {
    this.#run.mandates.look();
    return !this.#lacksMandate;
  }

  /** The refusal of a commit with a call that the mandate of the run does not allow any more (MD2); null where it has none. */
  #outsideMandate({ keys }: PublishEntry): Refusal | null {
    for (const key of keys) {
      const call = this.#parts.runState.ledger.get(key);
      const why = call === undefined ? null : this.#run.outsideMandate(call);
      if (call !== undefined && why !== null) return { why, call, moved: false };
    }
    return null;
  }

  /** A commit as it is decided, under the mandate of the run (MD2). */
  #decided(entry: PublishEntry): PublishEntry {
    const { under } = this.#run.mandates;
    return under === null ? entry : { ...entry, under };
  }

  #begin(isOver: boolean): void {
    if (this.#parts.runState.ledger.buffered().length === 0) return;
    const due = dueCommits(this.#parts, isOver).filter((entry) => !this.#begun.has(nameOf(entry)));
    const isPlain = (entry: PublishEntry) => this.#staging.asked(entry).length === 0 && !this.#run.looks(entry).isAny;
    const plain = due.filter((entry) => isPlain(entry) && this.#outsideMandate(entry) === null);
    if (plain.length > 0) {
      const decided = plain.map((entry) => this.#decided(entry));
      this.#run.append(decided);
      this.#carryOn(() => this.#publishAll(decided, true));
    }
    for (const entry of due) if (!plain.includes(entry)) this.#prepare(entry, isOver);
  }

  /** Goes on with what was decided and is not visible yet, after a crash or a person's word. */
  goOn(): void {
    const decided = [...this.#parts.runState.publications];
    if (decided.length > 0) this.#carryOn(() => this.#publishAll(decided, false));
  }

  /** @see {@link abandonHeld} */
  abandon(): Promise<void> {
    return abandonHeld(this.#parts, this.#run);
  }

  #carryOn(act: () => Promise<void>): void {
    const before = this.#under ?? Promise.resolve();
    const ends = this.#parts.activity.begin();
    const under = before.then(async () => {
      await this.#run.durable();
      await act();
      await this.#run.durable();
    });
    const done = under
      .catch(() => {}) // The broken journal reports its failure to the callers that wait for the run.
      .then(() => {
        ends();
        if (this.#under !== done) return;
        this.#under = null;
        this.#parts.lifecycle.note({ commit: 'quiet' });
      });
    if (this.#under === null) this.#parts.lifecycle.note({ commit: 'publishing' });
    this.#under = done;
  }

  /** Asks the areas of a commit, decides it, and makes it. */
  #prepare(entry: PublishEntry, isOver: boolean): void {
    const name = nameOf(entry);
    this.#begun.add(name);
    this.#carryOn(async () => {
      // Nothing of a commit is decided that a rollback has taken back meanwhile, or that the process takes leave of.
      const { lifecycle } = this.#parts;
      const isOff = () => this.#isStopped || lifecycle.answer('commit').is === 'no';
      lifecycle.note({ commit: 'preparing' });
      const isDue = () =>
        !isOff() && this.#mayDecide() && dueCommits(this.#parts, isOver).some((other) => nameOf(other) === name);
      const prepared = isDue() ? await prepareAll(this.#staging, entry, this.#asking(entry)) : null;
      // What a commit rests on is looked at again last (RV4).
      const looks = this.#run.looks(entry);
      const moved = prepared !== null && 'tokens' in prepared && isDue() ? await this.#moved(entry, looks) : null;
      if (prepared === null || !isDue()) {
        this.#begun.delete(name);
        if (!this.#isStopped) await withdrawAll(this.#staging, entry);
      } else if (moved !== null) {
        await withdrawAll(this.#staging, entry);
        if ('why' in moved) await this.#refuse(entry, moved);
        else this.#hold(entry, moved);
      } else if ('refused' in prepared) await this.#refuse(entry, prepared.refused);
      else {
        this.#begun.delete(name);
        const isAsked = this.#staging.asked(entry).length > 0;
        const decided = this.#decided({ ...entry, ...(isAsked && { prepared: prepared.tokens }) });
        lifecycle.note({ commit: 'publishing' });
        this.#run.append([decided, ...looks.relied()]);
        await this.#run.durable();
        await this.#publish(decided, true);
      }
    });
  }

  /** Looks again at what a commit rests on, and at its mandate. @returns why it may not be decided, or null. */
  async #moved(entry: PublishEntry, looks: CommitLooks): Promise<Awaited<ReturnType<CommitLooks['make']>>> {
    return (await looks.make()) ?? this.#outsideMandate(entry);
  }

  /** Has the instance of a refused commit fail; asked again, the same commit is tried once more. */
  async #refuse(entry: PublishEntry, refusal: Refusal): Promise<void> {
    this.#begun.add(nameOf(entry));
    const { runState, now, pause } = this.#parts;
    const relied = this.#staging.relied(refusal.call);
    const wait = waitBefore(runState, entry, refusal, relied, now());
    if (wait > 0) await pause(wait);
    if (this.#isStopped) return;
    this.#hold(entry, failureOf(runState, entry, refusal, relied));
  }

  /** Has a commit wait for the answer to a failure that is in its way; asked again, it is tried once more. */
  #hold(entry: PublishEntry, raised: Raised): void {
    const name = nameOf(entry);
    this.#begun.add(name);
    const again = async () => {
      this.#begun.delete(name);
      // It is the answer to its own question; beside a complaint it waits for the answer to that (LC5).
      if (this.#parts.lifecycle.mayAnswerItself('commit')) this.#begin(false);
      await this.settled();
    };
    this.#run.refused({ ...raised, commit: entry.id, again });
  }

  async #publishAll(entries: readonly PublishEntry[], fresh: boolean): Promise<void> {
    for (const entry of entries) await this.#publish(entry, fresh);
  }

  async #publish(entry: PublishEntry, fresh: boolean): Promise<void> {
    const moved = fresh ? null : await this.#movedMeanwhile(entry);
    const refusal = moved ?? (await this.#publishing.publish(entry, fresh));
    if (refusal !== null) await this.#withdraw(entry, refusal);
  }

  async #withdraw(entry: PublishEntry, refusal: Refusal): Promise<void> {
    this.#run.append([{ do: 'withdrawn', id: entry.id, why: refusal.why }]);
    await withdrawAll(this.#staging, entry);
    await this.#refuse(entry, refusal);
  }

  /**
   * Asks the areas of a commit once more that was decided before a crash, if nothing of it is visible yet. @returns why it is
   * refused by now.
   */
  async #movedMeanwhile(entry: PublishEntry): Promise<Refusal | null> {
    const [first] = this.#staging.groups(entry);
    const area = this.#staging.area(first?.area ?? null);
    if (entry.prepared === undefined || area?.published === undefined) return null;
    try {
      if (await area.published(this.#staging.publicationOf(entry, first?.area ?? null))) return null;
    } catch {
      return null;
    }
    const prepared = await prepareAll(this.#staging, entry, this.#asking(entry));
    return 'refused' in prepared && !this.#isStopped ? prepared.refused : null;
  }

  #asking(entry: PublishEntry): Asking {
    const waits = Array.from({ length: triesOf(this.#parts.config, entry) }, (_, round) => waitOf('commit', round));
    return { waits, pause: this.#parts.pause, isStopped: () => this.#isStopped };
  }
}

/** Names a commit and the boundary at which it is due: done again, the same commit is another try. */
function nameOf({ id, at }: PublishEntry): string {
  return `${id} ${at}`;
}
