/** Texts of predicates that ask for too much are refused with their place, and whatever the text nothing is thrown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { compileEntity, compilePredicate } from '../../src/predicates/compile.ts';
import { readsOf } from '../../src/predicates/reads.ts';
import { facts } from './facts.ts';
import { timed } from './timed.ts';

const codes = (text: string) => {
  const compiled = compilePredicate(text);
  return 'problems' in compiled ? compiled.problems.map(({ code }) => code) : [];
};

describe('a text that asks for too much is refused, with its place', () => {
  test.each([
    ['memory.s.matches("^(a+)+$")', 'banned_matches'],
    ['memory.a.exists(x, x.b.exists(y, y == x))', 'banned_nested_macro'],
    ['memory.a.all(x, memory.b.filter(y, y).size() > 0)', 'banned_nested_macro'],
    ['entity in memory.slots', 'banned_in'],
    ['"a" in {"a": 1}', 'banned_in'],
    ['memory.n + 1 > 2', 'banned_arithmetic'],
    ['-memory.n < 0', 'banned_arithmetic'],
    ['memory.n % 2 == 0', 'banned_arithmetic'],
    ['cel.bind(x, memory, x.n > 1)', 'unknown_function'],
    ['optional.of(1).hasValue()', 'unknown_function'],
    ['memory.s.split("").size() > 1', 'unknown_function'],
    ['timestamp("2026-01-01T00:00:00Z") > memory.t', 'unknown_function'],
    ['type(memory.n) == double', 'unknown_function'],
    ['dyn(memory.n) == 1', 'unknown_function'],
    ['constructor', 'unknown_variable'],
    ['process.env', 'unknown_variable'],
    ['memory.constructor == 1', 'banned_form'],
    ['memory["__proto__"] == 1', 'banned_form'],
    ['memory.a.exists(memory, true)', 'banned_form'],
    ['memory.b == b"x"', 'banned_form'],
    ['memory.n == 3u', 'banned_form'],
    ['state == 3', 'predicate_type'],
    ['"x"', 'predicate_type'],
    ['has(memory)', 'predicate_type'],
    ['memory.x.exists(x)', 'unknown_function'],
    ['1 +', 'predicate_syntax'],
    ['', 'predicate_syntax'],
    ['\0', 'predicate_syntax'],
    ['"\ud800" == memory.s', 'predicate_syntax'],
    [`${'('.repeat(500)}true${')'.repeat(500)}`, 'predicate_too_complex'],
    [`memory${'.a'.repeat(500)}`, 'predicate_too_complex'],
    ['['.repeat(900), 'predicate_too_complex'],
    [Array.from({ length: 300 }, () => 'true').join('&&'), 'predicate_too_complex'],
    [`memory.s == "${'a'.repeat(3_000)}"`, 'predicate_too_long'],
    ['a'.repeat(5_000_000), 'predicate_too_long'],
  ])('%.60s', (text, code) => {
    const [found, time] = timed(() => codes(text));
    expect(found).toContain(code);
    expect(time).toBeLessThan(5_000);
  });

  test('every problem at once, in the order of the text', () => {
    const compiled = compilePredicate('memory.s.matches("a") || foo == 1 || memory.n + 1 == 2');
    expect('problems' in compiled && compiled.problems.map(({ code, offset }) => [code, offset])).toEqual([
      ['banned_matches', 0],
      ['unknown_variable', 25],
      ['banned_arithmetic', 37],
    ]);
  });

  test('whatever the text, compiling and asking throw nothing', () => {
    const pieces = fc.constantFrom(
      'memory',
      '.a',
      '?',
      '[',
      ']',
      '(',
      ')',
      ' && ',
      '!',
      '"x"',
      '1',
      ' in ',
      '{',
      '}',
      ':',
      ',',
      'x',
      '.exists(x, ',
      ' == ',
      'state',
      '\n',
      '\\',
      '-',
      '.?',
      '[?',
      'has(',
      'null',
    );
    const memory = { a: { x: 1 }, x: [1, 'x'] };
    let compiledOnes = 0;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
          fc
            .array(
              fc.constantFrom('memory.a.x == 1', 'memory[?"a"].hasValue()', '&&', '||', 'memory.x.exists(x, x == 1)'),
              { maxLength: 5 },
            )
            .map((parts) => parts.join(' ')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const compiled = compilePredicate(text);
          for (const read of readsOf(text)) keyTemplate(read);
          compileEntity(text);
          if ('problems' in compiled) {
            for (const { offset } of compiled.problems) expect(offset).toBeLessThanOrEqual(text.length);
            return;
          }
          compiledOnes += 1;
          expect(['yes', 'no', 'unknown']).toContain(compiled.ok.ask(facts({ memory })).is);
        },
      ),
      { numRuns: 3_000, seed: 5 },
    );
    expect(compiledOnes).toBeGreaterThan(100);
  });
});
