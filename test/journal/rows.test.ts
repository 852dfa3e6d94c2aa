/**
 * The rows of a journal, held byte for byte (test/journal/rows.json), so that none changes unseen. From the first release on, a row of the file is
 * never changed; a new kind of entry adds rows to it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EntryDecoder, EntryEncoder, FORMAT } from '../../src/journal/entry-codec.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Lost } from '../../src/journal/lost.ts';
import type { Entry } from '../../src/model/entry.ts';
import { EVERY_ENTRY, LOSSY } from './every-entry.ts';
import { failing } from './rows-of.ts';

type Rows = readonly (readonly [kind: number, body: string])[];
interface Written {
  readonly rows: Rows;
  readonly lost?: readonly Lost[];
}
const written: Readonly<Record<string, Written>> = JSON.parse(
  readFileSync(new URL('rows.json', import.meta.url), 'utf8'),
);

const entries: [string, Entry][] = Object.entries(EVERY_ENTRY).flatMap(([kind, variants]) =>
  Object.entries(variants).map(([variant, entry]): [string, Entry] => [`${kind}: ${variant}`, entry]),
);

function rowsOf(entry: Entry): Written {
  const lost: Lost[] = [];
  const rows = new EntryEncoder().rows(entry, (what) => lost.push(what));
  const pairs = rows.map(({ kind, body }) => [kind, body] as const);
  return lost.length === 0 ? { rows: pairs } : { rows: pairs, lost };
}

/** The steps whose moves are those of their parties: that is not written. */
const USUAL = new Set([
  'step: that moves the region of its party',
  'step: that moves the regions of its parties, the other one first',
  'step: that looks at a region',
  'step: that received a chunk of a source',
]);
const asRead = (name: string, entry: Entry) => (USUAL.has(name) ? { ...entry, moves: undefined } : entry);

function read(rows: Rows): { entry: Entry | null; missing: string[] } {
  const decoder = new EntryDecoder();
  let entry: Entry | null = null;
  for (const [kind, body] of rows) entry = decoder.entry({ kind, body, seq: 1, time: 0 } as StoredRow);
  return { entry, missing: [...decoder.missing] };
}

describe('an entry', () => {
  test.each(entries)('is written as it always was, and read back: %s', (name, entry) => {
    expect(rowsOf(entry)).toEqual(written[name]);
    expect(read(written[name]?.rows ?? []).entry).toEqual(asRead(name, entry));
  });

  test.each(Object.entries(LOSSY))('with a value that no journal holds is written without it: %s', (name, entry) => {
    expect(rowsOf(entry)).toEqual(written[name]);
    const { entry: back, missing } = read(written[name]?.rows ?? []);
    expect(back?.do).toBe(entry.do);
    expect(missing).toEqual(
      (written[name]?.lost ?? []).flatMap(({ of, path }) => (of === 'event' ? [] : path.join('/'))),
    );
  });

  test('has a row in the file for every one of these, and for nothing else', () => {
    expect([...entries.map(([name]) => name), ...Object.keys(LOSSY)].sort()).toEqual(Object.keys(written).sort());
  });
});

test('the entries of one run share the numbers of its names', () => {
  const encoder = new EntryEncoder();
  const decoder = new EntryDecoder();
  const rows = entries.flatMap(([, entry]) => encoder.rows(entry, () => {}));
  const back = rows.flatMap((row, seq) => decoder.entry({ ...row, seq, time: 0 } as StoredRow) ?? []);
  expect(back).toEqual(entries.map(([name, entry]) => asRead(name, entry)));
  expect(new Set(rows.filter(({ kind }) => kind === 0).map(({ body }) => body)).size).toBe(
    rows.filter(({ kind }) => kind === 0).length,
  );
});

describe('a value in as many containers as may be is read back', () => {
  let deep: unknown = [undefined];
  for (let level = 1; level < 255; level += 1) deep = [deep];
  const value = { type: 'deep', deep };
  const { step, intent, outcome } = EVERY_ENTRY;
  const plain = step['with nothing but its event'] as Extract<Entry, { do: 'step' }>;
  test.each<[string, Entry]>([
    ['an event', { ...plain, event: value }],
    [
      'what an edit sets',
      { ...plain, edits: [{ op: 'set', path: ['a'], by: [], value }], parties: step['with every mark']?.parties ?? [] },
    ],
    ['an input', { ...plain, started: [{ id: 'a', src: null, at: null, kind: 'other', input: value }] }],
    ['arguments', { ...(intent['of a call'] as Extract<Entry, { do: 'intent' }>), args: value }],
    ['an output', { ...(outcome['with an output'] as Extract<Entry, { do: 'outcome' }>), output: value }],
  ])('%s', (_name, entry) => {
    const { rows, lost } = rowsOf(entry);
    expect(lost).toBeUndefined();
    expect(read(rows).entry).toEqual(entry);
  });
});

test('a run of another format is refused with its number', () => {
  const begin = { ...EVERY_ENTRY.begin['with its secret'], format: FORMAT + 1 } as Entry;
  expect(() => read(rowsOf(begin).rows)).toThrow(failing('journal_not_ours'));
  expect(() => read(rowsOf(begin).rows)).toThrow('written in format 2, and this Belay has format 1');
});

test.each([0, -1, 2.5, 10, 1e9])('a row with a gap of %d members, which is none, is damaged', (gap) => {
  const rows = written['step: from outside, the last of its actor']?.rows ?? [];
  const [kind, body] = rows.at(-1) as readonly [number, string];
  const stored = JSON.parse(body) as unknown[];
  const at = stored.findLastIndex((member) => typeof member === 'number');
  const other = JSON.stringify(stored.with(at, gap));
  expect(() => read([...rows.slice(0, -1), [kind, other]])).toThrow(/has a gap of/);
});
