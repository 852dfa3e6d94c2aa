/** Random machines under faults, against the same machines without them: nothing is done twice, lost or left over, and nothing hangs. */
import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import type { Tally } from './tally.ts';
import { scenarioText } from './text.ts';

/** A seeded sample of the 4,000 that `npm run prove soak-simulation` runs. */
const RUNS = 750;
/** How often the rules of control have to be needed in 4,000 runs, so that the runs say something about each; fewer of what takes two rare things. */
const OFTEN = 100;
const RARE: Readonly<Record<string, number>> = { redone: 50, accused: 50, diverged: 80, orphans: 60 };
const share = (often: number) => Math.floor((often * RUNS) / 4_000);

function failuresOf(tally: Tally): string[] {
  return tally.failures.map(({ index, result }) => {
    const { verdict, scenario } = result;
    return `run ${index}: ${verdict.is}, ${'text' in verdict ? verdict.text : ''}\n${scenarioText(scenario)}`;
  });
}

for (const byHand of [false, true])
  test(`150 random machines that ask again for acts${byHand ? ', of which a person undoes some by hand,' : ''} end as without faults, or are parked`, async () => {
    const tally = await runCampaign({ runs: 150, seed: 2, from: 0, only: null, repeats: true, byHand });
    expect(failuresOf(tally)).toEqual([]);
    expect(tally.same.length).toBeGreaterThan(60);
  });

test('100 random machines whose units in several regions are one skeleton end as without faults, or are parked', async () => {
  const tally = await runCampaign({ runs: 100, seed: 31, from: 0, only: null, sharing: true });
  expect(failuresOf(tally)).toEqual([]);
  expect(tally.shared).toBeGreaterThan(60);
  expect(tally.same.length).toBeGreaterThan(40);
});

test('750 random machines under faults end as without them, or are parked', async () => {
  const tally = await runCampaign({ runs: RUNS, seed: 20, from: 0, only: null });
  const failed = failuresOf(tally);
  expect(failed.slice(0, 5)).toEqual([]);
  expect(failed).toHaveLength(0);
  expect(tally.same.length).toBeGreaterThan(RUNS / 2);
  for (const count of Object.values(tally.features)) expect(count).toBeGreaterThan(share(OFTEN));
  console.log('how often the rules of control were needed:', tally.counters);
  expect(Object.entries(tally.counters).filter(([name, count]) => count < share(RARE[name] ?? OFTEN))).toEqual([]);
});
