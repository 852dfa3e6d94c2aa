/** The judge tells what is twice, lost, left over or wrong, and takes no key and no ignored number for a difference. */
import { describe, expect, test } from 'vitest';
import { parseKey } from '../../src/model/key.ts';
import { contextHarms, withKeyNames, withoutKeys, worldHarms } from '../../src/rehearsal/difference.ts';
import { sampled } from '../../src/rehearsal/faults/sample.ts';
import { refusedValue, wrongValue } from '../../src/rehearsal/faults/wrong-value.ts';

const kinds = (world: unknown, reference: unknown) => worldHarms(world, reference).map(({ is }) => is);

describe('two worlds', () => {
  test('are the same whatever the order of rows and of their fields', () => {
    const one = {
      rows: [
        { id: 1, says: 'a' },
        { id: 2, says: 'b' },
      ],
      count: 2,
    };
    expect(
      kinds(one, {
        count: 2,
        rows: [
          { says: 'b', id: 2 },
          { says: 'a', id: 1 },
        ],
      }),
    ).toEqual([]);
  });

  test('differ by a row that is there twice, is lost, is left over, or says something else', () => {
    expect(kinds({ rows: ['a', 'a'] }, { rows: ['a'] })).toEqual(['twice']);
    expect(kinds({ rows: [] }, { rows: ['a'] })).toEqual(['lost']);
    expect(kinds({ rows: ['a', 'b'] }, { rows: ['a'] })).toEqual(['left over']);
    expect(kinds({ rows: ['b'] }, { rows: ['a'] })).toEqual(['wrong']);
    expect(kinds({ paid: 41 }, { paid: 40 })).toEqual(['wrong']);
    expect(worldHarms({ a: { b: ['x', 'x'] } }, { a: { b: ['x'] } })[0]?.text).toBe('a/b has "x" 2 times and not 1');
  });

  test('are the same where a call that was taken back and made again has another key', () => {
    const names = new Map([
      ['belay-abcdefghijklmnop~1', '(key 1, of hold)'],
      ['belay-abcdefghijklmnop', '(key 1, of hold)'],
    ]);
    const world = { holds: [{ key: 'belay-abcdefghijklmnop~1', note: 'made under belay-abcdefghijklmnop~1' }] };
    const wanted = { holds: [{ key: 'belay-abcdefghijklmnop', note: 'made under belay-abcdefghijklmnop' }] };
    expect(kinds(withKeyNames(world, names), withKeyNames(wanted, names))).toEqual([]);
    expect(kinds(world, wanted)).toEqual(['wrong']);
  });
});

describe('two contexts', () => {
  test('differ at the places that are told, and at no ignored one', () => {
    const now = { offers: { a: { turn: 2, price: 5 }, b: { turn: 1, price: 7 } }, left: null };
    const wanted = { offers: { a: { turn: 1, price: 5 }, b: { turn: 1, price: 6 } }, left: null };
    expect(contextHarms(now, wanted).map(({ text }) => text)).toEqual([
      'the context has 2 at offers/a/turn and not 1',
      'the context has 7 at offers/b/price and not 6',
    ]);
    const ignored = [parseKey('offers/*/turn')];
    expect(contextHarms(withoutKeys(now, ignored), withoutKeys(wanted, ignored))).toHaveLength(1);
    expect(contextHarms({ a: 1 }, {})[0]?.text).toBe('the context has 1 at a and not nothing');
  });
});

describe('a wrong answer', () => {
  const whole = (output: unknown) => (Number.isInteger(output) && Number(output) >= 0 ? null : 'no whole number');

  test('is near the right one, and one that the schema takes', () => {
    expect(wrongValue(0, whole)).toEqual({ output: 1 });
    expect(wrongValue({ price: 4, name: 'tea' }, () => null)).toEqual({ output: { price: 5, name: 'tea' } });
    expect(wrongValue(['a'], () => null)).toEqual({ output: ['a (wrong)'] });
    expect(wrongValue('only this', (output) => (output === 'only this' ? null : 'no'))).toBeNull();
  });

  test('is refused by a schema, where there is one that refuses anything', () => {
    expect(refusedValue(whole)).toEqual({ output: undefined });
    expect(refusedValue(() => null)).toBeNull();
  });
});

test('a sample keeps the order of its list, and what else is in the list does not change who is drawn before whom', () => {
  const list = Array.from({ length: 40 }, (_, index) => `cell ${index}`);
  const some = sampled(list, 10, 7, (name) => name);
  expect(some).toEqual([...some].toSorted((one, other) => list.indexOf(one) - list.indexOf(other)));
  const fewer = sampled(list.slice(0, 39), 10, 7, (name) => name);
  expect(fewer.filter((name) => some.includes(name)).length).toBeGreaterThanOrEqual(9);
  expect(sampled(list, 40, 7, (name) => name)).toEqual(list);
});
