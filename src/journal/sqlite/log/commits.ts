/**
 * Group commit: one row of the log, and so one sync, for all runs that have something pending. It comes in the next
 * macrotask when a caller waits or much is pending, and a moment later otherwise. While no other process has written, one statement does it, and
 * the number of its row is the fence; else the leases are looked at first, in the same transaction. A run whose lease is lost is left
 * out; a transaction that fails ends the whole store (J4), because after a failed sync the content of the disk is
 * unknown.
 */
import type Database from 'better-sqlite3';
import { type Alarm, PROCESS } from '../../../clock/clock.ts';
import { chained, type Entry } from '../../chain.ts';
import { JournalError } from '../../journal.ts';
import type { SqliteActs } from '../acts.ts';
import { guarded } from '../errors.ts';
import { immediately } from '../file/transaction.ts';
import type { Leases } from '../lease/lease.ts';
import type { Presence } from '../lease/presence.ts';
import type { SqlitePools } from '../pools.ts';
import type { Anchor } from './anchor.ts';
import type { Bases } from './bases.ts';
import type { NewGroup } from './form.ts';
import type { Notes } from './notes.ts';
import type { Tables } from './tables.ts';
import type { Head } from './verify.ts';
import { fail, type Writer } from './writer.ts';

/** The limits of rows, bytes and milliseconds after which pending rows are committed without a flush. */
const ROWS = 1_000;
const BYTES = 1024 * 1024;
const DELAY = 50;
/** The most bytes that go into one row of the log: SQLite takes no value above 1,000,000,000. */
const ROOM = 256 * 1024 * 1024;

export class Commits {
  readonly #db: Database.Database;
  readonly #tables: Tables;
  readonly #leases: Leases;
  readonly #notes: Notes;
  readonly #bases: Bases;
  readonly #acts: SqliteActs;
  readonly #pools: SqlitePools;
  readonly #anchor: Anchor;
  readonly #presence: Presence;
  readonly #dirty = new Set<Writer>();
  #soon: NodeJS.Immediate | null = null;
  #later: Alarm | null = null;
  #failure: JournalError | null = null;

  constructor(
    db: Database.Database,
    tables: Tables,
    leases: Leases,
    {
      notes,
      bases,
      acts,
      pools,
    }: { readonly notes: Notes; readonly bases: Bases; readonly acts: SqliteActs; readonly pools: SqlitePools },
    { anchor, presence }: { readonly anchor: Anchor; readonly presence: Presence },
  ) {
    this.#db = db;
    this.#tables = tables;
    this.#leases = leases;
    this.#notes = notes;
    this.#bases = bases;
    this.#acts = acts;
    this.#pools = pools;
    this.#anchor = anchor;
    this.#presence = presence;
  }

  /** The error that ended all commits; null while there is none. */
  get failure(): JournalError | null {
    return this.#failure;
  }

  /** Notes that a writer has something pending. */
  pending(writer: Writer): void {
    this.#dirty.add(writer);
    if (writer.pending.length > ROWS || writer.pendingBytes > BYTES) this.soon();
    else this.#later ??= PROCESS.after(DELAY, () => this.#run(), false);
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
    this.#later?.cancel();
    this.#soon = null;
    this.#later = null;
    const isLeft = ({ pending, base }: Writer) => pending.length > 0 || base !== null;
    const writers = [...this.#dirty].filter((writer) => writer.state.kind !== 'failed' && isLeft(writer));
    this.#dirty.clear();
    if (writers.length > 0) this.#transact(writers);
  }

  #transact(writers: readonly Writer[]): void {
    let heads: (Head | null)[];
    let isBeside = false;
    try {
      heads = guarded(this.#tables.path, 'write', () => {
        const atOnce = this.#writtenAtOnce(writers);
        isBeside = atOnce === null;
        const written = atOnce ?? immediately(this.#db, () => this.#written(writers));
        this.#presence.check();
        return written;
      });
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#failure = error;
      for (const writer of writers) fail(writer, error);
      return;
    }
    if (heads.some((head, index) => head !== null && head !== writers[index]?.durable))
      this.#anchor.advance(this.#tables.log.end, isBeside);
    writers.forEach((writer, index) => {
      const head = heads[index] ?? null;
      if (head === null) fail(writer, lost(writer));
      // Who has a base alone waits without new rows.
      else if (head !== writer.durable || writer.waiting.length > 0) this.#settle(writer, head);
    });
  }

  /** The heads after a commit of one statement; null where it takes more: a lease to look at or to renew, a note, much at once. */
  #writtenAtOnce(writers: readonly Writer[]): Head[] | null {
    const version = this.#leases.version();
    const isPlain = (writer: Writer) =>
      writer.seen === version &&
      writer.pending.length > 0 &&
      writer.note === writer.durableNote &&
      writer.base === null &&
      writer.acts.length === 0 &&
      writer.pools.length === 0 &&
      !this.#leases.isDue(writer.lease);
    if (!writers.every(isPlain) || bytesOf(writers) > ROOM) return null;
    const groups = writers.map((writer) => groupOf(writer, writer.durable, writer.pending));
    const row = this.#tables.log.addAtOnce(groups);
    return row === null ? null : groups.map((group) => headOf(group, row));
  }

  /** Writes the pending groups of the runs that are still ours (J1), in a transaction: null for those that are not. */
  #written(writers: readonly Writer[]): (Head | null)[] {
    const version = this.#leases.version();
    const heads = new Map<Writer, Head>();
    for (const writer of writers) {
      if (!this.#leases.keep(writer.run.id, writer.lease)) continue;
      writer.seen = version;
      heads.set(writer, writer.durable);
    }
    const full = [...heads.keys()].filter(({ pending }) => pending.length > 0);
    if (bytesOf(full) > ROOM) for (const writer of full) heads.set(writer, this.#writtenInParts(writer));
    else if (full.length > 0) {
      const groups = full.map((writer) => groupOf(writer, writer.durable, writer.pending));
      const row = this.#tables.log.add(groups);
      full.forEach((writer, index) => {
        heads.set(writer, headOf(groups[index] as NewGroup, row));
      });
    }
    for (const writer of full)
      if (writer.note !== writer.durableNote) this.#notes.keep(writer.run, heads.get(writer) as Head, writer.note);
    for (const { run, acts, pools } of full) {
      if (acts.length > 0) this.#acts.change(run.name, acts);
      if (pools.length > 0) this.#pools.change(run.name, pools);
    }
    for (const [writer, head] of heads) {
      if (writer.base !== null) this.#bases.keep(writer.run, head, writer.base);
      writer.base = null;
    }
    return writers.map((writer) => heads.get(writer) ?? null);
  }

  /** Writes what one row of the log has no room for. */
  #writtenInParts(writer: Writer): Head {
    let head = writer.durable;
    for (const part of parts(writer.pending)) {
      const group = groupOf(writer, head, part);
      head = headOf(group, this.#tables.log.add([group]));
    }
    return head;
  }

  #settle(writer: Writer, head: Head): void {
    writer.durable = head;
    writer.durableNote = writer.note;
    writer.pending = [];
    writer.pendingBytes = 0;
    writer.acts = [];
    writer.pools = [];
    const { waiting } = writer;
    writer.waiting = [];
    for (const { resolve } of waiting) resolve(head.seq);
  }
}

function groupOf({ run, lease, pendingTime: time }: Writer, before: Head, entries: readonly Entry[]): NewGroup {
  const hash = chained(before.hash, lease.token, time, entries);
  const last = before.seq + entries.length;
  return { run: run.id, before: before.row, last, token: lease.token, time, hash, entries };
}

function headOf({ last, token, time, hash }: NewGroup, row: number): Head {
  return { seq: last, token, time, hash, row };
}

function bytesOf(writers: readonly Writer[]): number {
  return writers.reduce((sum, { pendingBytes }) => sum + pendingBytes, 0);
}

function parts(entries: readonly Entry[]): Entry[][] {
  const all: Entry[][] = [];
  let room = 0;
  for (const entry of entries) {
    room -= entry.body.length;
    if (all.length === 0 || room < 0) {
      all.push([]);
      room = ROOM - entry.body.length;
    }
    all.at(-1)?.push(entry);
  }
  return all;
}

function lost({ run }: Writer): JournalError {
  const what = `Run ${JSON.stringify(run.name)} was taken over by another process. Nothing more of it was written here.`;
  return new JournalError('lease_lost', `${what} Resume it to take it back.`);
}
