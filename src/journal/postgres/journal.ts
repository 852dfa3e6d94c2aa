/** The journal of one run over the store's database: it numbers and queues rows, and the group commit makes them durable. */
import type { HeldAct } from '../acts.ts';
import { type Base, type Journal, JournalError, type Posted, type Row, type Rows, type StoredRow } from '../journal.ts';
import { bytesOf } from '../rows.ts';
import type { Rest } from '../work.ts';
import type { Bases } from './bases/bases.ts';
import type { Commits } from './commits.ts';
import type { Head, Tables } from './tables.ts';
import { headOf, type Writer } from './writer.ts';

/** The services that a journal needs of the store that opened it. */
export interface Host {
  readonly tables: Tables;
  readonly bases: Bases;
  readonly commits: Commits;
  readonly now: () => number;
  /** Makes sure that no other process can have taken the run; null where that is known. */
  confirm(writer: Writer): Promise<void> | null;
  /** Fetches the messages that the writer does not know yet. */
  fetchPosts(writer: Writer): Promise<void>;
  /** Gives the lease back, and forgets the writer. */
  release(writer: Writer, rest: Rest | undefined): Promise<void>;
}

export class PostgresJournal implements Journal {
  readonly #host: Host;
  readonly #writer: Writer;
  #closing: Promise<void> | null = null;

  constructor(host: Host, writer: Writer) {
    this.#host = host;
    this.#writer = writer;
  }

  get run(): string {
    return this.#writer.run.name;
  }

  get head(): number {
    return headOf(this.#writer);
  }

  get durable(): number {
    return this.#writer.durable.seq;
  }

  get overtaken(): number {
    return this.#writer.overtaken;
  }

  append(rows: readonly Row[], note?: string): number {
    this.#refuseUnlessOpen();
    const writer = this.#writer;
    // J3: checks all rows before it takes the first.
    const bodies = rows.map(bytesOf);
    if (bodies.length === 0) return this.head;
    const before = writer.flying?.head ?? writer.durable;
    if (writer.pending.length === 0) writer.pendingTime = Math.max(this.#host.now(), before.time);
    for (const [index, { kind, acts = [], pools = [] }] of rows.entries()) {
      const body = bodies[index] as Buffer;
      const ends = index === rows.length - 1;
      writer.pending.push({ seq: this.head + 1, kind, body, ends, note: note ?? null, acts, pools });
      writer.pendingBytes += body.length;
    }
    this.#host.commits.pending(writer);
    return this.head;
  }

  actOf(act: string): Promise<HeldAct | null> {
    this.#refuseUnlessOpen();
    return this.#host.tables.actOf(act);
  }

  keep(base: Base): void {
    this.#refuseUnlessOpen();
    this.#writer.base = base;
    this.#host.bases.offer(this.#writer);
  }

  base(): Promise<Base | null> {
    this.#refuseUnlessOpen();
    return this.#host.bases.of(this.#writer.run, this.#writer.durable.seq);
  }

  flush(): Promise<number> {
    try {
      this.#refuseUnlessOpen();
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#flushed();
  }

  read(after = 0): Rows {
    this.#refuseUnlessOpen();
    const { durable, flying, pending, pendingTime } = this.#writer;
    const rest = [
      ...(flying?.entries ?? []).map((entry) => ({ ...entry, time: flying?.head.time as number })),
      ...pending.map((entry) => ({ ...entry, time: pendingTime })),
    ];
    const waiting = rest.map(({ seq, kind, body, time }) => ({ seq, kind, body: body.toString('utf8'), time }));
    return this.#rows(after, durable, waiting);
  }

  posted(after: number): readonly Posted[] {
    this.#refuseUnlessOpen();
    return this.#writer.posts.slice(Math.max(0, after));
  }

  catchUp(): Promise<void> {
    this.#refuseUnlessOpen();
    return this.#host.fetchPosts(this.#writer);
  }

  confirm(): Promise<void> | null {
    this.#refuseUnlessOpen();
    return this.#host.confirm(this.#writer);
  }

  close(rest?: Rest): Promise<void> {
    this.#closing ??= this.#close(rest);
    return this.#closing;
  }

  async *#rows(after: number, durable: Head, waiting: readonly StoredRow[]): AsyncGenerator<StoredRow> {
    yield* this.#host.tables.rows(this.#writer.run, after, durable);
    for (const row of waiting) if (row.seq > after) yield row;
  }

  #flushed(): Promise<number> {
    const writer = this.#writer;
    if (writer.state.kind === 'failed') return Promise.reject(writer.state.error);
    const seq = headOf(writer);
    if (seq === writer.durable.seq) return Promise.resolve(seq);
    if (writer.pending.length > 0) this.#host.commits.soon();
    return new Promise((resolve, reject) => {
      writer.waiting.push({ seq, resolve, reject });
    });
  }

  async #close(rest: Rest | undefined): Promise<void> {
    const flushed = this.#flushed();
    if (this.#writer.state.kind === 'open') this.#writer.state = { kind: 'closed' };
    const failure = await flushed.then(
      () => null,
      (error: unknown) => error,
    );
    await this.#host.bases.settled(this.#writer);
    try {
      await this.#host.release(this.#writer, failure === null ? rest : undefined);
    } catch (error) {
      throw failure ?? error;
    }
    if (failure !== null) throw failure;
  }

  /** J4: a journal that failed repeats its failure on every call. */
  #refuseUnlessOpen(): void {
    const { state, run } = this.#writer;
    if (state.kind === 'failed') throw state.error;
    if (state.kind !== 'closed') return;
    const name = JSON.stringify(run.name);
    throw new JournalError('journal_closed', `The journal of run ${name} is closed. Open it again.`);
  }
}
