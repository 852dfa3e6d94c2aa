/** A fixed share of runs to which everything comes at once (`enumerate.ts --family crossed` plays the rest). */
import { expect, test } from 'vitest';
import { type Crossed, cross } from './crossed.ts';
import { crossedScenarios, WIDER, widerScenarios } from './draw.ts';

/** The scenarios of a seed with some numbers. */
function* numbered(
  seed: number,
  numbers: readonly number[],
  all: Iterable<Crossed> = crossedScenarios(seed),
): Generator<Crossed> {
  let nth = -1;
  for (const scenario of all) {
    nth += 1;
    if (numbers.includes(nth)) yield scenario;
    if (nth >= Math.max(...numbers)) return;
  }
}

/** Plays scenarios, some at a time: they wait more than they work. */
async function verdicts(scenarios: Iterator<Crossed>): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const lane = async () => {
    for (let next = scenarios.next(); next.done !== true; next = scenarios.next()) {
      const { verdict, why, log } = await cross(next.value);
      const told = () => `${verdict}: ${why} in ${JSON.stringify(next.value)}: ${log.join(', ')}`;
      expect(verdict.startsWith('unsafe'), told()).toBe(false);
      counts[verdict] = (counts[verdict] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, lane));
  return counts;
}

const upTo = (length: number) => Array.from({ length }, (_, nth) => nth);

test('acts, complaints, pauses, deaths and another release at any moment', async () => {
  const counts = await verdicts(numbered(3, upTo(40)));
  expect(counts.ok).toBeGreaterThan(8);
  expect(counts.refused).toBeGreaterThan(8);
});

test('ST3: a process that dies before an event is heard in its place: the next one hears it there, as from outside', async () => {
  // Each was wrong, or stood still for ever, before a machine was listened to from its start on.
  const counts = await verdicts([...numbered(1, [4]), ...numbered(11, [204, 403, 430])].values());
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(4);
});

test('R7: what a call reads that the next process asks anew goes back with what it has read', async () => {
  // Each ended with the answer to an earlier version: the call was begun before the words came, and asked behind them.
  const counts = await verdicts([...numbered(22, [619, 1_338]), ...numbered(21, [1_088])].values());
  expect(counts).toEqual({ ok: 3 });
});

test('LC1: an event that was held is not handed on beside the decision about the end', async () => {
  // The process never came back: it was held and handed on without end, and each time was journaled.
  expect(await verdicts(numbered(31, [4_981]))).toEqual({ ok: 1 });
});

test('ends by a person, acts that are made once, discards, gates, early events and rounds beside all of that', async () => {
  const counts = await verdicts(numbered(2, upTo(30), widerScenarios(2, Object.keys(WIDER))));
  expect(counts.ok).toBeGreaterThan(2);
  expect((counts.cancelled ?? 0) + (counts.compensated ?? 0)).toBeGreaterThan(2);
});
