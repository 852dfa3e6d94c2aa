/** JU1 to JU5 in a machine that writes, mails and tells: verdicts, people, complaints, pauses, ends and deaths. The judge is the world. */
import { describe, expect, test } from 'vitest';
import { type Case, faults, play } from './judged.ts';
import { cases, deaths } from './judged-cases.ts';

function* every(nth: number, from: number, all: Iterable<Case>): Generator<Case> {
  let count = 0;
  for (const one of all) {
    if (count % nth === from) yield one;
    count += 1;
  }
}

async function wrong(all: Iterable<Case>) {
  const found: unknown[] = [];
  let [died, reviewed] = [0, 0];
  for (const one of all) {
    const course = await play(one);
    const faulty = faults(course, one);
    if (course.processes > 0) died += 1;
    if (course.entries.some((entry) => entry.do === 'gate' && entry.asks === 'review')) reviewed += 1;
    if (faulty.length > 0) found.push([one, faulty]);
  }
  return { found, died, reviewed };
}

describe('a boundary with a judge', () => {
  test('JU1, JU2, JU3, JU4: every 13th case in which no process dies', async () => {
    const { found, reviewed } = await wrong(every(13, 3, cases()));
    expect(found).toEqual([]);
    expect(reviewed).toBeGreaterThan(20);
  });

  test('JU1, JU2, JU3, JU4: a process that dies at its appends', async () => {
    const { found, died } = await wrong(every(277, 11, deaths()));
    expect(found).toEqual([]);
    expect(died).toBeGreaterThan(50);
  });
});
