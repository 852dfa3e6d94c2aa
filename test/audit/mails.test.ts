/** What comes out of work under faults, counted at a mail server: with Belay, with plain retries, and with checkpoints. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Count, countAll, isSafe } from '../../audit/mails/count.ts';
import { faults } from '../../audit/mails/draw.ts';
import type { Mode } from '../../audit/mails/modes.ts';

let counts: readonly Count[] = [];
const of = (mode: Mode) => counts.find((count) => count.mode === mode) as Count;

beforeAll(async () => {
  counts = await countAll({ probabilities: [0.1, 0.3, 0.5], runs: 4, seed: 7, progress: () => {} });
});

describe('24 runs of two file writes and two mails under faults, half of them given up', () => {
  test('leak, double and lose nothing with Belay', () => {
    expect(of('belay')).toMatchObject({
      runs: 24,
      expected: 24,
      delivered: 24,
      unsafeLeaked: 0,
      unsafeDuplicates: 0,
      unsafeLost: 0,
      unsafeFiles: 0,
    });
    expect(isSafe(counts)).toBe(true);
  });

  test('leak and double mails where whatever fails is done again', () => {
    expect(of('retry').unsafeLeaked).toBeGreaterThanOrEqual(24);
    expect(of('retry').unsafeDuplicates).toBeGreaterThan(0);
    expect(of('retry').unsafeFiles).toBeGreaterThan(0);
  });

  test('leak and double even more mails where everything goes back to a checkpoint, which brings back the files alone', () => {
    expect(of('checkpoint').unsafeLeaked).toBeGreaterThanOrEqual(24);
    expect(of('checkpoint').unsafeDuplicates).toBeGreaterThan(of('retry').unsafeDuplicates);
    expect(of('checkpoint').unsafeFiles).toBe(0);
  });
});

test('a leak of Belay is one', () => {
  expect(isSafe([{ ...of('belay'), unsafeLeaked: 1 }])).toBe(false);
  expect(isSafe([{ ...of('belay'), unsafeDuplicates: 1 }])).toBe(false);
  expect(isSafe([{ ...of('belay'), unsafeLost: 1 }])).toBe(false);
});

test('half of the faults come before the effect and half after it, as often as they are said to', () => {
  const fault = faults('a seed', 0.3);
  const drawn = Array.from({ length: 10_000 }, fault);
  const share = (what: string | null) => drawn.filter((each) => each === what).length / drawn.length;
  expect(share('before')).toBeCloseTo(0.15, 1);
  expect(share('after')).toBeCloseTo(0.15, 1);
  expect(Array.from({ length: 50 }, faults('a seed', 0.3))).toEqual(drawn.slice(0, 50));
});
