/**
 * Group commit: one transaction, and so one sync, for all runs that have something pending. It comes in the next
 * macrotask when a caller waits or much is pending, and a moment later otherwise. A run whose lease is lost is left
 * out; a transaction that fails ends the whole store (J4), because after a failed sync the content of the disk is
 * unknown.
 */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { chained } from '../../chain.ts';
import { JournalError } from '../../journal.ts';
import { guarded } from '../errors.ts';
import type { Leases } from '../lease/lease.ts';
import type { Presence } from '../lease/presence.ts';
import type { Anchor } from './anchor.ts';
import type { Notes } from './notes.ts';
import type { Tables } from './tables.ts';
import type { Head } from './verify.ts';
import { fail, type Writer } from './writer.ts';

/** The limits of rows, bytes and milliseconds after which pending rows are committed without a flush. */
const ROWS = 1_000;
const BYTES = 1024 * 1024;
const DELAY = 50;

export class Commits {
  readonly #db: Database.Database;
  readonly #tables: Tables;
  readonly #leases: Leases;
  readonly #notes: Notes;
  readonly #anchor: Anchor;
  readonly #presence: Presence;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #dirty = new Set<Writer>();
  #soon: NodeJS.Immediate | null = null;
  #later: NodeJS.Timeout | null = null;
  #failure: JournalError | null = null;

  constructor(
    db: Database.Database,
    tables: Tables,
    leases: Leases,
    notes: Notes,
    { anchor, presence }: { readonly anchor: Anchor; readonly presence: Presence },
  ) {
    this.#db = db;
    this.#tables = tables;
    this.#leases = leases;
    this.#notes = notes;
    this.#anchor = anchor;
    this.#presence = presence;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#rollback = db.prepare('ROLLBACK');
  }

  /** The error that ended all commits; null while there is none. */
  get failure(): JournalError | null {
    return this.#failure;
  }

  /** Notes that a writer has something pending. */
  pending(writer: Writer): void {
    this.#dirty.add(writer);
    if (writer.pending.length > ROWS || writer.pendingBytes > BYTES) this.soon();
    else this.#later ??= setTimeout(() => this.#run(), DELAY).unref();
  }

  /** Commits everything that will be pending when the current task is over. */
  soon(): void {
    this.#soon ??= setImmediate(() => this.#run());
  }

  /** Renews the leases of quiet writers, in one transaction. */
  renew(writers: readonly Writer[]): void {
    if (this.#failure === null && writers.length > 0) this.#transact(writers);
  }

  #run(): void {
    if (this.#soon !== null) clearImmediate(this.#soon);
    if (this.#later !== null) clearTimeout(this.#later);
    this.#soon = null;
    this.#later = null;
    const writers = [...this.#dirty].filter(({ state, pending }) => state.kind !== 'failed' && pending.length > 0);
    this.#dirty.clear();
    if (writers.length > 0) this.#transact(writers);
  }

  #transact(writers: readonly Writer[]): void {
    let heads: (Head | null)[];
    try {
      heads = guarded(this.#tables.path, 'write', () => {
        const written = this.#within(() => writers.map((writer) => this.#write(writer)));
        this.#presence.check();
        return written;
      });
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#failure = error;
      for (const writer of writers) fail(writer, error);
      return;
    }
    writers.forEach((writer, index) => {
      const head = heads[index] ?? null;
      if (head === null) fail(writer, lost(writer));
      else if (head !== writer.durable) this.#settle(writer, head);
    });
  }

  #within<T>(work: () => T): T {
    this.#begin.run();
    try {
      const result = work();
      this.#commit.run();
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#rollback.run();
      throw error;
    }
  }

  /** Writes the pending group of a run, if the run is still ours (J1): null where it is not. */
  #write({ run, lease, durable, pending, pendingTime, note, durableNote }: Writer): Head | null {
    if (!this.#leases.keep(run.id, lease)) return null;
    if (pending.length === 0) return durable;
    const hash = chained(durable.hash, lease.token, pendingTime, pending);
    const head = { seq: durable.seq + pending.length, token: lease.token, time: pendingTime, hash };
    this.#tables.addGroup(run, { last: head.seq, token: lease.token, time: pendingTime, hash }, pending);
    if (note !== durableNote) this.#notes.keep(run, head, note);
    return head;
  }

  #settle(writer: Writer, head: Head): void {
    writer.durable = head;
    writer.durableNote = writer.note;
    writer.pending = [];
    writer.pendingBytes = 0;
    this.#anchor.write(writer.run.id, head.seq, head.hash);
    const { waiting } = writer;
    writer.waiting = [];
    for (const { resolve } of waiting) resolve(head.seq);
  }
}

function lost({ run }: Writer): JournalError {
  const what = `Run ${JSON.stringify(run.name)} was taken over by another process. Nothing more of it was written here.`;
  return new JournalError('lease_lost', `${what} Resume it to take it back.`);
}
