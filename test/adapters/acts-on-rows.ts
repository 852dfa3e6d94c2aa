/** Acts on the ledger that may be asked for again, always under the same keys. */
import type { RowAdapter } from '../../src/adapters/rows/adapter.ts';
import { callOf, undoOf } from './calls.ts';
import { cents } from './ledger.ts';

const WRITES = [cents('ada', 70), cents('bank', -70), cents('ada', 60), cents('bank', -60)];
const calls = WRITES.map((args, n) => ({ key: `k${n}`, tool: 'write', args, staged: null }));

export const ACTS = {
  write: (rows: RowAdapter) => rows.write(callOf(cents('ada', 1), 'w')),
  insert: (rows: RowAdapter) =>
    rows.write(callOf({ table: 'account', key: { id: 'ben' }, set: { owner: 'Ben', cents: 0 } }, 'i')),
  undo: (rows: RowAdapter) => rows.inverse.undo(undoOf('w')),
  async stage(rows: RowAdapter) {
    for (const { args, key } of calls) await rows.stage(callOf(args, key));
  },
  publish: (rows: RowAdapter) =>
    rows.buffer.publish(calls, { id: 'c', run: 'r', instance: 'Pay::ada::0', boundary: 'paid' }),
  discard: (rows: RowAdapter) => rows.buffer.discard(calls),
};

export type Act = keyof typeof ACTS;
