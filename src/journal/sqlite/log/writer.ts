/**
 * The store's state of a run that is open for writing: its lease, its head, the pending rows, and the callers that wait
 * for them. `Journal` fills it and the group commit empties it.
 */

import type { ActChange } from '../../acts.ts';
import type { Entry } from '../../chain.ts';
import type { Base, JournalError } from '../../journal.ts';
import type { PoolChange } from '../../pools.ts';
import type { Lease } from '../lease/lease.ts';
import type { Run } from './run.ts';
import type { Head } from './verify.ts';

interface Waiter {
  readonly resolve: (durable: number) => void;
  readonly reject: (error: JournalError) => void;
}

/** An open run. */
export interface Writer {
  readonly run: Run;
  readonly lease: Lease;
  /** The version of the leases under which its own was seen last. */
  seen: number;
  /** @see Journal.overtaken */
  readonly overtaken: number;
  /** The last group that is durable. */
  durable: Head;
  /** Rows that are not durable yet: the next group. */
  pending: Entry[];
  pendingBytes: number;
  /** Changes to acts by those rows. */
  acts: ActChange[];
  /** Changes to pools by those rows. */
  pools: PoolChange[];
  /** The note of the last append; null where it had none. */
  note: string | null;
  /** The note that is durable; undefined until this writer's first group. */
  durableNote: string | null | undefined;
  /** The base that waits for a commit. */
  base: Base | null;
  /** The time of the next group: the clock of its first row, but never before the group that is durable. */
  pendingTime: number;
  waiting: Waiter[];
  state:
    | { readonly kind: 'open' }
    | { readonly kind: 'closed' }
    | { readonly kind: 'failed'; readonly error: JournalError };
}

/** Ends a writer (J4): drops the pending rows and tells every waiting caller why. */
export function fail(writer: Writer, error: JournalError): void {
  if (writer.state.kind === 'failed') return;
  writer.state = { kind: 'failed', error };
  writer.pending = [];
  const { waiting } = writer;
  writer.waiting = [];
  for (const { reject } of waiting) reject(error);
}
