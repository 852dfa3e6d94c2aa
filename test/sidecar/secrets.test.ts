/** Texts and values without what is not to be shown. */
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/projection/secrets.ts';

function keeping(...values: unknown[]): Secrets {
  const secrets = new Secrets('***');
  for (const value of values) secrets.learn(value);
  return secrets;
}

describe('a text', () => {
  test.each<[string, unknown, string, string]>([
    ['a value in it', 'abcd', 'xabcdx abcd', 'x***x ***'],
    ['a value as JSON writes it', 'a"bcd', 'got {"v":"a\\"bcd"}', 'got {"v":"***"}'],
    ['a value as a URL has it', 'a b/cd', 'GET /a%20b%2Fcd', 'GET /***'],
    ['a number', 41111, 'card 41111', 'card ***'],
    ['a big integer', 41111n, 'card 41111', 'card ***'],
    ['three characters as a word', '123', 'cvv 123, not 41234', 'cvv ***, not 41234'],
    ['every member of a value', { a: ['first'], b: new Map([['k', 'second']]) }, 'first second', '*** ***'],
    ['a value that holds another', ['abcd', 'abcdef'], 'abcdef abcd', '*** ***'],
    ['what a cut has left of a value', 'abcdefgh', `it was abcde...`, 'it was ***...'],
    ['signs that a pattern would obey', '.*?', 'a .*? b', 'a *** b'],
  ])('loses %s', (_, value, text, hidden) => {
    expect(keeping(value).hidden(text)).toBe(hidden);
  });

  test('keeps single characters, booleans and what is empty: every text has those', () => {
    expect(keeping('a', '', true, null, undefined, 7).hidden('a true null undefined 7')).toBe(
      'a true null undefined 7',
    );
  });
});

test('a value loses them in its texts, numbers, names, maps, sets and errors, and keeps the rest', () => {
  const secrets = keeping('abcd', 4711, new URL('https://x.example/abcd'));
  const error = secrets.without(new Error('no abcd')) as Error;
  expect(error.message).toBe('no ***');
  expect(
    secrets.without({
      text: 'an abcd',
      number: 4711,
      other: 471,
      abcd: [new Map([['k', 'abcd']]), new Set(['abcd'])],
      url: new URL('https://x.example/abcd'),
      nothing: null,
    }),
  ).toEqual({
    text: 'an ***',
    number: '***',
    other: 471,
    '***': [new Map([['k', '***']]), new Set(['***'])],
    url: '***',
    nothing: null,
  });
});

test('what holds itself, runs code or resists being looked at is passed over', () => {
  const cycle: Record<string, unknown> = { text: 'abcd' };
  cycle.self = cycle;
  const hostile = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('no');
      },
    },
  );
  const getter = {
    get trap(): string {
      throw new Error('ran');
    },
  };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const secrets = keeping(cycle, hostile, revoked, getter);
  expect(secrets.hidden('an abcd')).toBe('an ***');
  expect(secrets.without({ cycle, hostile, getter })).toEqual({
    cycle: { text: '***', self: '***' },
    hostile: {},
    getter: {},
  });
});
