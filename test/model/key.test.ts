import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KeyError, overlaps, parseKey } from '../../src/model/key.ts';

const segments = (text: string) => parseKey(text).segments;

describe('K4: reading a key', () => {
  test('a path is a key, segment by segment', () => {
    expect(parseKey('slots/0/value')).toEqual({
      text: 'slots/0/value',
      segments: ['slots', '0', 'value'],
      pattern: false,
    });
  });

  test('a scheme at the start is a segment of its own', () => {
    expect(segments('calendar:p1/2026-11')).toEqual(['calendar:', 'p1', '2026-11']);
    expect(segments('x-1.y+z:a')).toEqual(['x-1.y+z:', 'a']);
    expect(segments('a/b:c')).toEqual(['a', 'b:c']);
    expect(segments('Calendar:p1')).toEqual(['Calendar:p1']);
    expect(segments('1a:p1')).toEqual(['1a:p1']);
    expect(segments('a_b:p1')).toEqual(['a_b:p1']);
  });

  test('a star stands for one segment, and only as a whole segment', () => {
    expect(parseKey('slots/*/value')).toEqual({
      text: 'slots/*/value',
      segments: ['slots', '*', 'value'],
      pattern: true,
    });
    expect(parseKey('notes/5*3')).toEqual({ text: 'notes/5*3', segments: ['notes', '5*3'], pattern: false });
  });

  test('two stars at the end say "all below", which the prefix says anyway', () => {
    expect(parseKey('calendar:**')).toEqual({ text: 'calendar:**', segments: ['calendar:'], pattern: true });
    expect(parseKey('**')).toEqual({ text: '**', segments: [], pattern: true });
  });

  test('segments are byte-exact', () => {
    expect(overlaps(parseKey('caf\u00e9'), parseKey('cafe\u0301'))).toBe(false);
    expect(overlaps(parseKey('A'), parseKey('a'))).toBe(false);
  });

  test.each([
    ['', 'empty segment'],
    ['a//b', 'empty segment'],
    ['/a', 'empty segment'],
    ['a/', 'empty segment'],
    ['calendar:', 'empty segment'],
    ['calendar:/a', 'empty segment'],
    ['a/./b', '"." or ".."'],
    ['a/../b', '"." or ".."'],
    ['calendar:..', '"." or ".."'],
    ['a/**/b', 'last segment'],
    ['**/**', 'last segment'],
    ['a\0b', 'NUL'],
    ['a\ud800', 'lone surrogate'],
  ])('%j is refused: %s', (text, why) => {
    expect(() => parseKey(text)).toThrow(KeyError);
    expect(() => parseKey(text)).toThrow(why);
  });
});

describe('K4: overlap', () => {
  test.each([
    ['slots', 'slots/0/value', true],
    ['slots/0/value', 'slots/*/value', true],
    ['slots/*/value', 'slots/0', true],
    ['slots/0/value', 'slots/1/value', false],
    ['slots/*/value', 'slots/*/status', false],
    ['a/*', '*/b', true],
    ['a/*/c', 'a/b/d', false],
    ['calendar:**', 'calendar:p1/2026', true],
    ['calendar:**', 'calendars/p1', false],
    ['**', 'api:stripe/customer', true],
    ['*', 'calendar:p1', true],
    ['*/p1', 'calendar:p1', true],
    ['slot', 'slots', false],
  ])('of %s and %s is %s', (a, b, expected) => {
    expect(overlaps(parseKey(a), parseKey(b))).toBe(expected);
    expect(overlaps(parseKey(b), parseKey(a))).toBe(expected);
  });

  test('is what it is called: two keys overlap iff some concrete key lies under both', () => {
    const segment = fc.constantFrom('a', 'b', '*');
    const key = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const concrete = (parts: readonly string[], path: readonly string[]) =>
      parts.every((part, depth) => part === '*' || part === path[depth]);
    const abc = ['a', 'b', 'c'];
    const paths = abc.flatMap((x) => abc.flatMap((y) => abc.map((z) => [x, y, z])));
    fc.assert(
      fc.property(key, key, (left, right) => {
        const [a, b] = [parseKey(left), parseKey(right)];
        const under = paths.some((path) => concrete(a.segments, path) && concrete(b.segments, path));
        expect(overlaps(a, b)).toBe(under);
      }),
    );
  });
});
