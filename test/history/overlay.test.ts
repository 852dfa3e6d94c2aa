/** A context with changes laid over it has at every place the value that a fold of the changes has there. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, fold } from '../../src/history/context.ts';
import { findIn, Overlay } from '../../src/history/overlay.ts';

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { maxLength: 3 });
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: 0, max: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
// Changes go below records, and lists grow at their ends.
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ op: fc.constant('set' as const), path, value }),
  fc.record({ op: fc.constant('delete' as const), path: fc.array(name, { minLength: 1, maxLength: 3 }) }),
  fc.record({
    op: fc.constant('append' as const),
    path: path.map((names) => [...names, 'list']),
    values: fc.array(value, { maxLength: 2 }),
  }),
);
const place = fc.oneof(
  path,
  path.map((names) => [...names, 'list']),
  path.map((names) => [...names, 'list', '1']),
);

test('a place has what a fold of the changes has there', () => {
  fc.assert(
    fc.property(value, fc.array(change, { maxLength: 4 }), place, (context, changes, at) => {
      const overlay = new Overlay(context);
      overlay.apply(changes);
      expect(overlay.at(at)).toEqual(findIn(fold(context, changes), at));
    }),
    { numRuns: Number(process.env.BELAY_RUNS ?? 5_000) },
  );
});

test('a place beside the changes, or at one of them, has no container copied', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
  const overlay = new Overlay({ many });
  overlay.apply([{ op: 'set', path: ['many', 'k1'], value: 'new' }]);
  expect([overlay.at(['many', 'k1']), overlay.at(['many', 'k2']), overlay.at(['many', 'none'])]).toEqual([
    { is: 'new' },
    { is: 2 },
    undefined,
  ]);
  expect(overlay.copied).toBe(0);
});

test('a large record that is folded keeps its members, their order, and a name that a setter would take', () => {
  const many = JSON.parse(`{"__proto__":1,${Array.from({ length: 400 }, (_, n) => `"k${n}":${n}`).join(',')}}`);
  const folded = fold(many, [{ op: 'set', path: ['last'], value: 1 }]) as object;
  expect(Object.getPrototypeOf(folded)).toBe(Object.prototype);
  expect(Object.entries(folded)).toEqual([...Object.entries(many), ['last', 1]]);
});
