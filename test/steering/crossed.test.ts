/** A fixed share of runs to which everything comes at once (`enumerate.ts --family crossed` plays the rest). */
import { expect, test } from 'vitest';
import { type Crossed, cross } from './crossed.ts';
import { crossedScenarios } from './draw.ts';

/** The scenarios of a seed with some numbers. */
function* numbered(seed: number, numbers: readonly number[]): Generator<Crossed> {
  let nth = -1;
  for (const scenario of crossedScenarios(seed)) {
    nth += 1;
    if (numbers.includes(nth)) yield scenario;
    if (nth >= Math.max(...numbers)) return;
  }
}

async function verdicts(scenarios: Iterable<Crossed>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const scenario of scenarios) {
    const { verdict, why, log } = await cross(scenario);
    const told = () => `${verdict}: ${why} in ${JSON.stringify(scenario)}: ${log.join(', ')}`;
    expect(verdict.startsWith('unsafe'), told()).toBe(false);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

test('acts, complaints, pauses, deaths and another release at any moment', async () => {
  const counts = await verdicts(
    numbered(
      3,
      Array.from({ length: 60 }, (_, nth) => nth),
    ),
  );
  expect(counts.ok).toBeGreaterThan(8);
  expect(counts.refused).toBeGreaterThan(8);
});

test('ST3: a process that dies before an event is heard in its place: the next one hears it there, as from outside', async () => {
  // Each was wrong, or stood still for ever, before a machine was listened to from its start on.
  const counts = await verdicts([...numbered(1, [4]), ...numbered(11, [204, 403, 430])]);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(4);
});

test('R7: what a call reads that the next process asks anew goes back with what it has read', async () => {
  // Each ended with the answer to an earlier version: the call was begun before the words came, and asked behind them.
  const counts = await verdicts([...numbered(22, [619, 1_338]), ...numbered(21, [1_088])]);
  expect(counts).toEqual({ ok: 3 });
});
