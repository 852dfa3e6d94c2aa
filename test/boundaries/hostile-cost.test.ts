/** Config files that are built to cost are refused, and the largest that are read are read, in time. */
import { describe, expect, test } from 'vitest';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { PLAIN } from './config.ts';
import { refused, workSince } from './refused.ts';

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
    expect(workSince(start)).toBeLessThan(30_000);
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
