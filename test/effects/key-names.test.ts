/** CO5: a decision keeps its key under whatever name it has now, and what has an old name now never meets an old key. */
import { expect, test } from 'vitest';
import { KeyNames } from '../../src/effects/key-names.ts';
import { inverse, type Renames } from '../../src/model/renames.ts';

const map = (more: Partial<Renames>): Renames => ({ states: {}, keys: {}, tools: {}, skeletons: {}, ...more });
const parts = (names: KeyNames, skeleton: string, tool: string) =>
  JSON.stringify(names.partsOf('r', { keyedAs: { skeleton, entity: 'e', ordinal: 0 }, tool }));

test('a tool and a unit that are called otherwise have the names of then in their keys', () => {
  const names = new KeyNames();
  const before = parts(names, 'Pay', 'pay');
  names.rename(map({ tools: { pay: 'charge' }, skeletons: { Pay: 'Charge' } }));
  expect(parts(names, 'Charge', 'charge')).toBe(before);
  names.rename(map({ tools: { charge: 'bill' } }));
  expect(parts(names, 'Charge', 'bill')).toBe(before);
});

test('what has the old name now is another thing', () => {
  const names = new KeyNames();
  const before = parts(names, 'Pay', 'pay');
  names.rename(map({ tools: { pay: 'charge' } }));
  expect(parts(names, 'Pay', 'pay')).not.toBe(before);
});

test('two units that change names change keys with them', () => {
  const names = new KeyNames();
  const [one, other] = [parts(names, 'A', 'pay'), parts(names, 'B', 'pay')];
  names.rename(map({ skeletons: { A: 'B', B: 'A' } }));
  expect([parts(names, 'B', 'pay'), parts(names, 'A', 'pay')]).toEqual([one, other]);
});

test('a map and its inverse lead to the keys of before', () => {
  const names = new KeyNames();
  const before = parts(names, 'Pay', 'pay');
  const there = map({ tools: { pay: 'charge' }, skeletons: { Pay: 'Charge' } });
  names.rename(there);
  names.rename(inverse(there));
  expect(parts(names, 'Pay', 'pay')).toBe(before);
});
