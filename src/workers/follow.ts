/** A run, told row by row as its rows become durable, whichever process has it. */
import { PROCESS } from '../clock/clock.ts';
import { JournalError, type JournalStore } from '../journal/journal.ts';
import { Followed, type FollowedRow } from '../reports/followed.ts';

/** The shortest time between two looks at a run, in milliseconds. */
const LOOK = 200;
/** A look waits this many times as long as the one before took to read: who follows takes little of a machine. */
const REST = 4;
/** The rows that are read before others have their turn. */
const AT_ONCE = 200;

/** Options of following a run. */
export interface FollowOptions {
  /** The seq of the last row that is known: only later ones are told. 0, where it is left out. */
  readonly after?: number;
  /** Ends the following. */
  readonly signal?: AbortSignal;
}

/** Tells the rows of a run behind one, in order, each once, until the run has ended, is deleted, or `signal` says so. */
export async function* followed(
  store: JournalStore,
  run: string,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<FollowedRow> {
  if ((await store.run(run)) === null) throw new JournalError('run_unknown', `There is no run ${JSON.stringify(run)}.`);
  const looks = new Looks(store, run);
  while (signal?.aborted !== true) {
    const began = PROCESS.now();
    const rows = await looks.next();
    for (const row of rows ?? []) if (row.seq > after) yield row;
    if (rows === null || looks.isOver) return;
    await PROCESS.pause(Math.max(LOOK, REST * (PROCESS.now() - began)), signal);
  }
}

/** The looks at one run. */
class Looks {
  readonly #store: JournalStore;
  readonly #run: string;
  readonly #read = new Followed();
  #last = 0;

  constructor(store: JournalStore, run: string) {
    this.#store = store;
    this.#run = run;
  }

  /** True once the run has ended. */
  get isOver(): boolean {
    return this.#read.isOver;
  }

  /** The rows that have become durable since the last look; null where the run is there no more. */
  async next(): Promise<FollowedRow[] | null> {
    const summary = await this.#store.run(this.#run);
    if (summary === null) return null;
    const rows: FollowedRow[] = [];
    if (summary.head <= this.#last) return rows;
    for await (const row of this.#store.read(this.#run)) {
      if (row.seq <= this.#last) continue;
      const told = this.#read.take(row);
      this.#last = row.seq;
      if (told !== null) rows.push(told);
      if (row.seq % AT_ONCE === 0) await PROCESS.turn();
    }
    return rows;
  }
}
