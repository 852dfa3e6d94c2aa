/** The values that records have read are found in one pass: counted in steps that are folded and containers that are copied, never in time. */
import { describe, expect, test } from 'vitest';
import { Folding, fold } from '../../../src/history/context.ts';
import { inOneGo } from '../../../src/history/pieces.ts';
import { Places } from '../../../src/history/places.ts';
import { changeOf } from '../../../src/projection/edits.ts';
import { ContextReads } from '../../../src/projection/set-aside/context-reads.ts';
import type { RecordedStep } from '../../../src/projection/state-types.ts';

const SIZE = 400;
type Edits = RecordedStep['edits'];

/** Steps of one actor, each with its edits; the context after those that `isKept` accepts is kept with them. */
function stepsOf(edits: (nth: number) => Edits, isKept: (nth: number) => boolean) {
  const places = new Places<RecordedStep>();
  const before: unknown[] = [];
  let context: unknown = { v: {}, list: [] };
  const steps = Array.from({ length: SIZE }, (_, nth) => {
    before.push(context);
    context = fold(context, edits(nth).map(changeOf));
    const kept = nth === 0 || isKept(nth) ? { is: context } : null;
    const lists = { parties: [], moves: ['0:'], looks: [], entered: [], leads: [], ties: [] };
    const step = { nth, act: nth, to: nth, actor: 0, gone: false, owes: 0, edits: edits(nth), context: kept, ...lists };
    places.add(step as never);
    return step as never as RecordedStep;
  });
  return { places, steps, before: [...before, context] };
}
const byItem = (nth: number): Edits => [{ op: 'set', path: ['v', `k${nth}`], value: `a${nth}`, by: [0] }];
const itemBefore = (context: unknown, nth: number) => (context as { v: Record<string, unknown> }).v[`k${nth - 1}`];

describe('the contexts before the steps of records', () => {
  for (const [where, isKept] of [
    ['at every step', () => true],
    ['at none', () => false],
  ] as const)
    test(`are folded once, and copied once for all of them, with contexts kept ${where}`, () => {
      const { places, steps } = stepsOf(byItem, isKept);
      const reads = new ContextReads(places);
      const seen: unknown[] = [];
      for (const step of steps.slice(1).reverse())
        reads.ask({ actor: 0, step, side: 'before' }, (context) => {
          const value = itemBefore(context, step.nth);
          seen.push(value);
          return [value];
        });
      inOneGo(reads.inPieces());
      expect(seen).toEqual(steps.slice(1).map(({ nth }) => `a${nth - 1}`));
      expect(reads.counts.steps).toBeLessThanOrEqual(SIZE);
      expect(reads.counts.copied).toBe(2);
    });

  test('are those of a fold of each by itself, and what is kept of one is not changed by what follows', () => {
    const edits = (nth: number): Edits => [
      { op: 'append', path: ['list'], value: [nth], by: [0] },
      nth % 5 === 4
        ? { op: 'delete', path: ['v', `k${nth % 3}`], by: [0] }
        : { op: 'set', path: ['v', `k${nth % 7}`, 'of'], value: { nth }, by: [0] },
    ];
    const { places, steps, before } = stepsOf(edits, (nth) => nth % 150 === 3);
    const reads = new ContextReads(places);
    const seen = new Map<string, unknown>();
    const asked = steps.filter(({ nth }) => nth % 3 === 1 || nth > 390);
    for (const step of asked)
      for (const side of ['after', 'before'] as const)
        reads.ask({ actor: 0, step, side }, (context) => {
          seen.set(`${side} ${step.nth}`, context);
          return [context];
        });
    inOneGo(reads.inPieces());
    for (const { nth } of asked) {
      expect(seen.get(`before ${nth}`)).toEqual(before[nth]);
      expect(seen.get(`after ${nth}`)).toEqual(before[nth + 1]);
    }
  });

  test('that lie far apart begin at the context that is kept nearest', () => {
    const { places, steps } = stepsOf(byItem, (nth) => nth === 350);
    const reads = new ContextReads(places);
    const seen: unknown[] = [];
    for (const step of [steps[5], steps[353]] as RecordedStep[])
      reads.ask({ actor: 0, step, side: 'before' }, (context) => {
        seen.push(itemBefore(context, step.nth));
        return seen;
      });
    inOneGo(reads.inPieces());
    expect(seen).toEqual(['a4', 'a352']);
    expect(reads.counts.steps).toBe(6);
  });
});

test('a fold that goes on never changes a context that was shared, nor the one that it began with', () => {
  const first = { v: { a: 1 }, list: [1] };
  const folding = new Folding(first);
  folding.apply([{ op: 'set', path: ['v', 'b'], value: 2 }]);
  const shared = folding.share();
  folding.apply([
    { op: 'set', path: ['v', 'b'], value: 3 },
    { op: 'append', path: ['list'], values: [2] },
  ]);
  expect(first).toEqual({ v: { a: 1 }, list: [1] });
  expect(shared).toEqual({ v: { a: 1, b: 2 }, list: [1] });
  expect(folding.context).toEqual({ v: { a: 1, b: 3 }, list: [1, 2] });
});
