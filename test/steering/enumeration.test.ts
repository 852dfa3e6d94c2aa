/**
 * ST3, ST4, ST5, ST7: a fixed share of the enumeration of acts on events over little programs (`enumerate.ts` plays the rest): whatever the classes of the
 * calls, the order of the answers and the moment of the act are, a run ends or waits as plain xstate may in which the event said so from the beginning.
 */
import { expect, test } from 'vitest';
import { drawnScenarios } from './draw.ts';
import { FAMILIES, scenariosOf } from './family.ts';
import { play, type Scenario } from './scenario.ts';

/** Plays scenarios. @returns the number of each verdict; fails at the first that is wrong. */
async function verdicts(scenarios: Iterable<Scenario>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const scenario of scenarios) {
    const { verdict, why } = await play(scenario);
    expect(verdict.startsWith('unsafe'), `${verdict}: ${why} in ${JSON.stringify(scenario)}`).toBe(false);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

function* some<T>(all: Iterable<T>, every: number, most: number): Generator<T> {
  let [nth, left] = [0, most];
  for (const one of all) {
    if (left === 0) return;
    if (nth++ % every !== 0) continue;
    left -= 1;
    yield one;
  }
}

test.each([
  ['seq', 17],
  ['par', 61],
  ['handlers', 11],
])(
  'programs of the family %s',
  async (family, every) => {
    const programs = [...(FAMILIES[family] as () => Generator<never>)()];
    const counts = await verdicts(
      some(
        programs.flatMap((one) => [...scenariosOf(one)]),
        every,
        90,
      ),
    );
    expect(counts.ok).toBeGreaterThan(15);
    expect(counts.refused).toBeGreaterThan(2);
  },
  120_000,
);

test('drawn programs of up to three regions', async () => {
  const counts = await verdicts(some(drawnScenarios(7), 1, 120));
  expect(counts.ok).toBeGreaterThan(15);
}, 120_000);
