/**
 * A store whose process can be killed without killing ours: from its death on nothing is appended and no flush comes back. The next
 * process finds the rows that were appended before, or, where they were not flushed, those that were durable.
 */
import { JournalError, type JournalStore, type LocalStore, memoryStore } from 'belay-sidecar';
import { wrapJournals } from 'belay-sidecar/testing';

type LocalJournal = Awaited<ReturnType<LocalStore['open']>>;
type Row = Parameters<LocalJournal['append']>[0][number];

/** When a process dies: `lost` drops what was appended and not flushed. */
export interface Death {
  readonly append: number;
  readonly when: 'before' | 'after' | 'lost';
}

/** The journals of one run, process after process. */
export class MortalStore {
  /** Grows with every append. */
  appends = 0;
  /** Told once, when a process dies. */
  onDeath: () => void = () => {};
  /** Told of the rows that are appended. */
  onRows: (rows: readonly Row[]) => void = () => {};
  readonly #deaths: Death[];
  readonly #isArchived: boolean;
  #killed: Death | null = null;
  #rows: LocalStore = memoryStore();
  #open: LocalJournal | null = null;

  /**
   * Has processes die at these appends, counted over all of them.
   * @param isArchived true where no rows before a base are there, as without the files of archived rows.
   */
  constructor(deaths: readonly Death[], isArchived = false) {
    this.#isArchived = isArchived;
    this.#deaths = deaths.toSorted((a, b) => a.append - b.append);
  }

  /** Has a process die at one more append. */
  kill(death: Death): void {
    this.#deaths.push(death);
  }

  /** Has no process die any more. */
  spare(): void {
    this.#deaths.length = 0;
  }

  /** The store of the next process: it finds what the last one has left. */
  async next(run: string): Promise<JournalStore> {
    const left = this.#open;
    const durable = left === null || this.#killed?.when !== 'lost' ? null : [...left.read()].slice(0, left.durable);
    await left?.close().catch(() => {});
    if (durable !== null) {
      this.#rows = memoryStore();
      const journal = await this.#rows.open(run, 'either');
      if (durable.length > 0) journal.append(durable.map(({ kind, body }) => ({ kind, body })));
      await journal.close();
    }
    this.#open = null;
    this.#killed = null;
    return wrapJournals(this.#rows, (journal) => {
      this.#open = journal;
      return this.#mortal(journal);
    });
  }

  #mortal(journal: LocalJournal): Partial<LocalJournal> {
    let isDead = false;
    const append = (rows: readonly Row[]): number => {
      if (isDead) return journal.head;
      this.appends += 1;
      const [death] = this.#deaths;
      if (death === undefined || this.appends < death.append) {
        this.onRows(rows);
        return journal.append(rows);
      }
      this.#deaths.shift();
      if (death.when !== 'before') journal.append(rows);
      if (death.when === 'after') this.onRows(rows);
      isDead = true;
      this.#killed = death;
      this.onDeath();
      return journal.head;
    };
    return {
      append,
      read: (after = 0) => {
        if (this.#isArchived && after < (journal.base()?.at ?? 0))
          throw new JournalError('rows_archived', `The rows after ${after} are not there.`);
        return journal.read(after);
      },
      keep: (base) => {
        if (!isDead) journal.keep(base);
      },
      flush: async () => {
        const durable = isDead ? 0 : await journal.flush();
        // A process that died meanwhile hears of no flush: what it had acknowledged then might be lost.
        return isDead ? new Promise<number>(() => {}) : durable;
      },
      close: () => (isDead ? Promise.resolve() : journal.close()),
    };
  }
}
