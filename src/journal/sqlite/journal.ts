/**
 * The journal of one run over the store's shared connection: it numbers and queues rows, and the group commit makes
 * them durable.
 */
import type Database from 'better-sqlite3';
import type { HeldAct } from '../acts.ts';
import type { Base, LocalJournal, Posted, Row, StoredRow } from '../journal.ts';
import { JournalError } from '../journal.ts';
import { bytesOf } from '../rows.ts';
import type { Rest } from '../work.ts';
import type { SqliteActs } from './acts.ts';
import { guarded } from './errors.ts';
import { rowPlace } from './file/cipher.ts';
import { atOnce } from './file/transaction.ts';
import type { Inbox } from './inbox.ts';
import type { Leases } from './lease/lease.ts';
import type { Bases } from './log/bases.ts';
import type { Commits } from './log/commits.ts';
import type { Tables } from './log/tables.ts';
import { verifiedRows } from './log/verify.ts';
import type { Writer } from './log/writer.ts';

/** The services that a journal needs of the store that opened it. */
export interface Host {
  readonly db: Database.Database;
  readonly tables: Tables;
  readonly inbox: Inbox;
  readonly bases: Bases;
  readonly acts: SqliteActs;
  readonly identity: Buffer;
  readonly commits: Commits;
  readonly leases: Leases;
  readonly now: () => number;
  /** Gives the lease back, and forgets the writer. */
  release(writer: Writer, rest: Rest | undefined): void;
}

export class SqliteJournal implements LocalJournal {
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
    return this.#writer.durable.seq + this.#writer.pending.length;
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
    if (writer.pending.length === 0) writer.pendingTime = Math.max(Math.floor(this.#host.now()), writer.durable.time);
    writer.note = note ?? null;
    const { cipher } = this.#host.tables;
    rows.forEach(({ kind }, index) => {
      const seq = this.head + 1;
      const body = cipher.seal(rowPlace(writer.run.id, seq, kind), bodies[index] as Buffer);
      writer.pending.push({ seq, kind, body });
      writer.pendingBytes += body.length;
    });
    for (const { acts = [], pools = [] } of rows) {
      writer.acts.push(...acts);
      writer.pools.push(...pools);
    }
    this.#host.commits.pending(writer);
    return this.head;
  }

  actOf(act: string): HeldAct | null {
    this.#refuseUnlessOpen();
    return guarded(this.#host.tables.path, 'read', () => this.#host.acts.of(act));
  }

  keep(base: Base): void {
    this.#refuseUnlessOpen();
    this.#writer.base = base;
    this.#host.commits.pending(this.#writer);
  }

  base(): Base | null {
    this.#refuseUnlessOpen();
    const { tables, bases } = this.#host;
    const { run, durable } = this.#writer;
    return guarded(tables.path, 'read', () => bases.of(run, durable.seq));
  }

  flush(): Promise<number> {
    try {
      this.#refuseUnlessOpen();
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#flushed();
  }

  read(after = 0): Iterable<StoredRow> {
    this.#refuseUnlessOpen();
    const { durable, pending, pendingTime } = this.#writer;
    return this.#rows(after, durable.seq, [...pending], pendingTime);
  }

  posted(after: number, late = 0): readonly Posted[] {
    this.#refuseUnlessOpen();
    const { tables, inbox } = this.#host;
    return guarded(tables.path, 'read', () => inbox.since(this.#writer.run, after, late));
  }

  catchUp(): null {
    return null;
  }

  confirm(): null {
    this.#refuseUnlessOpen();
    if (!this.#host.leases.isDue(this.#writer.lease)) return null;
    this.#host.commits.renew([this.#writer]);
    this.#refuseUnlessOpen();
    return null;
  }

  close(rest?: Rest): Promise<void> {
    this.#closing ??= this.#close(rest);
    return this.#closing;
  }

  *#rows(
    after: number,
    durable: number,
    pending: readonly Writer['pending'][number][],
    time: number,
  ): Generator<StoredRow> {
    const { tables, identity } = this.#host;
    guarded(tables.path, 'read', () => atOnce(this.#host.db, () => tables.log.refresh()));
    const rows = verifiedRows(tables, identity, this.#writer.run, Math.min(after, durable), durable);
    for (;;) {
      const next = guarded(tables.path, 'read', () => rows.next());
      if (next.done === true) break;
      yield next.value;
    }
    for (const entry of pending) {
      const { seq, kind } = entry;
      if (seq > after) yield { seq, kind, body: tables.text(this.#writer.run, entry), time };
    }
  }

  #flushed(): Promise<number> {
    const writer = this.#writer;
    if (writer.state.kind === 'failed') return Promise.reject(writer.state.error);
    if (writer.pending.length === 0 && writer.base === null) return Promise.resolve(writer.durable.seq);
    this.#host.commits.soon();
    return new Promise((resolve, reject) => {
      writer.waiting.push({ resolve, reject });
    });
  }

  async #close(rest: Rest | undefined): Promise<void> {
    const { pending, state } = this.#writer;
    const isOfBase = pending.length === 0 && state.kind === 'open';
    const flushed = this.#flushed();
    if (this.#writer.state.kind === 'open') this.#writer.state = { kind: 'closed' };
    const failure = await flushed.then(
      () => null,
      (error: unknown) => error,
    );
    try {
      this.#host.release(this.#writer, failure === null ? rest : undefined);
    } catch (error) {
      throw failure ?? error;
    }
    // That a base was not kept costs time and nothing else.
    if (failure !== null && !isOfBase) throw failure;
  }

  /** J4: a journal that failed repeats its failure on every call. */
  #refuseUnlessOpen(): void {
    const { state, run } = this.#writer;
    if (state.kind === 'failed') throw state.error;
    if (state.kind === 'closed') {
      throw new JournalError(
        'journal_closed',
        `The journal of run ${JSON.stringify(run.name)} is closed. Open it again.`,
      );
    }
  }
}
