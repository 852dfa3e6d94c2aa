/** PE1 to PE7 in a machine that pays once a person approves: what is said at the gate, lost replies, refusals, complaints, aborts and deaths. The judge is the world. */
import { describe, expect, test } from 'vitest';
import { cases, deaths } from './handed.ts';
import { type Case, faults, play } from './handing.ts';

function* every(nth: number, from: number, all: Iterable<Case>): Generator<Case> {
  let count = 0;
  for (const one of all) {
    if (count % nth === from) yield one;
    count += 1;
  }
}

async function wrong(all: Iterable<Case>): Promise<{ readonly found: unknown[]; readonly died: number }> {
  const found: unknown[] = [];
  let died = 0;
  for (const one of all) {
    const course = await play(one);
    const faulty = faults(course, one);
    if (course.processes > 0) died += 1;
    if (faulty.length > 0) found.push([one, faulty]);
  }
  return { found, died };
}

describe('what people do at a gate', () => {
  test('PE1, PE2, PE3, PE5, PE6: every 23rd case in which no process dies', async () => {
    expect((await wrong(every(23, 4, cases()))).found).toEqual([]);
  });

  test('PE1, PE2, PE3, PE5, PE6: a process that dies at its appends', async () => {
    const { found, died } = await wrong(every(601, 11, deaths(30)));
    expect(found).toEqual([]);
    expect(died).toBeGreaterThan(80);
  });
});
