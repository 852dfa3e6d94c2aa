import { expect, test } from 'vitest';
import { EntryEncoder } from '../../src/journal/entry-codec.ts';
import { Names } from '../../src/journal/names.ts';
import type { StepEntry } from '../../src/model/step-entry.ts';
import { entriesOf } from './entries-of.ts';
import { book, party, step } from './every-step.ts';

const corrupt = expect.objectContaining({ code: 'journal_corrupt', name: 'JournalError' });

test('names are numbered from 0 in order of appearance, each queued once', () => {
  const names = new Names();
  expect([names.id('a'), names.id('b'), names.id('a')]).toEqual([0, 1, 0]);
  expect(names.take()).toEqual([
    { kind: 0, body: '"a"' },
    { kind: 0, body: '"b"' },
  ]);
  expect([names.id('a'), names.id('c')]).toEqual([0, 2]);
  expect(names.take()).toEqual([{ kind: 0, body: '"c"' }]);
  expect(names.take()).toEqual([]);
});

test('a reader learns what a writer queued, and writes on from there', () => {
  const writer = new Names();
  for (const text of ['', '__proto__', '\ud800', 'a "b"']) writer.id(text);
  const reader = new Names();
  for (const row of writer.take()) reader.learn(row);
  expect([0, 1, 2, 3].map((id) => reader.text(id))).toEqual(['', '__proto__', '\ud800', 'a "b"']);
  expect(reader.id('__proto__')).toBe(1);
  expect(reader.id('new')).toBe(4);
  expect(reader.take()).toHaveLength(1);
});

test.each([-1, 1, 0.5, Number.NaN])('the number %d names nothing', (id) => {
  const names = new Names();
  names.id('a');
  expect(() => names.text(id)).toThrow(corrupt);
});

test.each([
  ['of another kind', { kind: 1, body: '"b"' }],
  ['that is no JSON', { kind: 0, body: '"b' }],
  ['that is no string', { kind: 0, body: '1' }],
  ['that is there already', { kind: 0, body: '"a"' }],
])('a row %s defines no name', (_name, row) => {
  const names = new Names();
  names.id('a');
  expect(() => names.learn(row)).toThrow(corrupt);
});

test('the 65,537th name is refused, and none before it', () => {
  const names = new Names();
  for (let n = 0; n < 65_536; n += 1) names.id(`name ${n}`);
  expect(names.id('name 65535')).toBe(65_535);
  expect(() => names.id('one more')).toThrow(expect.objectContaining({ code: 'journal_cannot_write' }));
  expect(names.take()).toHaveLength(65_536);
  const reader = new Names();
  for (let n = 0; n < 65_536; n += 1) reader.learn({ kind: 0, body: `"${n}"` });
  expect(() => reader.learn({ kind: 0, body: '"one more"' })).toThrow(corrupt);
});

test('an instance and a key that repeat are read once, and are one value each', () => {
  const encoder = new EntryEncoder();
  const key = { text: 'a/b', segments: ['a', 'b'], pattern: false };
  const entry: StepEntry = {
    ...step,
    parties: [party],
    marks: [{ do: 'read', in: { ...book }, key }],
    boundaries: [],
    regions: [],
  };
  const rows = [entry, entry].flatMap((each) => encoder.rows(each, () => {}));
  const steps = entriesOf(rows.map((row, index) => ({ ...row, seq: index + 1, time: 0 }))) as StepEntry[];
  const [first, second] = steps.map(({ parties, marks: [mark] }) => ({ of: parties[0]?.instance, mark }));
  expect(steps).toEqual([entry, entry]);
  expect(first?.of).toBe(second?.of);
  expect(first?.mark?.in).toBe(first?.of);
  expect(first?.mark).not.toBe(second?.mark);
  expect(first?.mark?.do === 'read' && first.mark.key).toBe(second?.mark?.do === 'read' && second.mark.key);
});
