import { expect, test } from 'vitest';
import { crossing, EFFECT_CLASSES, EFFECT_STATUSES } from '../../src/model/effect.ts';

const [unknown, irreversible, missing] = [
  'effect_outcome_unknown',
  'irreversible_effect_policy',
  'compensation_missing',
];

// The table of semantics.md §6, cell by cell: intended, unknown, confirmed (without and with an undo), failed, compensated, buffered.
test.each([
  ['none', ['cross', 'cross', 'cross', 'cross', 'cross', 'cross', 'cross']],
  ['idempotent', ['cross', 'cross', 'cross', 'cross', 'cross', 'cross', 'cross']],
  ['reversible', [unknown, unknown, missing, 'undo', 'cross', 'cross', 'cross']],
  ['compensable', [unknown, unknown, missing, 'undo', 'cross', 'cross', 'cross']],
  ['irreversible', [unknown, unknown, irreversible, irreversible, 'cross', 'cross', 'cross']],
] as const)('an effect of class %s is crossed as the table says', (kind, expected) => {
  const cells = EFFECT_STATUSES.flatMap((status) =>
    (status === 'confirmed' ? [false, true] : [false]).map((undo) => crossing({ class: kind, status, undo })),
  );
  expect(cells).toEqual(expected);
});

test('the table has a row for every class, and an undo changes nothing but a confirmed effect', () => {
  expect(EFFECT_CLASSES).toHaveLength(5);
  for (const kind of EFFECT_CLASSES) {
    for (const status of EFFECT_STATUSES.filter((each) => each !== 'confirmed')) {
      const answers = [true, false].map((undo) => crossing({ class: kind, status, undo }));
      expect(answers[0]).toBe(answers[1]);
    }
  }
});
