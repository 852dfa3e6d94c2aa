/** Gathers the rows of any store for a fold: a fold is pure, and waits for nothing. */
import { kind, refuseOther } from '../model/argument.ts';
import type { Rows, StoredRow } from './journal.ts';

/**
 * Rows that can be gone through at once, for the reports and whatever else folds them: those of a store that answers later are waited for.
 * @example
 * import { accountOf, gathered, memoryStore } from 'belay-sidecar';
 *
 * const store = memoryStore();
 * await (await store.open('order-1', 'create')).close();
 * assert.equal(accountOf(await gathered(store.read('order-1'))).agent, null);
 */
export async function gathered(rows: Rows): Promise<Iterable<StoredRow>> {
  refuseOther('gathered', { rows: [rows, ROWS_OF_ANY_STORE] });
  if (Symbol.iterator in rows) return rows;
  const all: StoredRow[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const ROWS_OF_ANY_STORE = kind(
  'the rows of a run, as store.read() gives them',
  (rows) => typeof rows === 'object' && rows !== null && (Symbol.iterator in rows || Symbol.asyncIterator in rows),
);
