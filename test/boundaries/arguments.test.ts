/** `input` and `computed` of a tool, as a config says them: what is refused, and what a review says of a change. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { compileDerivation } from '../../src/predicates/compile.ts';

const found = (says: string) => {
  const { findings } = loadConfig(`belay: 1\nagent: m\ntools:\n  pay: { effect: none, ${says} }\nskeletons: {}\n`, {
    file: 'm.yaml',
  });
  return findings.map(({ line, column, code }) => `${line}:${column} ${code}`);
};

describe('what is said of arguments', () => {
  test.each([
    ["computed: { total: 'args.lines.map(l, l.cents).sum()' }", []],
    ['input: { type: object }', []],
    ['input: { pattern: a }', ['4:31 bad_input_schema']],
    ["computed: { a: 'args.x', b: 'args.a' }", ['4:49 bad_computed']],
    [`computed: { a: 'args["a"]' }`, ['4:36 bad_computed']],
    ["computed: { a: 'memory.x' }", ['4:40 unknown_variable']],
    ["computed: { a: '1 +' }", ['4:43 predicate_syntax']],
    ['computed: {}', ['4:24 out_of_range']],
  ])('%s', (says, codes) => {
    expect(found(says)).toEqual(codes);
  });
});

describe('sum()', () => {
  const sum = (list: unknown) => {
    const compiled = compileDerivation('args.n.sum()');
    if (!('ok' in compiled)) throw new Error('it does not compile');
    return compiled.ok.evaluate({ n: list });
  };

  test.each([
    [[], { value: 0 }],
    [[1, 2, 3], { value: 6 }],
    [[0.5, 1], { value: 1.5 }],
    [[2 ** 53 - 1, -5], { value: 2 ** 53 - 6 }],
    [[2 ** 53 - 1, 1], { reason: 'a whole number is too large for JSON' }],
    [[1, null], { reason: 'sum() adds numbers, and one member is null' }],
    [[Number.NaN], { reason: 'sum() adds numbers, and one member is no exact number' }],
    [[2 ** 60], { reason: 'sum() adds numbers, and one member is no exact number' }],
    [{ a: 1 }, { reason: 'a map has no sum()' }],
    [Array.from({ length: 20_000 }, () => 1), { reason: 'too_costly: the question looks at more than 10000 members' }],
  ])('case %#', (list, value) => {
    expect(sum(list)).toEqual(value);
  });
});
