/** What a config file may hold that was not written to be read: a finding with its place, in time, and never an exception. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { configFiles, readConfig, readLock, writeLock } from '../../src/boundaries/directory.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { isReviewed, parseLock } from '../../src/boundaries/review.ts';
import { found, load, PLAIN } from './config.ts';

/** Milliseconds of work since a mark, of this process: how busy the machine is with others is no matter. */
const workSince = (mark: NodeJS.CpuUsage) => process.cpuUsage(mark).user / 1_000;

/** The codes of a file, which must be refused within a second of work. */
function refused(content: string | Uint8Array): string[] {
  const start = process.cpuUsage();
  const { config, findings } = loadConfig(content, { file: 'x.yaml' });
  expect(workSince(start)).toBeLessThan(1_000);
  expect(config).toBe(null);
  expect(findings.length).toBeGreaterThan(0);
  expect(findings.length).toBeLessThanOrEqual(201);
  for (const { line, column, message, mend } of findings) {
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(message.length + mend.length).toBeLessThan(2_000);
  }
  return [...new Set(findings.map(({ code }) => code))];
}

const lines = (line: (index: number) => string, most = 250_000) => {
  const out: string[] = [];
  for (let length = 0, index = 0; length < most; index += 1) {
    out.push(line(index));
    length += (out.at(-1) as string).length + 1;
  }
  return `${out.join('\n')}\n`;
};

describe('a file that is built to cost', () => {
  const laughs = [
    'a: &a [x, x]',
    ...Array.from(
      { length: 30 },
      (_, i) => `l${i}: &l${i} [*${i === 0 ? 'a' : `l${i - 1}`}, *${i === 0 ? 'a' : `l${i - 1}`}]`,
    ),
  ].join('\n');
  test.each([
    ['a billion laughs', laughs, 'alias'],
    ['flow nested 20,000 deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'too_deep'],
    ['flow maps nested 20,000 deep', '{a: '.repeat(20_000), 'too_deep'],
    [
      'block nested 700 deep',
      Array.from({ length: 700 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      'too_deep',
    ],
    ['compact lists nested 100,000 deep', '- '.repeat(100_000), 'too_deep'],
    ['explicit keys nested 100,000 deep', '? '.repeat(100_000), 'too_deep'],
    ['nested 33 deep', `agent: ${'['.repeat(33)}${']'.repeat(33)}`, 'too_deep'],
    ['60,000 names', lines((index) => `${index.toString(36)}:`), 'too_large'],
    ['2,500 unknown names', lines((index) => `name${index}: 1`, 28_000), 'unknown_field'],
    ['7,000 unknown names', lines((index) => `name${index}: 1`, 80_000), 'too_large'],
    ['one name, many times', lines(() => 'agent: m', 48_000), 'duplicate_key'],
    [
      '1,200 rules for tools that nobody knows',
      PLAIN.replace(
        'skeletons:',
        `recover:\n${'  - { tool: qwertyuiopasdfghjklzxcvbnmqwertyuiop, signals: [TIMEOUT] }\n'.repeat(1_200)}skeletons:`,
      ).replace(
        '  work:',
        `${Array.from({ length: 400 }, (_, i) => `  asdfghjklzxcvbnmqwertyuiopasdfghjklzx${i}: { effect: none }\n`).join('')}  work:`,
      ),
      'unknown_tool',
    ],
    [
      '500 output schemas, each wrong',
      PLAIN.replace(
        '  work:',
        `${Array.from({ length: 500 }, (_, i) => `  t${i}: { effect: none, output: { type: x${i} } }\n`).join('')}  work:`,
      ),
      'bad_output_schema',
    ],
    [
      '5,000 states and entries',
      PLAIN.replace('[BUSY]', `[${Array.from({ length: 2_500 }, (_, i) => `S${i}`).join(', ')}]`).replace(
        'entry: [BUSY]',
        `entry: [${Array.from({ length: 2_500 }, (_, i) => `T${i}`).join(', ')}]`,
      ),
      'entry_outside_states',
    ],
    ['a flow map of 100,000 names', `{${'a,'.repeat(100_000)}}`, 'too_large'],
    ['100,000 commas', `[${','.repeat(100_000)}`, 'too_large'],
    ['100,000 closing braces', '}'.repeat(100_000), 'too_large'],
    ['20,000 closing braces', '}'.repeat(20_000), 'yaml_syntax'],
    ['50,000 documents', '---\n'.repeat(50_000), 'too_large'],
    ['50,000 anchors', '&a '.repeat(50_000), 'too_large'],
    ['20,000 anchors', '&a '.repeat(20_000), 'yaml_syntax'],
    ['comments and nothing else', '#\n'.repeat(120_000), 'too_large'],
    ['blank lines and nothing else', '\n'.repeat(20_000), 'not_one_document'],
    ['directives', '%A\n'.repeat(15_000), 'yaml_syntax'],
    ['a megabyte', `agent: ${'a'.repeat(1024 * 1024)}`, 'too_large'],
    ['a name of 200,000 letters', `? ${'a'.repeat(200_000)}\n: 1`, 'unknown_field'],
    ['an agent of 200,000 letters', PLAIN.replace('agent: m', `agent: ${'m'.repeat(200_000)}`), 'out_of_range'],
    ['a condition of 200,000 letters', PLAIN.replace('args.id\n', `${'a'.repeat(200_000)}\n`), 'predicate_too_long'],
    [
      '5,000 tools',
      PLAIN.replace('  work:', `${Array.from({ length: 2_000 }, (_, i) => `  t${i}: 1\n`).join('')}  work:`),
      'wrong_type',
    ],
    [
      'a condition nested 1,000 deep',
      PLAIN.replace('args.id\n', `${'('.repeat(900)}args.id${')'.repeat(900)}\n`),
      'predicate_too_complex',
    ],
  ])('%s', (_what, content, code) => {
    expect(refused(content)).toContain(code);
  });

  test('a config of the most values is loaded and linted in time', () => {
    const keys = Array.from({ length: 9 }, (_, list) =>
      Array.from({ length: 190 }, (_, i) => `k${list}/{args.x${i}}/y`),
    );
    const tools = keys.map(
      (list, i) =>
        `  t${i}: { effect: none, writes: [${list.map((key) => `'${key}'`).join(', ')}], output: { type: array } }\n`,
    );
    const outputs = keys.map(
      (list, i) =>
        `  U${i}: { entity: args.x, states: [S${i}], entry: [S${i}], outputs: [${list.map((key) => `'z${key}'`).join(', ')}] }\n`,
    );
    const text = PLAIN.replace('  work:', `${tools.join('')}  work:`).replace('  Unit:', `${outputs.join('')}  Unit:`);
    const start = process.cpuUsage();
    const { config, document } = loadConfig(text, { file: 'x' });
    if (config === null) throw new Error('refused');
    expect(lintConfig(config, document, null).length).toBe(201);
    expect(workSince(start)).toBeLessThan(6_000);
  });

  test('every file of the most pieces that are read is read in time', () => {
    for (const piece of [
      'a,',
      '- #\n',
      '"',
      "'",
      '- a\n',
      'a: b\n',
      '&a ',
      '!a ',
      '[a]\n',
      '>\n a\n',
      '\t\n',
      '*a\n',
      '\\',
      ': ',
      '}\n',
      '@\n',
    ]) {
      refused(`x: [${piece.repeat(Math.min(14_000, Math.floor(200_000 / piece.length)))}`);
      refused(piece.repeat(Math.min(14_000, Math.floor(200_000 / piece.length))));
    }
  });
});

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

describe('a lock that is no lock', () => {
  const good = { agent: 'm', digest: 'a'.repeat(64), by: 'Ada', when: '2026-01-01T00:00:00.000Z' };
  const lockOf = (reviews: unknown) => JSON.stringify({ version: 1, reviews });
  test.each([
    ['nothing', ''],
    ['not JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another version', JSON.stringify({ version: 2, reviews: {} })],
    ['a list of reviews', lockOf([good])],
    ['a review without a digest', lockOf({ f: { ...good, digest: undefined } })],
    ['a digest that is too short', lockOf({ f: { ...good, digest: 'a' } })],
    ['a reviewer without a name', lockOf({ f: { ...good, by: ' ' } })],
    ['a reviewer with a terminal command', lockOf({ f: { ...good, by: '\u001b[31m' } })],
    ['a time that is none', lockOf({ f: { ...good, when: 'yesterday' } })],
    ['megabytes', ' '.repeat(2_000_000)],
  ])('%s', (_what, text) => {
    expect('problem' in parseLock(text)).toBe(true);
  });

  test('names of the prototype in it vouch for nothing', () => {
    const read = parseLock(`{"version":1,"reviews":{"__proto__":${JSON.stringify(good)}}}`);
    expect('lock' in read && isReviewed(read.lock, { agent: 'm', digest: 'b'.repeat(64) })).toBe(false);
    expect('lock' in read && isReviewed(read.lock, { agent: 'n', digest: good.digest })).toBe(false);
    expect('lock' in read && isReviewed(read.lock, { agent: 'm', digest: good.digest })).toBe(true);
  });
});

describe('files that are no files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('a device without an end is read as far as a config may go', () => {
    expect(readConfig('/dev/zero').findings).toMatchObject([{ code: 'too_large' }]);
  });

  test('a directory, a link to nowhere and nothing at all cannot be read', () => {
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling.yaml'));
    for (const path of [folder, join(folder, 'dangling.yaml'), join(folder, 'none')]) {
      expect(readConfig(path).findings).toMatchObject([{ code: 'cannot_read' }]);
    }
  });

  test('a directory gives its YAML files by name, and no other', () => {
    for (const name of ['b.yml', 'a.yaml', 'c.json', 'd.yaml.bak']) writeFileSync(join(folder, name), '');
    expect(configFiles(folder).map((path) => path.slice(folder.length + 1))).toEqual([
      'a.yaml',
      'b.yml',
      'dangling.yaml',
    ]);
  });

  test('a lock without an end is no lock', () => {
    const lock = join(folder, 'belay-review.lock');
    symlinkSync('/dev/zero', lock);
    expect(readLock(join(folder, 'a.yaml'))).toEqual({ problem: 'it is larger than any lock' });
    rmSync(lock);
  });

  test('a lock is written whole, replaces what was there, and leaves no draft', () => {
    const review = { agent: 'm', digest: 'a'.repeat(64), by: 'Ada', when: '2026-01-01T00:00:00.000Z' };
    const file = join(folder, 'a.yaml');
    expect(readLock(file)).toEqual({ lock: new Map() });
    writeLock(file, new Map([['a.yaml', review]]));
    writeLock(
      file,
      new Map([
        ['b.yml', review],
        ['a.yaml', review],
      ]),
    );
    expect(readLock(file)).toEqual({
      lock: new Map([
        ['a.yaml', review],
        ['b.yml', review],
      ]),
    });
    expect(() => writeLock(join(folder, 'no', 'x.yaml'), new Map())).toThrow(/ENOENT/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
