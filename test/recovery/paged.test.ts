/** A history whose beginning is paged out is answered as one that is all in memory: the same decision, with the same witnesses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseKey } from '../../src/model/key.ts';
import { askedPaged, everyCut, everyTwoCuts } from './paging.ts';
import { folded } from './sweep.ts';
import { histories, historyOf, keys } from './written.ts';

describe.each([
  ['blind', true],
  ['update', false],
])('after every failure, under every policy, with %s writes', (_, blind) => {
  test.each([
    ['every history of three events', 3, 1],
    ['one in 1,024 histories of five events', 5, 1_024],
  ])('%s', (_name, length, every) => {
    let [asked, reached] = [0, 0];
    for (const { history, ids } of folded(length, blind, { every, from: 1 % every })) {
      const result = askedPaged(history, ids, [null], [...everyCut(history.head), ...everyTwoCuts(history.head)]);
      expect(result.different).toEqual([]);
      asked += result.asked;
      reached += result.reached;
    }
    // Some reach behind what is paged out, and some do not.
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(asked);
  });
});

test('longer histories with keys that overlap in every way, asked about each instance and a key', () => {
  fc.assert(
    fc.property(histories, keys, fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 }), (events, key, cuts) => {
      const history = historyOf(events);
      const ids = [...history.registry.all()].map(({ id }) => id);
      const sorted = [...new Set(cuts.map((at) => at % (history.head + 1)))].sort((a, b) => a - b);
      expect(askedPaged(history, ids, [null, parseKey(key)], [sorted, sorted.slice(-1)]).different).toEqual([]);
    }),
    { numRuns: Number(process.env.BELAY_RUNS ?? 1_000) },
  );
});
