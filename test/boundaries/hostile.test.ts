/** Config files that are no plain data, hold wrong types or were cut: a finding with its place, and never an exception. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { found, load, PLAIN } from './config.ts';
import { refused } from './refused.ts';

describe('a file that is no plain data', () => {
  test.each([
    ['nothing', '', 'not_one_document'],
    ['a comment', '# nothing\n', 'not_one_document'],
    ['null', 'null', 'wrong_type'],
    ['a text', 'hello', 'wrong_type'],
    ['a list', '- 1', 'wrong_type'],
    ['two documents', `${PLAIN}---\n${PLAIN}`, 'not_one_document'],
    ['an alias', PLAIN.replace('agent: m', 'agent: &m m').replace('id: done', 'id: *m'), 'alias'],
    ['an anchor that nobody uses', PLAIN.replace('agent: m', 'agent: &m m'), 'alias'],
    ['an anchor on a map', PLAIN.replace('tools:', 'tools: &t'), 'alias'],
    ['an anchor on a name', PLAIN.replace('agent: m', '&a agent: m'), 'alias'],
    ['a tag', PLAIN.replace('agent: m', 'agent: !!str m'), 'tag'],
    ['a tag of its own', PLAIN.replace('agent: m', 'agent: !js m'), 'tag'],
    ['a tag on a map', PLAIN.replace('tools:', 'tools: !!map'), 'tag'],
    ['a merge key', PLAIN.replace('tools:', '<<: { tries: 5 }\ntools:'), 'merge_key'],
    ['__proto__', PLAIN.replace('tools:', '__proto__: { tries: 5 }\ntools:'), 'forbidden_key'],
    ['constructor, deep', PLAIN.replace('  work:', '  constructor: { effect: none }\n  work:'), 'forbidden_key'],
    [
      'prototype in a schema',
      PLAIN.replace('effect: none', 'effect: none, output: { properties: { prototype: {} } }'),
      'forbidden_key',
    ],
    ['a key twice', `${PLAIN}agent: n\n`, 'duplicate_key'],
    ['a key twice, once in quotes', `${PLAIN}"agent": n\n`, 'duplicate_key'],
    ['a number as a name', PLAIN.replace('  work:', '  1:'), 'name_not_text'],
    ['true as a name', PLAIN.replace('  Unit:', '  true:'), 'name_not_text'],
    ['null as a name', PLAIN.replace('  work:', '  ~:'), 'name_not_text'],
    ['a list as a name', PLAIN.replace('  work:', '  ? [a]\n  :'), 'name_not_text'],
    ['not a number', `${PLAIN}tries: .nan\n`, 'bad_number'],
    ['infinity', `${PLAIN}tries: .inf\n`, 'bad_number'],
    ['a number that is not exact', `${PLAIN}tries: 9007199254740993\n`, 'bad_number'],
    ['a NUL byte', PLAIN.replace('agent: m', 'agent: m\0'), 'control_character'],
    ['an escape character', PLAIN.replace('agent: m', 'agent: "\u001b[31mm"'), 'control_character'],
    ['a NUL by escape', PLAIN.replace('agent: m', 'agent: "m\\0"'), 'bad_text'],
    ['a terminal command by escape', PLAIN.replace('agent: m', 'agent: "\\e[31mm"'), 'bad_text'],
    ['a lone surrogate by escape', PLAIN.replace('agent: m', 'agent: "\\ud800"'), 'bad_text'],
    ['a lone surrogate', PLAIN.replace('agent: m', 'agent: \ud800'), 'not_utf8'],
    ['a NUL in a name, by escape', PLAIN.replace('  work:', '  "wo\\0rk":'), 'bad_text'],
    ['a tab for indentation', PLAIN.replace('  work:', '\twork:'), 'yaml_syntax'],
    ['a line separator', PLAIN.replace('agent: m', 'agent: m\u2028x'), 'control_character'],
    ['bytes that are no UTF-8', Uint8Array.from([0x61, 0xff, 0xfe]), 'not_utf8'],
    ['UTF-16', Buffer.from(`\ufeff${PLAIN}`, 'utf16le'), 'not_utf8'],
    ['an archive', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]), 'control_character'],
  ])('%s', (_what, content, code) => {
    expect(refused(content)).toContain(code);
  });

  test('has the place of what is wrong', () => {
    expect(found('agent: m', 'agent: &m m')).toEqual(['2:11 alias']);
    expect(found('  work:', '  "constructor": 1\n  work:')).toEqual(['4:3 forbidden_key']);
    expect(found('agent: m', 'agent: "a\\0"')).toEqual(['2:8 bad_text']);
    const { findings } = loadConfig(`a: 1\nb: \0`, { file: 'x' });
    expect(findings).toMatchObject([{ code: 'control_character', line: 2, column: 4 }]);
  });

  test('reads nothing from the prototype of a map', () => {
    expect(load().config?.tools.get('constructor')).toBe(undefined);
    expect(({} as Record<string, unknown>).tries).toBe(undefined);
  });
});

test('wrong types in every place are findings', () => {
  const values = [
    'null',
    'true',
    '1',
    '-1.5',
    "''",
    "'a'",
    '[]',
    '[1]',
    '[[]]',
    '{}',
    '{ a: 1 }',
    "'::'",
    "'a -> b -> c'",
    "'{'",
    "'**/*'",
    '[null]',
    "['a', 'a']",
  ];
  const places = [...PLAIN.matchAll(/(?<=: )(?:\[[^\]]*\]|'[^']*'|[\w.]+(?: -> \w+)?)/g)];
  expect(places.length).toBeGreaterThan(12);
  for (const { index, 0: old } of places) {
    for (const value of values) {
      const { config, document } = loadConfig(PLAIN.slice(0, index) + value + PLAIN.slice(index + old.length), {
        file: 'x',
      });
      if (config !== null) lintConfig(config, document, null);
    }
  }
});

test('whatever is cut out of a config, or put in, is answered', () => {
  const change = fc.record({
    at: fc.nat(PLAIN.length),
    cut: fc.nat(40),
    put: fc.constantFrom(
      '',
      '\n',
      '  ',
      '- ',
      ': ',
      '{',
      '}',
      '[',
      ']',
      "'",
      '"',
      '&a ',
      '*a',
      '!',
      '|',
      '>',
      '#',
      '\u00e9',
      '::',
      '\t',
    ),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      let text = PLAIN;
      for (const { at, cut, put } of changes) text = text.slice(0, at) + put + text.slice(at + cut);
      const { config, findings, document } = loadConfig(text, { file: 'x' });
      expect(config === null).toBe(findings.some(({ severity }) => severity === 'error'));
      if (config !== null) lintConfig(config, document, null);
    }),
    { numRuns: 1_500, seed: 3 },
  );
});

describe('an output schema is read as far as its cost is known', () => {
  const output = (schema: string) => found('effect: none', `effect: none, output: ${schema}`);
  test.each([
    ['a remote reference', '{ $ref: "https://example.com/schema.json" }'],
    ['a local reference', '{ $ref: "#" }'],
    ['a pattern', '{ type: string, pattern: "^(a+)+$" }'],
    ['patterns of names', '{ patternProperties: { "^(a+)+$": true } }'],
    ['a deep pattern', '{ properties: { a: { items: { anyOf: [{ pattern: x }] } } } }'],
    ['a comparison of all with all', '{ uniqueItems: true }'],
    ['a keyword of somebody else', '{ $async: true }'],
    ['a type that is none', '{ type: strnig }'],
    ['a limit that is none', '{ minLength: -1 }'],
    ['a schema that is a number', '{ not: 1 }'],
    ['too many parts', `{ enum: [${Array.from({ length: 600 }, (_, i) => i).join(',')}] }`],
  ])('%s is refused', (_what, schema) => {
    expect(output(schema)).toEqual(['4:73 bad_output_schema']);
  });

  test('an output that cannot be looked at is refused, not thrown', () => {
    const { config } = load(
      'effect: none',
      'effect: none, output: { required: [a], properties: { a: { type: string } } }',
    );
    const refuses = config?.tools.get('work')?.refuses;
    const trap = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
        has: () => {
          throw new Error('no');
        },
      },
    );
    expect(refuses?.(trap)).toBe('the output cannot be looked at');
    expect(
      refuses?.({
        get a() {
          throw new Error('no');
        },
      }),
    ).toBe('the output cannot be looked at');
    expect(refuses?.({})).toBe("the output must have required property 'a'");
    expect(refuses?.({ a: 'x' })).toBe(null);
    expect(refuses?.({ a: 1 })).toBe('/a must be string');
    expect(refuses?.(undefined)).toBe(null);
  });
});
