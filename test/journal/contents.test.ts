/** Values that are long, that come again or that grow: stored once in a run's journal, and read back as they were. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EntryDecoder, EntryEncoder } from '../../src/journal/entry-codec.ts';
import { JournalError, type Row, type StoredRow } from '../../src/journal/journal.ts';
import type { Entry } from '../../src/model/entry.ts';

type Outcome = Extract<Entry, { do: 'outcome' }>;
const BEGIN: Entry = { do: 'begin', agent: 'a', digests: { config: 'c', machine: 'm' }, format: 1, secret: 'ab' };
const outcome = (output: unknown): Outcome => ({ do: 'outcome', key: 'k', status: 'confirmed', output });
const stored = (rows: readonly Row[], from = 0) =>
  rows.map((row, index): StoredRow => ({ ...row, seq: from + index + 1, time: 0 }));
const written = (encoder: EntryEncoder, values: readonly unknown[]) =>
  values.flatMap((value) =>
    encoder.rows(outcome(value), (lost) => {
      throw new Error(JSON.stringify(lost));
    }),
  );
const read = (decoder: EntryDecoder, rows: readonly Row[]) =>
  stored(rows).flatMap((row) => {
    const entry = decoder.entry(row);
    return entry?.do === 'outcome' ? [entry.output] : [];
  });
const bytes = (rows: readonly Row[]) => rows.reduce((sum, { body }) => sum + body.length, 0);
const long = (of: string, length = 2_000) => of.padEnd(length, 'x');
const message = (n: number) => ({ role: 'assistant', content: long(`message ${n}`) });

describe('a journal grows by what is new', () => {
  test('a text that comes again costs a reference, wherever it stands', () => {
    const text = long('a');
    const rows = written(new EntryEncoder(), [text, { text }, [text, text], new Map([['k', { text }]])]);
    expect(bytes(rows)).toBeLessThan(2_000 + 400);
    expect(read(new EntryDecoder(), rows)).toEqual([text, { text }, [text, text], new Map([['k', { text }]])]);
  });

  test('a list of messages costs each message once, by twice the turns twice as much', () => {
    const turns = (count: number) => {
      const encoder = new EntryEncoder();
      let messages: unknown[] = [];
      return Array.from({ length: count }, (_, n) => {
        messages = [...messages, message(n)];
        return written(encoder, [{ messages }, messages.at(-1)]);
      }).flat();
    };
    const [small, large] = [bytes(turns(100)), bytes(turns(200))];
    expect(large / small).toBeLessThan(2.1);
    expect(large).toBeLessThan(200 * 2_400);
  });

  test('a list of short members that grows is stored once, too, and so is one that goes on from an earlier end', () => {
    const numbers = Array.from({ length: 3_000 }, (_, n) => n / 7);
    const ends = [...Array.from({ length: 100 }, (_, n) => 2_000 + n * 10), 1_500];
    const lists = [...ends.map((end) => numbers.slice(0, end)), [...numbers.slice(0, 1_500), 'another']];
    const rows = written(new EntryEncoder(), lists);
    expect(bytes(rows)).toBeLessThan(2 * JSON.stringify(numbers).length);
    expect(read(new EntryDecoder(), rows)).toEqual(lists);
  });

  test('no row of a content is longer than what lies in a page beside others, whatever its characters are', () => {
    for (const text of [long('a', 5_000), 'ä'.repeat(3_001), `a${'\u{1f600}'.repeat(900)}`, '\u2028'.repeat(1_001)]) {
      const rows = written(new EntryEncoder(), [text]);
      expect(Math.max(...rows.map(({ body }) => Buffer.byteLength(body)))).toBeLessThanOrEqual(480);
      expect(read(new EntryDecoder(), rows)).toEqual([text]);
    }
  });
});

describe('what was written before is not taken for what it is now', () => {
  test('an object that was changed in place is written as it is', () => {
    const inner = { parts: [{ type: 'text', text: long('a') }] };
    const list = Array.from({ length: 10 }, (_, n) => message(n));
    const changes: (() => void)[] = [
      () => {
        inner.parts[0] = { type: 'text', text: long('b') };
      },
      () => {
        (inner.parts[0] as { type: string }).type = 'other';
      },
      () => void inner.parts.push({ type: 'text', text: '' }),
      () => void delete (inner as { parts?: unknown }).parts,
      () => void Object.assign(inner, { more: -0 }),
      () => void Object.assign(inner, { more: 0 }),
      () => {
        (list[3] as { content: string }).content = long('c');
      },
      () => void list.splice(2, 1),
      () => void list.reverse(),
      () => void list.push(message(11)),
    ];
    const encoder = new EntryEncoder();
    const decoder = new EntryDecoder();
    for (const change of [() => {}, ...changes]) {
      change();
      const now = structuredClone([inner, list]);
      const [back] = read(decoder, written(encoder, [[inner, list]]));
      expect(back).toStrictEqual(now);
    }
  });

  test('an object that is frozen is not looked into again, one in it that is not, is', () => {
    const open = { n: 1 };
    const value = Object.freeze({ text: long('a'), open });
    const encoder = new EntryEncoder();
    const rows = written(encoder, [value]);
    open.n = 2;
    expect(read(new EntryDecoder(), [...rows, ...written(encoder, [value])])).toEqual([
      { text: long('a'), open: { n: 1 } },
      { text: long('a'), open: { n: 2 } },
    ]);
  });

  test('a member that became code is not run', () => {
    const value: object = { text: long('a') };
    const encoder = new EntryEncoder();
    written(encoder, [value]);
    Object.defineProperty(value, 'text', {
      enumerable: true,
      get() {
        throw new Error('was run');
      },
    });
    const lost: unknown[] = [];
    encoder.rows(outcome(value), (what) => lost.push(what));
    expect(lost).toEqual([{ of: 'output', path: ['text'], reason: 'accessor' }]);
  });
});

/** Values of every kind. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(undefined, null, -0, 0, Number.NaN, 7n, true, '$', new Date(5), new Uint8Array(300)),
    fc.integer({ min: 0, max: 3 }).map((n) => long(`${n}`, 250 + n * 3)),
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.repeat(20)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(tie('value'), { minLength: 8, maxLength: 12 }),
    fc.dictionary(fc.constantFrom('$', '__proto__', 'a', 'b', '1'), tie('value'), { noNullPrototype: true }),
    fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie('value'), { maxLength: 3 }).map((members) => new Set(members)),
  ),
})).value;
/** A course of values, each of them new or a list that came before, with something at its end. */
const course = fc.array(fc.tuple(anything, fc.nat(), fc.boolean()), { maxLength: 12 }).map((steps) => {
  const values: unknown[] = [];
  for (const [value, of, grows] of steps) {
    const before: unknown = values[of % Math.max(1, values.length)];
    values.push(grows && Array.isArray(before) ? [...before.slice(0, of % (before.length + 1)), value] : value);
  }
  return values;
});

describe('values of every kind come back equal', () => {
  test('whatever they share with each other', () => {
    fc.assert(
      fc.property(course, (values) => {
        const back = read(new EntryDecoder(), written(new EntryEncoder(), values));
        expect(isDeepStrictEqual(back, values)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('and when another process goes on, which stores no text again', () => {
    fc.assert(
      fc.property(course, (values) => {
        const rows = [...new EntryEncoder().rows(BEGIN, () => {}), ...written(new EntryEncoder(), values)];
        const reader = new EntryDecoder();
        read(reader, rows);
        const more = written(new EntryEncoder(reader.names, [], reader.contentsToWrite()), values);
        const begun = more.filter(({ kind }, n) => kind >= 26 && more[n - 1]?.kind !== 27);
        expect(begun.filter(({ body }) => body.startsWith('"'))).toEqual([]);
        expect(isDeepStrictEqual(read(new EntryDecoder(), [...rows, ...more]), [...values, ...values])).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('a list goes on to grow in another process by what is new', () => {
    const messages = Array.from({ length: 50 }, (_, n) => message(n));
    const encoder = new EntryEncoder();
    const rows = [
      ...encoder.rows(BEGIN, () => {}),
      ...messages.flatMap((_, n) => written(encoder, [messages.slice(0, n)])),
    ];
    const reader = new EntryDecoder();
    const back = read(reader, rows);
    const next = [...(back.at(-1) as unknown[]), message(49), message(50)];
    const more = written(new EntryEncoder(reader.names, [], reader.contentsToWrite()), [next]);
    expect(bytes(more)).toBeLessThan(2 * 2_200);
    expect(read(new EntryDecoder(), [...rows, ...more]).at(-1)).toEqual(next);
  });
});

describe('a journal that is not what was written', () => {
  const values = [
    message(1),
    Array.from({ length: 12 }, (_, n) => message(n)),
    [...'abcdefghij'].map((of) => long(of)),
  ];
  const rows = written(new EntryEncoder(), [...values, [...(values[1] as unknown[]), 'more']]);
  const reading = (body: string, kind = 5) => read(new EntryDecoder(), [...rows, { kind, body }]);
  const corrupt = (go: () => unknown) => {
    try {
      go();
    } catch (error) {
      expect(error).toBeInstanceOf(JournalError);
      expect((error as JournalError).code).toBe('journal_corrupt');
      return true;
    }
    return false;
  };

  test.each([
    ['a content that is not there', '["k",1,"",{"$":9999}]'],
    ['a content before the first', '["k",1,"",{"$":-1}]'],
    ['half of a content', '["k",1,"",{"$":0.5}]'],
    ['a list where only a content may be one', '["k",1,"",{"$":["list",0,1]}]'],
  ])('does not lead to %s', (_name, body) => {
    expect(corrupt(() => reading(body))).toBe(true);
  });

  test.each([
    ['itself', '[{"$":N}]'],
    ['one after it', '{"a":{"$":9999}}'],
    ['more of a list than there is', '{"$":["list",LIST,400]}'],
    ['a list that is none', '{"$":["list",0,1,"x"]}'],
    ['a list without a number', '{"$":["list"]}'],
    ['a list that keeps less than nothing', '{"$":["list",LIST,-1]}'],
    ['what is no JSON', '["'],
  ])('has no content that refers to %s', (_name, text) => {
    const ends = rows.filter(({ kind }) => kind === 26);
    const list = ends.findLastIndex(({ body }) => body.includes('"list"'));
    const body = text.replace('N', `${ends.length}`).replace('LIST', `${list}`);
    const user = { kind: 5, body: `["k",1,"",{"$":${ends.length}}]` };
    expect(corrupt(() => read(new EntryDecoder(), [...rows, { kind: 26, body }, user]))).toBe(true);
  });

  test('has no content that is vast because others come in it again and again', () => {
    const bomb = Array.from({ length: 40 }, (_, n) => ({
      kind: 26,
      body:
        n === 0
          ? `"${long('x')}"`
          : `[${Array(8)
              .fill(`{"$":${n - 1}}`)
              .join(',')}]`,
    }));
    const user = { kind: 5, body: '["k",1,"",{"$":39}]' };
    expect(corrupt(() => read(new EntryDecoder(), [...bomb, user]))).toBe(true);
    const deep = Array.from({ length: 100_000 }, (_, n) => ({ kind: 26, body: n === 0 ? '"x"' : `[{"$":${n - 1}}]` }));
    expect(corrupt(() => read(new EntryDecoder(), [...deep, { kind: 5, body: '["k",1,"",{"$":99999}]' }]))).toBe(true);
  });

  test('ends in a value or in journal_corrupt, whichever row is lost, doubled, moved or cut', () => {
    fc.assert(
      fc.property(fc.nat(rows.length - 1), fc.nat(rows.length - 1), fc.nat(3), (at, to, how) => {
        const other = [...rows];
        const [row] = other.splice(at, 1) as [Row];
        if (how === 1) other.splice(at, 0, row, row);
        if (how === 2) other.splice(to, 0, row);
        if (how === 3) other.splice(at, 0, { ...row, body: row.body.slice(0, to) });
        corrupt(() => read(new EntryDecoder(), other));
      }),
      { numRuns: 200 },
    );
  });
});
