/** The five agents of this repository are rehearsed, a sample of their runs each: none does harm, and each that parks says why. */
import { describe, expect, test } from 'vitest';
import { belay } from './belay.ts';

/** The runs of each agent; one of them starts a mail server for each run. */
const SAMPLES = {
  navigation: 24,
  'schedule-form': 8,
  diagnosis: 24,
  'etl-pipeline': 24,
  'travel-planning': 24,
} as const;

describe('no harm under faults', () => {
  test.each(Object.entries(SAMPLES))('%s', async (agent, sample) => {
    const { code, out, err } = await belay(['rehearse', agent, '--sample', String(sample), '--seed', '17', '--json']);
    expect([code, err]).toEqual([0, '']);
    const { cells, totals } = JSON.parse(out) as {
      cells: { verdict: { is: string; reasons?: string[]; unblock?: string[] } }[];
      totals: Record<string, number>;
    };
    expect(cells).toHaveLength(sample);
    expect(totals.harm).toBe(0);
    expect(totals.same).toBeGreaterThan(0);
    for (const { verdict } of cells) {
      if (verdict.is !== 'parked') continue;
      expect(verdict.reasons).not.toEqual([]);
      expect(verdict.unblock).not.toEqual([]);
    }
  });
});
