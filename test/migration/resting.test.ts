/**
 * CO9: an abort undoes a call only once nothing rests on it by the reads of either config: the one that the call was made under, and the one of now. Every
 * pair of declared reads, with each work between two calls. `FULL=1` plays all, else a fixed share.
 */
import { expect, test } from 'vitest';
import { BETWEEN, type Reads, type Resting, rested } from './resting.ts';

const isFull = process.env.FULL === '1';
const TRUTHS = [false, true];
const READS: readonly Reads[] = TRUTHS.flatMap((middle) =>
  ([[], ['first'], ['middle'], ['first', 'middle']] as const).map((last) => ({ middle, last })),
);

function cases(): readonly Resting[] {
  const all = READS.flatMap((then) =>
    READS.flatMap((now) =>
      BETWEEN.flatMap((between) =>
        TRUTHS.flatMap((isOutside) =>
          (['last', null, 'middle'] as const).map((fails): Resting => ({ then, now, between, isOutside, fails })),
        ),
      ),
    ),
  );
  // Code in between changes nothing outside, and only an act has an undo that fails.
  const some = all.filter(
    ({ between, isOutside, fails }) =>
      !(between === 'computes' && isOutside) && (fails !== 'middle' || between === 'acts'),
  );
  return isFull ? some : some.filter((_, index) => index % 17 === 0);
}

/** The work that some work rests on by the reads of both configs, whether they are of one of them or of both. */
function restsOn({ then, now }: Resting, work: 'middle' | 'last'): ReadonlySet<string> {
  const middle = then.middle || now.middle ? ['first'] : [];
  if (work === 'middle') return new Set(middle);
  const last = [...then.last, ...now.last];
  return new Set([...last, ...(last.includes('middle') ? middle : [])]);
}

/** The work that stands in front of what is not resolved, or is gone from under it. */
async function looked(
  one: Resting,
): Promise<{ readonly gone: readonly string[]; readonly needless: readonly string[] }> {
  const standing: ReadonlySet<string> = await rested(one);
  const on = restsOn(one, one.fails ?? 'last');
  const before = ['first', ...(one.between === 'acts' && one.fails !== 'middle' ? ['middle'] : [])];
  return {
    gone: before.filter((work) => on.has(work) && !standing.has(work)),
    needless: before.filter((work) => !on.has(work) && standing.has(work)),
  };
}

test('each pair of declared reads: what work rests on that is not resolved is not undone', async () => {
  const wrong: unknown[] = [];
  const counts: Record<string, number> = {};
  for (const one of cases()) {
    const { gone, needless } = await looked(one);
    if (gone.length > 0) wrong.push({ ...one, gone });
    for (const work of needless) {
      const name = `${one.between}, ${one.isOutside ? 'outside' : 'inside'}, ${one.fails}: ${work} is held`;
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  if (isFull) console.log(cases().length, wrong.length, counts);
  expect(wrong).toEqual([]);
});

test.each([
  ['declares at last', { middle: false, last: [] }, { middle: false, last: ['first'] }],
  ['declares no more', { middle: false, last: ['first'] }, { middle: false, last: [] }],
] as const)('a read that a config %s holds back what it read', async (_, then, now) => {
  const one = { then, now, between: 'acts', isOutside: false } as const;
  expect([...(await rested({ ...one, fails: 'last' }))]).toEqual(['first', 'last']);
});
