/** Runs a seeded share of the exhaustive check of little graphs (`npm run prove graphs`), and shows that its judge can tell a wrong ending. */
import { expect, test } from 'vitest';
import { enumerate } from './enumerate.ts';
import { reportText } from './report.ts';
import { allShapes } from './shapes.ts';
import { groupings } from './units.ts';

test('a share of all failures ends as LangGraph by itself without them, or parked without harm', async () => {
  const small = await enumerate({ nodes: [1, 2, 3], graphs: 100, cases: 12, seed: 1 });
  const large = await enumerate({ nodes: [4], graphs: 18_000, cases: 12, seed: 1 });
  const text = [small, large].map((each) => reportText(each, 5)).join('\n\n');
  for (const { totals } of [small, large]) expect(totals, text).toMatchObject({ wrong: 0, hang: 0 });
  const same = small.totals.same + large.totals.same;
  expect(same / (small.totals.cases + large.totals.cases), text).toBeGreaterThanOrEqual(2 / 3);
  const kinds = Object.keys({ ...small.kinds, ...large.kinds });
  for (const kind of ['lost reply', 'throws', 'late', 'wrong in flight', 'wrong work', 'wrong key', 'nothing'])
    expect(kinds).toEqual(expect.arrayContaining([kind, `${kind}, and killed`]));
});

test('a share of all failures in units over several nodes, where one node runs at a time, ends so, too', async () => {
  const small = await enumerate({ nodes: [2, 3], graphs: 40, cases: 16, seed: 1, units: true });
  // An edge within a unit chooses by what came before the unit.
  const shape = '>n0 n0>n1 n1>(n3|n2) n2>n3 n3>end';
  const large = await enumerate({ nodes: [4], graphs: 1, cases: 16, seed: 39, units: true, shape });
  const text = [small, large].map((each) => reportText(each, 5)).join('\n\n');
  for (const { totals } of [small, large]) expect(totals, text).toMatchObject({ wrong: 0, hang: 0 });
  expect(small.totals.same / small.totals.cases, text).toBeGreaterThanOrEqual(2 / 3);
  expect(large.totals.cases, text).toBeGreaterThan(20);
});

test('every way to have units over two and three of four nodes is there', () => {
  const ways = groupings(4).map((units) => units.map((nodes) => nodes.join('')).join(' '));
  expect(ways).toHaveLength(13);
  expect(ways).toEqual(expect.arrayContaining(['01 2 3', '01 23', '02 13', '0 123']));
});

test('every graph of at most three nodes is there, and each once up to renaming', () => {
  const texts = [1, 2, 3].map((nodes) => [...allShapes(nodes)].map(({ text }) => text));
  expect(texts.map(({ length }) => length)).toEqual([3, 34, 752]);
  expect(texts[0]).toEqual(['>n0 n0>end', '>n0 n0>(n0 again|end)', '>2xn0 n0>end']);
  // Fan-out with a join, a diamond with a choice, and tasks that are sent.
  expect(texts[2]).toEqual(
    expect.arrayContaining(['>n0+n1 n0>&n2 n1>&n2 n2>end', '>n0 n0>(n1|n2) n1>n2 n2>end', '>n0 n0>2xn1 n1>n2 n2>end']),
  );
});

test('the judge sees a payment that is made twice under a config that calls it harmless', async () => {
  const honest = await enumerate({ nodes: [2], graphs: 1, cases: 1, seed: 38, shape: '>n0 n0>n1 n1>end' });
  const lying = await enumerate({ nodes: [2], graphs: 1, cases: 1, seed: 38, shape: '>n0 n0>n1 n1>end', lies: true });
  expect(honest.totals.wrong).toBe(0);
  expect(lying.totals.wrong).toBeGreaterThan(0);
  expect(lying.told.find(({ is }) => is === 'wrong')?.cause).toMatch(/too much|twice/);
});

test('C6: a task does not see what a record beside it has written in the same superstep, and is not taken over for it', async () => {
  const shape = '>n0+n1+n2 n0>(n1|end) n1>(n2|n3) n2>(n3|end) n3>(n0 again|end)';
  const { totals } = await enumerate({ nodes: [4], graphs: 1, cases: 1, seed: 13, shape, id: '4c56746595' });
  expect(totals).toMatchObject({ cases: 2, same: 2 });
});
