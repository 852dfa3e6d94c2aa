import { describe, expect, test } from 'vitest';
import { added, codesOf, MISTAKES, withMistake } from './mistakes.ts';

describe('of a mistake that is planted in the config of an agent, belay check says what the table has:', () => {
  test.each(MISTAKES)('$agent: $what', async (mistake) => {
    const codes = await withMistake(mistake, async (file, before) => added(await codesOf(before), await codesOf(file)));
    expect([...new Set(codes)]).toEqual(mistake.check);
  });

  test('it finds at least eight, and a rehearsal was asked about every other one', () => {
    expect(MISTAKES.filter(({ check }) => check.length > 0).length).toBeGreaterThanOrEqual(8);
    for (const { check, rehearse } of MISTAKES) expect(rehearse === null).toBe(check.length > 0);
  });
});
