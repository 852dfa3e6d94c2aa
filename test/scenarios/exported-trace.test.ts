import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Shop } from './model-based-driver.ts';
import { BEGUN, told } from './model-based-told.ts';
import { comparedNone, compareWithTrace } from './model-based-trace.ts';
import { workshopConfig } from './model-based-workshop.ts';

const RUNS = { numRuns: Number(process.env.BELAY_RUNS ?? 60) };

test('every decision of a run is the one that its exported trace is answered with', async () => {
  const compared = comparedNone();
  const runs = fc.record({ tolds: fc.array(told, { minLength: 8, maxLength: 30, size: 'max' }), joint: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(runs, async ({ tolds, joint }) => {
      const shop = new Shop(workshopConfig(40, joint ? ['R0', 'R1'] : []));
      await shop.open();
      for (const each of [...BEGUN, ...tolds]) {
        await shop.tell(each);
        await shop.unblock();
      }
      compareWithTrace(shop.disk.rows, shop.config, compared);
      await shop.sidecar?.close();
    }),
    RUNS,
  );
  // A property that compared nothing would hold as well.
  expect(compared.exactly).toBeGreaterThan(RUNS.numRuns);
  expect(compared.pieces).toBeGreaterThan(compared.exactly);
  expect(compared.lines).toBeGreaterThan(RUNS.numRuns / 4);
  expect(compared.refusals).toBeGreaterThan(RUNS.numRuns / 20);
  expect(compared.later).toBeGreaterThan(RUNS.numRuns / 2);
  expect(compared.levels[1]).toBeGreaterThan(0);
});
