/** The journal of one run in memory. Durable means here that a flush has come back. */
import { type ActChange, type HeldAct, settled } from '../acts.ts';
import { type Base, JournalError, type LocalJournal, type Posted, type Row, type StoredRow } from '../journal.ts';
import type { PoolChange } from '../pools.ts';
import { checkRow } from '../rows.ts';
import type { Rest } from '../work.ts';
import type { MemoryPools } from './pools.ts';

/** The store's record of a run. */
export interface MemoryRun {
  readonly name: string;
  readonly rows: StoredRow[];
  readonly posts: Posted[];
  /** The note of the last append, and the one that is durable. */
  note: string | undefined;
  durableNote: string | undefined;
  /** The base that is to become durable, and the one that is. */
  base: Base | null;
  durableBase: Base | null;
  /** Changes to acts by the rows that are not durable. */
  changes: ActChange[];
  /** Changes to pools by the same rows. */
  pools: PoolChange[];
  /** The number of durable rows. */
  durable: number;
  /** True if a journal of it is open. */
  held: boolean;
}

/** The record of a run that has nothing yet. */
export function newRun(name: string): MemoryRun {
  const nothing = { note: undefined, durableNote: undefined, base: null, durableBase: null, durable: 0, held: false };
  return { name, rows: [], posts: [], changes: [], pools: [], ...nothing };
}

export class MemoryJournal implements LocalJournal {
  readonly #kept: MemoryRun;
  readonly #now: () => number;
  readonly #acts: Map<string, HeldAct>;
  readonly #pools: MemoryPools;
  readonly #given: (rest: Rest | undefined) => void;
  #closing: Promise<void> | null = null;

  /**
   * @param shared the acts and the pools of the store.
   * @param given is called when the writer gives the run back, with the writer's `Rest`.
   */
  constructor(
    kept: MemoryRun,
    now: () => number,
    shared: { readonly acts: Map<string, HeldAct>; readonly pools: MemoryPools },
    given: (rest: Rest | undefined) => void,
  ) {
    this.#acts = shared.acts;
    this.#pools = shared.pools;
    this.#given = given;
    this.#kept = kept;
    this.#now = now;
  }

  get run(): string {
    return this.#kept.name;
  }

  get head(): number {
    return this.#kept.rows.length;
  }

  get durable(): number {
    return this.#kept.durable;
  }

  /** The runs of a store in memory are never taken: their process is this one. */
  get overtaken(): number {
    return 0;
  }

  append(rows: readonly Row[], note?: string): number {
    this.#refuseIfClosed();
    // J3: checks all rows before it takes the first.
    for (const row of rows) checkRow(row);
    const { rows: kept, durable } = this.#kept;
    // One time per group, as on disk: the clock of its first row, never before the row that precedes it.
    const time = kept.length > durable ? (kept.at(-1)?.time ?? 0) : Math.max(this.#now(), kept.at(-1)?.time ?? 0);
    for (const { kind, body } of rows) kept.push({ seq: kept.length + 1, time, kind, body: flat(body) });
    if (rows.length > 0) this.#kept.note = note;
    for (const { acts = [], pools = [] } of rows) {
      this.#kept.changes.push(...acts);
      this.#kept.pools.push(...pools);
    }
    return this.head;
  }

  actOf(act: string): HeldAct | null {
    this.#refuseIfClosed();
    return this.#acts.get(act) ?? null;
  }

  keep(base: Base): void {
    this.#refuseIfClosed();
    this.#kept.base = base;
  }

  base(): Base | null {
    this.#refuseIfClosed();
    return this.#kept.durableBase;
  }

  async flush(): Promise<number> {
    this.#refuseIfClosed();
    return this.#flushed();
  }

  read(after = 0): Iterable<StoredRow> {
    this.#refuseIfClosed();
    return this.#kept.rows.slice(after);
  }

  posted(after: number): readonly Posted[] {
    this.#refuseIfClosed();
    return this.#kept.posts.slice(Math.max(0, after));
  }

  catchUp(): null {
    return null;
  }

  /** A process is the only one that knows of its runs in memory. */
  confirm(): null {
    this.#refuseIfClosed();
    return null;
  }

  close(rest?: Rest): Promise<void> {
    this.#closing ??= this.#close(rest);
    return this.#closing;
  }

  async #flushed(): Promise<number> {
    if (this.#kept.durable === this.head) {
      this.#kept.durableBase = this.#kept.base;
      return this.#kept.durable;
    }
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#kept.durable = this.#kept.rows.length;
        this.#change();
        this.#kept.durableNote = this.#kept.note;
        this.#kept.durableBase = this.#kept.base;
        resolve(this.#kept.durable);
      });
    });
  }

  #change(): void {
    const { freed, taken } = settled(this.#kept.changes.splice(0));
    for (const [act, held] of this.#acts) if (held.run === this.run && freed.includes(held.key)) this.#acts.delete(act);
    for (const [act, key] of taken) if (!this.#acts.has(act)) this.#acts.set(act, { run: this.run, key });
    this.#pools.change(this.run, this.#kept.pools.splice(0));
  }

  async #close(rest: Rest | undefined): Promise<void> {
    await this.#flushed();
    this.#kept.held = false;
    this.#given(rest);
  }

  #refuseIfClosed(): void {
    if (this.#closing === null) return;
    throw new JournalError(
      'journal_closed',
      `The journal of run ${JSON.stringify(this.run)} is closed. Open it again.`,
    );
  }
}

/**
 * A text as one piece. The engine keeps a concatenated text as all of its pieces, ten times its size, until a character
 * is read.
 */
function flat(text: string): string {
  text.charCodeAt(0);
  return text;
}
