/** AL2, AL3, AL4, AL5, AL6, AL7, AL9: a fixed share of all alternatives of two branches, judged by the world; `npm run prove alternatives` tries the rest. */
import { expect, test } from 'vitest';
import { noneTried, tryCase } from './run.ts';
import { pairs } from './scenario.ts';

test('AL6: whatever goes wrong, the world is that of a run in which only the winner was tried, but for what is named', async () => {
  const tally = noneTried();
  for (const [index, of] of pairs().entries())
    if (index % 31 === 4) await tryCase(of, tally, (nth) => nth % 13 === index % 13);
  expect(tally.wrong.map(({ why, scenario }) => `${why}: ${JSON.stringify(scenario)}`)).toEqual([]);
  expect(tally.scenarios).toBeGreaterThan(150);
  expect(tally.ends).toMatchObject({ done: expect.any(Number), stuck: expect.any(Number) });
});
