/** A replay over many finished units costs in proportion to their number (semantics.md §10, C5). */
import { expect, test } from 'vitest';
import { LOOP, loopOf } from '../../../bench/loop.ts';
import { memoryStore } from '../../../src/index.ts';
import { until } from '../../poll.ts';
import { begin, reached } from './harness.ts';

/** Replays a loop of finished units, and returns what the replay has appended to the journal. */
async function replayed(units: number): Promise<{ rows: number; bytes: number }> {
  let calls = 0;
  let reads = 0;
  const machine = loopOf(units, {
    read: () => `x${++reads}`,
    pay: (n) => {
      calls += 1;
      return `p${n}`;
    },
  });
  const journal = memoryStore();
  const sidecar = await begin(machine, LOOP, { journal });
  await reached(sidecar, 'rest', 20_000);
  await sidecar.durable();
  const rows = () => [...journal.read('r')];
  const before = rows().length;
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a' } });
  await until(() => reads === 2);
  await reached(sidecar, 'rest', 20_000);
  await sidecar.durable();
  expect(calls).toBe(units);
  const appended = rows().slice(before);
  return { rows: appended.length, bytes: JSON.stringify(appended).length };
}

test('appends four times the rows for four times the units', async () => {
  const [small, large] = [await replayed(100), await replayed(400)];
  expect(small.rows).toBeGreaterThanOrEqual(100);
  expect(large.rows).toBeLessThanOrEqual(4.5 * small.rows);
  expect(large.bytes).toBeLessThanOrEqual(5 * small.bytes);
});
