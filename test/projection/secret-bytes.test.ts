/** Bytes and dates that are not to be shown, in each of the texts that they come up as. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/projection/secrets.ts';

const KEY = 'correct-horse-battery';
const bytes = Buffer.from(KEY);

function keeping(...values: unknown[]): Secrets {
  const secrets = new Secrets('***');
  for (const value of values) secrets.learn(value);
  return secrets;
}

const HOLDERS: [string, unknown][] = [
  ['a Buffer', Buffer.from(KEY)],
  ['a Uint8Array', new Uint8Array(bytes)],
  ['a part of a larger buffer', Buffer.concat([Buffer.from('before'), bytes]).subarray(6)],
  ['an ArrayBuffer', new Uint8Array(bytes).buffer],
  ['a DataView', new DataView(new Uint8Array(bytes).buffer)],
  ['an Int8Array', new Int8Array(bytes)],
  ['a map in a set in a list', [new Set([new Map([['key', new Uint8Array(bytes)]])])]],
];
const long = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 37) % 256));

describe.each(HOLDERS)('%s', (_, holder) => {
  const secrets = keeping(holder);
  test.each<[string, string, string]>([
    ['UTF-8', KEY, '***'],
    ['hex', bytes.toString('hex'), '***'],
    ['hex in capitals', bytes.toString('hex').toUpperCase(), '***'],
    ['hex with colons', bytes.toString('hex').replace(/(..)(?!$)/g, '$1:'), '***'],
    ['hex with prefixes', bytes.toString('hex').replace(/(..)(?!$)/g, '0x$1, '), '***'],
    ['base64', bytes.toString('base64'), '***'],
    ['a list', bytes.join(','), '***'],
    ['JSON of a view', JSON.stringify(new Uint8Array(bytes)), '{***}'],
    ['JSON of a Buffer', JSON.stringify(bytes), '{"type":"Buffer","data":[***]}'],
    ['a Buffer as Node prints it', inspect(bytes), '<Buffer ***>'],
    ['a view as Node prints it', inspect(new Uint8Array(bytes)), 'Uint8Array(21) [\n   ***\n]'],
  ])('is in no text as %s', (_how, text, hidden) => {
    expect(secrets.hidden(`got ${text} here`)).toBe(`got ${hidden} here`);
  });

  test('is in no value, in whatever form', () => {
    const inside = {
      a: new Uint8Array(bytes),
      b: [...bytes],
      c: Buffer.concat([bytes, bytes]),
      d: [1, 2, 3],
      e: Buffer.from('other'),
    };
    expect(secrets.without(inside)).toEqual({ a: '***', b: '***', c: '***', d: [1, 2, 3], e: Buffer.from('other') });
  });
});

test('bytes of a view that is printed in part, and of one that is no text, are not shown', () => {
  const secrets = keeping(long);
  for (const text of [
    inspect(long),
    inspect(new Uint8Array(long)),
    long.toString('latin1'),
    String(long),
    long.toString('base64url'),
  ])
    expect(secrets.hidden(text)).toMatch(/\*\*\*/);
  expect(secrets.hidden(inspect(new Uint8Array(long)))).not.toMatch(/\d{2,}, +\d{2,}/);
  expect(keeping(new Uint32Array([123_456, 7_890_123])).hidden('of [ 123456, 7890123 ]')).toBe('of [ *** ]');
});

test('bytes of a text that is not to be shown are no bytes that are', () => {
  expect(keeping(KEY).without([Buffer.from(`a ${KEY}`), [...bytes]])).toEqual(['***', '***']);
});

test('two or three bytes are taken out as words and whole lists, and not within others', () => {
  const secrets = keeping(new Uint8Array([49, 50, 51]));
  expect(secrets.hidden('123 and [49, 50, 51], not 41234, [1, 49, 50, 51] or 313233')).toBe(
    '*** and [***], not 41234, [1, 49, 50, 51] or 313233',
  );
});

test('a date is found in its usual texts, and an error by its message', () => {
  const date = new Date('1980-05-17T00:00:00.000Z');
  const secrets = keeping(new Map([['born', date]]), new Error('inner secret'));
  for (const text of [
    date.toISOString(),
    String(date),
    date.toUTCString(),
    String(date.getTime()),
    '1980-05-17',
    'inner secret',
  ])
    expect(secrets.hidden(`got ${text} here`)).toBe('got *** here');
  expect(secrets.without({ at: new Date(date), other: new Date(5) })).toEqual({ at: '***', other: new Date(5) });
});

test('any bytes are in no text that an encoding makes of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 4, maxLength: 80 }), (each) => {
      const secrets = keeping(each);
      const buffer = Buffer.from(each);
      for (const how of ['hex', 'base64', 'base64url', 'latin1', 'utf8'] as const) {
        const text = buffer.toString(how);
        if (text.length >= 4) expect(secrets.hidden(`<${text}>`)).not.toContain(text);
      }
      expect(secrets.hidden(`[${each.join(', ')}]`)).toBe('[***]');
    }),
  );
});

test('a long text of digits and spaces is gone through in one pass', () => {
  const secrets = keeping(bytes, long);
  for (const text of [
    '9'.repeat(200_000),
    '1 '.repeat(100_000),
    `1${' '.repeat(200_000)}x`,
    'a'.repeat(200_000),
    '1:'.repeat(100_000),
  ])
    expect(secrets.hidden(text)).toBe(text);
});
