/**
 * The store's state of a run that is open for writing: its fence, its head, the group that is on its way, the rows that
 * wait, and the callers that wait for them.
 */
import type { ActChange } from '../acts.ts';
import { chained, type Entry } from '../chain.ts';
import type { Base, JournalError, Posted } from '../journal.ts';
import type { PoolChange } from '../pools.ts';
import type { Head, Run } from './tables.ts';

/** A row that waits; `ends` where it is the last of its append. */
interface Pending extends Entry {
  readonly ends: boolean;
  /** The note of its append. */
  readonly note: string | null;
  /** Its changes to acts, and to pools. */
  readonly acts: readonly ActChange[];
  readonly pools: readonly PoolChange[];
}

/** A commit group that is on its way, and the end of the run after it. */
export interface Flying {
  readonly head: Head;
  readonly entries: readonly Entry[];
  /** The note that comes with it, and what it does to acts and pools. */
  readonly note: string | null;
  readonly acts: readonly ActChange[];
  readonly pools: readonly PoolChange[];
}

/** A group that was durable, and the end of the run before it. */
export interface Landed extends Flying {
  readonly before: Head;
}

interface Waiter {
  readonly seq: number;
  readonly resolve: (durable: number) => void;
  readonly reject: (error: JournalError) => void;
}

/** An open run. */
export interface Writer {
  readonly run: Run;
  readonly token: number;
  readonly nonce: string;
  /** @see Journal.overtaken */
  readonly overtaken: number;
  /** The end of what is durable. */
  durable: Head;
  flying: Flying | null;
  /** The newest groups that were durable, in order: a server that lost them in a failover is given them again. */
  landed: Landed[];
  landedBytes: number;
  pending: Pending[];
  pendingBytes: number;
  /** The time of the next group: the clock of its first row, but never before the group before it. */
  pendingTime: number;
  /** The note that is durable; undefined until this writer's first group. */
  durableNote: string | null | undefined;
  waiting: Waiter[];
  /** The base that waits until its rows are durable. */
  base: Base | null;
  /** The messages that have been heard of. */
  posts: Posted[];
  state:
    | { readonly kind: 'open' }
    | { readonly kind: 'closed' }
    | { readonly kind: 'failed'; readonly error: JournalError };
}

/** A run that was taken at its end. */
export function writerOf(fence: Pick<Writer, 'run' | 'token' | 'nonce' | 'overtaken'>, durable: Head): Writer {
  const nothing = { pending: [], pendingBytes: 0, pendingTime: 0, landed: [], landedBytes: 0, waiting: [], posts: [] };
  return { ...fence, ...nothing, durable, durableNote: undefined, base: null, flying: null, state: { kind: 'open' } };
}

/** The limits of what is kept of the groups that were durable. */
const KEPT_GROUPS = 1_000;
const KEPT_BYTES = 4 * 1024 * 1024;

/** The limit of bytes of one group: appends beyond it wait for the next one. */
const BYTES = 64 * 1024 * 1024;

/** Puts the next group of a writer on its way: whole appends, at least one. */
export function launch(writer: Writer): Flying {
  let bytes = 0;
  let count = 0;
  for (const [index, { body, ends }] of writer.pending.entries()) {
    bytes += body.length;
    if (count > 0 && bytes > BYTES) break;
    if (ends) count = index + 1;
  }
  const entries = writer.pending.slice(0, count);
  writer.pending = writer.pending.slice(count);
  writer.pendingBytes = writer.pending.reduce((sum, { body }) => sum + body.length, 0);
  const { token, pendingTime: time, durable } = writer;
  const hash = chained(durable.hash, token, time, entries);
  const note = entries.at(-1)?.note ?? null;
  const acts = entries.flatMap(({ acts: changes }) => changes);
  const pools = entries.flatMap(({ pools: changes }) => changes);
  writer.flying = { head: { seq: durable.seq + entries.length, time, hash }, entries, note, acts, pools };
  return writer.flying;
}

/** Takes note that the group on its way is durable. */
export function land(writer: Writer): void {
  if (writer.flying === null) return;
  keep(writer, { ...writer.flying, before: writer.durable });
  writer.durable = writer.flying.head;
  writer.durableNote = writer.flying.note;
  writer.flying = null;
  const { seq } = writer.durable;
  const { waiting } = writer;
  writer.waiting = waiting.filter((each) => each.seq > seq);
  for (const each of waiting) if (each.seq <= seq) each.resolve(seq);
}

function keep(writer: Writer, group: Landed): void {
  writer.landed.push(group);
  writer.landedBytes += sizeOf(group);
  while (writer.landed.length > KEPT_GROUPS || (writer.landedBytes > KEPT_BYTES && writer.landed.length > 1))
    writer.landedBytes -= sizeOf(writer.landed.shift() as Landed);
}

function sizeOf({ entries }: Landed): number {
  return entries.reduce((sum, { body }) => sum + body.length, 0);
}

/** Ends a writer (J4): drops what waits and tells every waiting caller why. */
export function fail(writer: Writer, error: JournalError): void {
  if (writer.state.kind === 'failed') return;
  writer.state = { kind: 'failed', error };
  writer.flying = null;
  writer.pending = [];
  writer.landed = [];
  const { waiting } = writer;
  writer.waiting = [];
  for (const { reject } of waiting) reject(error);
}

/** The seq of the last row, durable or not. */
export function headOf({ durable, flying, pending }: Writer): number {
  return (flying?.head ?? durable).seq + pending.length;
}
