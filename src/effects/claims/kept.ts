/** Claims over their keeper: this process alone, or a store. */

import { ClaimBoard, changesNothing, reclaimed } from '../../journal/claim-board.ts';
import { type ClaimAnswer, type ClaimCall, Freed } from '../../journal/claims.ts';
import type { JournalStore } from '../../journal/journal.ts';
import { NUMBER, OBJECT, optional, refuseOther, shape } from '../../model/argument.ts';
import type { PassedOn } from '../../model/passed-on.ts';
import type { Claims, StoreClaims } from './claims.ts';
import { type Desk, WaitingClaims } from './waiting.ts';

/** Settings of a wait. */
export interface ClaimsOptions {
  /** The longest wait of a call before it is refused, in milliseconds; left out, as long as it takes. */
  readonly patience?: number;
}

/**
 * Claims for the runs of one process.
 * @param options `patience`: how long a call waits before it is refused, in milliseconds; left out, as long as it
 * takes.
 * @example
 * import { claimsInMemory } from 'belay-sidecar';
 * import type { SidecarOptions } from 'belay-sidecar/xstate';
 *
 * const claims = claimsInMemory({ patience: 10_000 });
 * const shared: Pick<SidecarOptions, 'claims'> = { claims }; // to attach() each of the runs with
 * assert.equal(shared.claims, claims);
 */
export function claimsInMemory(options: ClaimsOptions = {}): Claims {
  refuseOther('claimsInMemory', { options: [options, OPTIONS] });
  const { patience = Number.POSITIVE_INFINITY } = options;
  return new WaitingClaims(new MemoryDesk(), patience, null);
}

/**
 * Claims that are kept in a store, for its runs in any number of processes. They outlive the process of a run, and go
 * to the process that takes the run up. Only runs that are open in this very store object may take claims.
 * @param options `patience`, as for {@link claimsInMemory}; `pollMs`: the time between two looks of calls that wait, in
 * milliseconds.
 * @example
 * import { claimsIn, memoryStore } from 'belay-sidecar';
 * import type { SidecarOptions } from 'belay-sidecar/xstate';
 *
 * const journal = memoryStore(); // or sqliteStore(), or postgresStore()
 * const shared: Pick<SidecarOptions, 'claims' | 'journal'> = { journal, claims: claimsIn(journal) };
 * assert.deepEqual(await shared.journal?.claims.list(), { held: [], waiting: [], freed: [] });
 */
export function claimsIn(store: Pick<JournalStore, 'claims'>, options: StoreClaimsOptions = {}): StoreClaims {
  refuseOther('claimsIn', { store: [store, STORE], options: [options, STORE_OPTIONS] });
  const { patience = Number.POSITIVE_INFINITY, pollMs } = options;
  return new WaitingClaims(store.claims, patience, pollMs ?? store.claims.pollMs);
}

interface StoreClaimsOptions extends ClaimsOptions {
  readonly pollMs?: number;
}

const OPTIONS = shape<ClaimsOptions>('an object', { patience: optional(NUMBER) });
const STORE_OPTIONS = shape<StoreClaimsOptions>('an object', { patience: optional(NUMBER), pollMs: optional(NUMBER) });
const STORE = shape<Pick<JournalStore, 'claims'>>('a store, such as memoryStore() makes', { claims: OBJECT });

/** The claims of one process, for as long as it lives. */
class MemoryDesk implements Desk {
  readonly #board = new ClaimBoard();
  readonly #freed = new Freed();

  ask(calls: readonly ClaimCall[]): readonly ClaimAnswer[] {
    const settled = this.#board.settle(calls, () => true);
    // A grant or a new place in line may close a circle of waiting, and a call that is gone makes room.
    if (!changesNothing(settled)) this.#freed.tell();
    return settled.answers;
  }

  leave(calls: readonly ClaimCall[]): void {
    for (const { id } of calls) this.#board.leave(id);
    this.#freed.tell();
  }

  release(run: string): void {
    this.#board.release(run);
    this.#freed.tell();
  }

  letGo(run: string, keys: readonly string[]): void {
    this.#board.mark(run, this.#board.mayLetGo(run, keys), true);
    this.#freed.tell();
  }

  takeBack(run: string): readonly PassedOn[] {
    return reclaimed(this.#board, run);
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }
}
