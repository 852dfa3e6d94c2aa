/** A turn that only reads leaves a row of 100 bytes at most, no base and no checkpoint, and nothing that a decision would see. */
import { expect, test } from 'vitest';
import { turnsOf } from '../../bench/selectivity.ts';

test('750 of 1,000 turns read: one short row each, and the same answers as without them', async () => {
  const all = await turnsOf(1_000, { reads: 3, of: 4 });
  const without = await turnsOf(250, { reads: 0, of: 1 });
  expect(without.rows).toBeGreaterThan(249);
  expect(all.rows - without.rows).toBeLessThanOrEqual(750);
  expect(all.bytes - without.bytes).toBeLessThanOrEqual(750 * 100);
  expect([all.bases, all.checkpoints]).toEqual([without.bases, without.checkpoints]);
  // Each second change comes to the boundary, and the run begins at one.
  expect(without.checkpoints).toBe(126);
  expect(all.decisions).toEqual(without.decisions);
  expect(all.decisions.map((text) => JSON.parse(text).verdict)).toEqual(['restore', 'restore']);
});
