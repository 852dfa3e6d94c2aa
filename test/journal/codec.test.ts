/** Values of every kind come back equal from the codec, and references by their ids. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encode, revive } from '../../src/journal/codec.ts';
import { own, textOf, through } from './coded.ts';

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
