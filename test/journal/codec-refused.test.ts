/** Values that have no form are refused with their place, and hostile text is journal_corrupt. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, revive } from '../../src/journal/codec.ts';
import { JournalError } from '../../src/journal/journal.ts';
import { through } from './coded.ts';

describe('is refused, with its place', () => {
  class Account {}
  let asked = 0;
  const cyclic: Record<string, unknown> = { list: [1] };
  (cyclic.list as unknown[]).push({ back: cyclic });
  let deep: unknown = 1;
  for (let level = 0; level < 257; level += 1) deep = [deep];
  let doubled: unknown = 'x';
  for (let level = 0; level < 100; level += 1) doubled = [doubled, doubled];
  const getter = {
    get seen() {
      asked += 1;
      return 1;
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cases: [string, unknown, readonly string[], string][] = [
    ['a function', { a: [() => {}] }, ['a', '0'], 'function'],
    ['a symbol', [Symbol('s')], ['0'], 'symbol'],
    ['a symbol as a key', { a: { [Symbol('s')]: 1 } }, ['a'], 'symbol'],
    ['a getter', { a: getter }, ['a', 'seen'], 'accessor'],
    [
      'a getter in an array',
      Object.defineProperty([0], 0, {
        get: () => {
          asked += 1;
        },
        enumerable: true,
      }),
      ['0'],
      'accessor',
    ],
    [
      'a getter for a message',
      Object.defineProperty(new Error(), 'message', {
        get: () => {
          asked += 1;
        },
      }),
      ['message'],
      'accessor',
    ],
    ['an instance of a class', { a: new Account() }, ['a'], 'class'],
    ['an array of a class', new (class List extends Array {})(), [], 'class'],
    ['a map of a class', new (class Table extends Map {})(), [], 'class'],
    ['a map with properties', Object.assign(new Map(), { extra: 1 }), [], 'class'],
    ['other typed arrays', { a: new Float64Array(1) }, ['a'], 'class'],
    ['boxed values and promises', [Promise.resolve()], ['0'], 'class'],
    ['a cycle', cyclic, ['list', '1', 'back'], 'cycle'],
    ['what is nested too deep', deep, new Array(256).fill('0'), 'too_deep'],
    ['a long string', { a: 'x'.repeat(4 * 1024 * 1024) }, ['a'], 'too_large'],
    ['many bytes', [new Uint8Array(4 * 1024 * 1024)], ['0'], 'too_large'],
    ['a vast integer', [1n << 300_000n], ['0'], 'too_large'],
    ['a function in a map', new Map([['k', () => {}]]), ['k'], 'function'],
    ['a function as a key', new Map([[() => {}, 1]]), ['0'], 'function'],
    ['a function in a set', new Set([1, () => {}]), ['1'], 'function'],
    ['a revoked proxy', { a: revoked.proxy }, ['a'], 'unreadable'],
    [
      'a proxy that throws',
      {
        a: new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
      },
      ['a'],
      'unreadable',
    ],
    ['what only seems a date', Object.create(Date.prototype), [], 'unreadable'],
  ];
  test.each(cases)('%s', (_name, value, path, reason) => expect(encode(value)).toEqual({ path, reason }));

  test('a value that is shared until it is vast, before it is written', () => {
    expect(encode(doubled)).toMatchObject({ reason: 'too_large' });
  });

  test('no getter and no toJSON was asked', () => {
    const replaced = { toJSON: 1, date: new Date(0) };
    Object.defineProperty(BigInt.prototype, 'toJSON', {
      value: () => {
        asked += 1;
      },
      configurable: true,
    });
    try {
      expect(through({ replaced, n: 1n })).toEqual({ replaced, n: 1n });
    } finally {
      Reflect.deleteProperty(BigInt.prototype, 'toJSON');
    }
    expect(asked).toBe(0);
  });

  test('whatever it is, nothing is thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withBoxedValues: true, withTypedArray: true, withNullPrototype: true }), (value) => {
        const encoded = encode(value);
        if ('text' in encoded) expect(() => JSON.parse(encoded.text)).not.toThrow();
      }),
    );
  });
});

describe('hostile text', () => {
  const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
  const cases = [
    '{"$":1}',
    '{"$":null}',
    '{"$":[]}',
    '{"$":["nobody"]}',
    '{"$":["constructor"]}',
    '{"$":["__proto__"]}',
    '{"$":"undefined","a":1}',
    '{"$":"hole"}',
    '{"a":{"$":"hole"}}',
    '{"$":["bigint","1n"]}',
    '{"$":["bigint",1]}',
    '{"$":["bigint","1","2"]}',
    '{"$":["bigint"," 1"]}',
    '{"$":["date","x"]}',
    '{"$":["date",1e300]}',
    '{"$":["date",0.5]}',
    '{"$":["date"]}',
    '{"$":["map",1]}',
    '{"$":["map",1,2,1,3]}',
    '{"$":["set",1,1]}',
    '{"$":["bytes","*"]}',
    '{"$":["bytes","YQ"]}',
    '{"$":["error","E"]}',
    '{"$":["error",1,2]}',
    '{"$":["ref",1]}',
    '{"$":["object",{}]}',
    '{"$":["object",[]]}',
    '{"$":["object",{"$":{"$":"x"}}]}',
    deep,
    deep.replaceAll('[', '{"$":["set",').replaceAll(']', ']}'),
  ];
  test.each(cases)('%.60s is journal_corrupt', (text) => {
    expect(() => revive(JSON.parse(text))).toThrow(
      expect.objectContaining({ code: 'journal_corrupt', name: 'JournalError' }),
    );
  });

  test('ends in a value or in journal_corrupt, whatever it is', () => {
    const leaf = fc.oneof(
      fc.constantFrom('undefined', 'hole', '-0', 'map', 'set', 'object', 'error', 'date', 'bigint', '$'),
      fc.jsonValue(),
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        leaf,
        fc.array(tie('node')),
        fc.dictionary(fc.constantFrom('$', '__proto__', 'a'), tie('node')),
        fc.record({ $: fc.array(tie('node')) }),
      ),
    }));
    fc.assert(
      fc.property(node, (value) => {
        try {
          revive(JSON.parse(JSON.stringify(value)));
        } catch (error) {
          expect(error).toBeInstanceOf(JournalError);
          expect(error).toMatchObject({ code: 'journal_corrupt' });
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
