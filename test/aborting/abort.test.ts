/** AB1, AB2, AB3, AB4, AB7, AB8: a fixed share of all aborts of one and two calls, judged by the world alone; `npm run prove soak-aborts` tries the rest. */
import { expect, test } from 'vitest';
import { momentsOf, noneTried, tryMoment } from './run.ts';
import { cases, SHAPES, type Shape } from './scenario.ts';

/** One case of so many, at one moment each. */
const SHARES: Readonly<Record<Shape, number>> = { one: 2, rests: 23, apart: 61, beside: 61, restored: 61 };

test.each(SHAPES)('an abort of %s leaves nothing in the world but what it names', async (shape) => {
  const tally = noneTried();
  const listed = cases().filter((one) => one.shape === shape);
  for (const [index, of] of listed.entries()) {
    if (index % SHARES[shape] !== 0) continue;
    const moments = await momentsOf(of);
    const nth = index / SHARES[shape];
    const moment = moments[(nth * 5) % moments.length];
    if (moment !== undefined) await tryMoment(of, moment, tally, ({ append }) => (append + nth) % 4 === 0);
  }
  expect(tally.wrong.map(({ why, scenario }) => `${why}: ${JSON.stringify(scenario)}`)).toEqual([]);
  expect(tally.scenarios).toBeGreaterThan(40);
  expect(tally.ends).toMatchObject({ compensated: expect.any(Number), stuck: expect.any(Number) });
});
