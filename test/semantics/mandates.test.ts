/** MD1 to MD5 in a machine that pays and tells: mandates that are given and withdrawn at every moment, lost replies, complaints, pauses, aborts and deaths. The judge is the world. */
import { describe, expect, test } from 'vitest';
import { cases, deaths } from './mandate-cases.ts';
import { type Case, faults, play } from './mandated.ts';

function* every(nth: number, from: number, all: Iterable<Case>): Generator<Case> {
  let count = 0;
  for (const one of all) {
    if (count % nth === from) yield one;
    count += 1;
  }
}

async function wrong(all: Iterable<Case>) {
  const found: unknown[] = [];
  let [died, waited] = [0, 0];
  for (const one of all) {
    const course = await play(one);
    const faulty = faults(course, one);
    if (course.processes > 0) died += 1;
    if (course.entries.some((entry) => entry.do === 'mandate' && entry.is === 'wanted')) waited += 1;
    if (faulty.length > 0) found.push([one, faulty]);
  }
  return { found, died, waited };
}

describe('a run under a mandate', () => {
  test('MD2, MD3, MD4, MD5: every 97th case in which no process dies', async () => {
    const { found, waited } = await wrong(every(97, 5, cases()));
    expect(found).toEqual([]);
    expect(waited).toBeGreaterThan(100);
  });

  test('MD2, MD3, MD4, MD5: a process that dies at its appends', async () => {
    const { found, died } = await wrong(every(5003, 11, deaths()));
    expect(found).toEqual([]);
    expect(died).toBeGreaterThan(80);
  });
});
