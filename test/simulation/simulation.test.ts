/** Random machines under faults, against the same machines without them: nothing is done twice, lost or left over, and nothing hangs. */
import { expect, test } from 'vitest';
import type { Counter } from '../control-counters.ts';
import { runCampaign } from './campaign.ts';
import { scenarioText } from './text.ts';

/** What 2,000 runs need less than 100 times: of these rules the simulation says little, and the enumeration has to. */
const RARE: ReadonlySet<string> = new Set<Counter>([
  'aside',
  'claimed',
  'redone',
  'accused',
  'diverged',
  'unclaimed',
  'orphans',
  'owed',
]);

test('2,000 random machines under faults end as without them, or are parked', { timeout: 120_000 }, async () => {
  const tally = await runCampaign({ runs: 2000, seed: 20, from: 0, only: null });
  const failed = tally.failures.map(({ index, result }) => {
    const { verdict, scenario } = result;
    return `run ${index}: ${verdict.is}, ${'text' in verdict ? verdict.text : ''}\n${scenarioText(scenario)}`;
  });
  expect(failed.slice(0, 5)).toEqual([]);
  expect(failed).toHaveLength(0);
  expect(tally.same.length).toBeGreaterThan(1000);
  for (const count of Object.values(tally.features)) expect(count).toBeGreaterThan(100);
  console.log('how often the rules of control were needed:', tally.counters);
  const rare = Object.entries(tally.counters).filter(([, count]) => count < 100);
  expect(rare.map(([name]) => name).filter((name) => !RARE.has(name))).toEqual([]);
});
