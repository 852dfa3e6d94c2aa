/**
 * The journal of one run whose process can be killed without killing ours: after so many appends nothing more is appended and no flush
 * comes back. The next process finds the rows that were appended before.
 */
import type { JournalStore, LocalJournal, LocalStore, Row, StoredRow } from '../../journal/journal.ts';
import { wrapJournals } from '../../testing/wrap-journals.ts';

/** The most appends of one run: a machine that appends more goes round without a wait or a call that acts. */
const MOST_APPENDS = 6_000;

/** The journals of one run, process after process. */
export class MortalStore {
  /** The number of appends of all processes. */
  appends = 0;
  /** True once a process was killed after an append. */
  fired = false;
  /** True once no more was appended, because the run did not end. */
  isEndless = false;
  readonly #dies: number | null;
  readonly #onDeath: () => void;
  readonly #onRow: (row: StoredRow, isOld: boolean) => void;
  readonly #rows: LocalStore;
  #open: LocalJournal | null = null;
  #read = 0;
  #kill: () => void = () => {};

  /** @param dies the append after which the process is killed, once; null for never. */
  constructor(rows: LocalStore, dies: number | null, on: { death(): void; row(row: StoredRow, isOld: boolean): void }) {
    this.#rows = rows;
    this.#dies = dies;
    this.#onDeath = on.death;
    this.#onRow = on.row;
  }

  /** The store of the next process. */
  async next(): Promise<JournalStore> {
    await this.#open?.close().catch(() => {});
    this.#open = null;
    return wrapJournals(this.#rows, (journal) => {
      this.#open = journal;
      this.#tell(journal, true);
      return this.#mortal(journal);
    });
  }

  /** Kills the process that has the journal. */
  kill(): void {
    this.#kill();
  }

  /** @param isOld true for rows of a process before. */
  #tell(journal: LocalJournal, isOld: boolean): void {
    for (const row of journal.read(this.#read)) this.#onRow(row, isOld);
    this.#read = journal.head;
  }

  #mortal(journal: LocalJournal): Partial<LocalJournal> {
    let isDead = false;
    this.#kill = () => {
      if (isDead) return;
      isDead = true;
      this.#onDeath();
    };
    const append = (rows: readonly Row[], note?: string): number => {
      if (isDead) return journal.head;
      if (this.appends >= MOST_APPENDS) {
        this.isEndless = true;
        throw new Error(`a run of more than ${MOST_APPENDS} appends`);
      }
      if (this.appends === this.#dies) {
        this.appends += 1;
        this.fired = true;
        this.#kill();
        return journal.head;
      }
      this.appends += 1;
      const head = journal.append(rows, note);
      this.#tell(journal, false);
      return head;
    };
    return {
      append,
      flush: async () => {
        const durable = isDead ? 0 : await journal.flush();
        // A process that died meanwhile hears of no flush.
        return isDead ? new Promise<number>(() => {}) : durable;
      },
      close: (rest) => (isDead ? Promise.resolve() : journal.close(rest)),
    };
  }
}
