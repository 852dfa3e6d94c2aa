import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EncodeOptions, encode, revive } from '../../src/journal/codec.ts';
import { JournalError } from '../../src/journal/journal.ts';

function textOf(value: unknown, options?: EncodeOptions): string {
  const encoded = encode(value, options);
  if (!('text' in encoded)) throw new Error(`${encoded.reason} at ${encoded.path.join('/')}`);
  return encoded.text;
}
const through = (value: unknown) => revive(JSON.parse(textOf(value)));
const own = (key: string, value: unknown) =>
  Object.defineProperty({}, key, { value, enumerable: true, writable: true, configurable: true });

describe('comes back equal', () => {
  // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
  const holes = [1, , 3, ,];
  const cases: [string, unknown][] = [
    ['null', null],
    ['numbers at their ends', [0, -0, 1e21, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    ['undefined, alone', undefined],
    ['undefined as a member', { a: undefined, b: [undefined] }],
    ['holes', holes],
    ['big integers', [0n, -1n, 2n ** 70n, { n: 10n ** 1000n }]],
    ['dates', [new Date(0), new Date(-1), new Date(8.64e15)]],
    [
      'maps and sets in each other',
      new Map<unknown, unknown>([['a', new Set([1, new Map([[{ k: 1 }, [new Set()]]])])]]),
    ],
    ['bytes', new Uint8Array([0, 1, 254, 255])],
    ['lone surrogates', ['\ud800', 'a\udfff\ud83d', { '\udc00': '\ud83d\ude00' }]],
    ['control characters, quotes and separators', '\u0000\u001f"\\/\u007f\u0080\u2028\u2029'],
    ['the tag as a key', { $: 1 }],
    ['what looks like a tag', { $: 'undefined', a: { $: ['map', 1, 2] }, b: [{ $: { $: 'hole' } }] }],
    ['constructor and toString as keys', { constructor: 1, toString: { valueOf: null } }],
  ];
  test.each(cases)('%s', (_name, value) => expect(through(value)).toStrictEqual(value));

  test('a value in as many containers as may be, a scalar with a tag innermost', () => {
    let deep: unknown = [undefined, -0, 1n, Number.NaN];
    for (let level = 1; level < 256; level += 1) deep = level % 2 === 0 ? [deep] : new Map([['k', deep]]);
    expect(isDeepStrictEqual(through(deep), deep)).toBe(true);
  });

  test('what is near the limit, however it is nested, and what is written is what was counted', () => {
    let nested: unknown = 'x'.repeat(3 * 1024 * 1024);
    for (let level = 0; level < 50; level += 1) nested = level % 2 === 0 ? new Set([nested]) : { $: nested };
    expect(isDeepStrictEqual(through(nested), nested)).toBe(true);
    const padded = (length: number) => [new Map([['k', { $: [new Set([{}, []])] }]]), 'x'.repeat(length)];
    const rest = textOf(padded(0)).length;
    expect(textOf(padded(4 * 1024 * 1024 - rest))).toHaveLength(4 * 1024 * 1024);
    expect(encode(padded(4 * 1024 * 1024 - rest + 1))).toMatchObject({ reason: 'too_large' });
    expect(encode(new Set(Array.from({ length: 1_500_000 }, () => ({}))))).toMatchObject({ reason: 'too_large' });
  });

  test('an own __proto__ stays an own key and touches no prototype', () => {
    const back = through({ deep: own('__proto__', { polluted: -0 }) }) as { deep: object };
    expect(Object.keys(back.deep)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(back.deep)).toBe(Object.prototype);
    expect(Object.getOwnPropertyDescriptor(back.deep, '__proto__')?.value).toEqual({ polluted: -0 });
    expect('polluted' in {}).toBe(false);
  });

  test('an invalid date stays invalid, an object without a prototype comes back plain, a buffer as bytes', () => {
    expect((through(new Date(Number.NaN)) as Date).getTime()).toBeNaN();
    expect(through(Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 });
    expect(through(Buffer.from('ab'))).toStrictEqual(new Uint8Array([97, 98]));
  });

  test('an error keeps name, message and code, and no stack', () => {
    const back = through(Object.assign(new TypeError('no "x"'), { code: 'E_X' })) as Error & { code: string };
    expect(back).toBeInstanceOf(Error);
    expect([back.name, back.message, back.code, back.stack]).toEqual([
      'TypeError',
      'no "x"',
      'E_X',
      'TypeError: no "x"',
    ]);
    expect('code' in (through(new Error('x')) as Error)).toBe(false);
    expect(through(new DOMException('late', 'TimeoutError'))).toMatchObject({ name: 'TimeoutError', message: 'late' });
  });

  test('plain JSON is written as JSON.stringify writes it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('"$"') && !hasMinusZero(value));
        expect(textOf(value)).toBe(JSON.stringify(value));
      }),
    );
  });

  test('anything that has a form', () => {
    const anything = fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withNullPrototype: false,
      maxDepth: 5,
      key: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('$', '__proto__', 'constructor', 'toJSON')),
      values: [
        fc.string({ unit: 'binary' }),
        fc.double(),
        fc.bigInt(),
        fc.constantFrom(undefined, null, -0, '$'),
        fc.uint8Array(),
        fc.date({ noInvalidDate: true }),
      ],
    });
    fc.assert(
      fc.property(anything, (value) => {
        // The matcher would ask a key named constructor for the type.
        expect(isDeepStrictEqual(through(value), value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

function hasMinusZero(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(hasMinusZero);
  return Object.is(value, -0);
}

describe('a reference', () => {
  const actor = { id: 'child', sessionId: 'x:1', send() {} };
  const reference = (value: object) => ('sessionId' in value ? (value as typeof actor).id : null);
  test('is written by its id, and found again by it', () => {
    const parsed = JSON.parse(textOf({ a: [actor], b: {} }, { reference }));
    expect(revive(parsed, { resolve: (id) => (id === 'child' ? actor : null) })).toEqual({ a: [actor], b: {} });
  });
  test('is an object with its id where nobody resolves it', () => {
    expect(revive(JSON.parse(textOf(actor, { reference })))).toEqual({ id: 'child' });
  });
  test('is refused where nobody knows references', () => {
    expect(encode({ a: actor })).toEqual({ path: ['a', 'send'], reason: 'function' });
  });
});

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
