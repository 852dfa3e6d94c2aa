/** What docs/boundary-format.md says is so. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { NO_FACTS } from '../../src/boundaries/keys/holes.ts';
import { keyTemplate } from '../../src/boundaries/keys/key-template.ts';
import { BUILT_IN, SCOPE_KINDS } from '../../src/boundaries/keys/scopes.ts';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { EFFECT_CLASSES } from '../../src/model/effect.ts';
import { compilePredicate } from '../../src/predicates/compile.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { ask } from '../predicates/facts.ts';
import { scheduleForm } from './fixtures/machines.mjs';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/boundary-format.md');
const schema = JSON.parse(read('src/boundaries/boundary.schema.json'));

/** The names in the first column of the table that follows a heading. */
function table(heading: string): string[] {
  const from = page.indexOf(`\n${heading}\n`);
  expect(from).toBeGreaterThan(0);
  const rest = page.slice(from + heading.length + 2);
  const section = rest.slice(0, rest.search(/\n##/) + 1 || undefined);
  return [...section.matchAll(/^\| ((?:`[\w.]+`(?:, )?)+) \|/gm)].flatMap(([, names]) => namesIn(names as string));
}

/** The names of one cell: a row may be about several. */
const namesIn = (cell: string) => [...cell.matchAll(/`([\w.]+)`/g)].map((match) => match[1] as string);

test('the example is a config that has no error, and what is said of it is known, also against its machine', () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] as string;
  const { config, findings, document } = loadConfig(example, { file: 'example.yaml' });
  expect(findings).toEqual([]);
  const said = config === null ? [] : lintConfig(config, document, machineShape(scheduleForm));
  expect(said.map(({ code }) => code)).toEqual(['acts_again', 'key_not_taken', 'input_unprovided', 'not_recoverable']);
  expect(loadConfig(read('test/boundaries/fixtures/schedule-form.yaml'), { file: 'x' }).config?.digest).toBe(
    config?.digest,
  );
});

describe('every field is described, and no other', () => {
  const { tool, skeleton, boundary } = schema.$defs;
  test.each([
    ['### A tool', Object.keys(tool.properties)],
    ['### An effect', EFFECT_CLASSES],
    ['### A skeleton', Object.keys(skeleton.properties)],
    ['### A boundary', Object.keys(boundary.properties)],
    ['### Scopes', SCOPE_KINDS],
    ['### Rollback', Object.keys(skeleton.properties.rollback.properties)],
  ])('%s', (heading, fields) => {
    expect(table(heading).sort()).toEqual([...fields].sort());
  });

  test('the file', () => {
    const top = Object.keys(schema.properties).filter((name) => name !== 'keys');
    expect(table('## The file').sort()).toEqual([...top, 'keys.append', 'keys.blind'].sort());
  });

  test('and those that are required are said to be', () => {
    for (const { required } of [schema, tool, skeleton, boundary]) {
      for (const field of required) expect(page).toMatch(new RegExp(`^\\| \`${field}\` \\| required \\|`, 'm'));
    }
  });
});

test('the kinds of names are those of the schema, and what needs no saying is said', () => {
  expect(schema.properties.scopes.additionalProperties.enum).toEqual([...SCOPE_KINDS]);
  expect([...BUILT_IN]).toEqual([
    ['file', 'path'],
    ['fs', 'path'],
    ['http', 'url'],
    ['https', 'url'],
  ]);
  expect(page).toContain('`file` and `fs` are `path`, `http` and `https` are `url`, without saying.');
  const made = (key: string, args: unknown) => {
    const template = keyTemplate(key).fill({ ...NO_FACTS, args });
    expect(page).toContain(`\`${key}\``);
    return template.text;
  };
  expect(made('fs:/repo/{args.path}', { path: '../etc/hosts' })).toBe('fs:etc/hosts');
  expect(made('https:{args.url}', { url: 'not a URL' })).toBe('https:**');
});

test('every code is listed, and no other', () => {
  const unions = ['src/boundaries/page/finding.ts', 'src/predicates/problem.ts'].map(read).join('\n');
  const declared = [...unions.matchAll(/type \w+Code =([\s\S]*?);\n/g)].flatMap((match) => {
    return [...(match[1] as string).matchAll(/^ {2}\| '(\w+)'/gm)].map((code) => code[1]);
  });
  expect(declared.length).toBeGreaterThan(60);
  expect(table('## What `belay check` says').sort()).toEqual(declared.sort());
});

test('every code is told somewhere, with the severity that the page gives it', () => {
  const folder = new URL('../../src/boundaries', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const text = sources.map((name) => read(`src/boundaries/${name}`)).join('\n');
  const told = [...text.matchAll(/report\(\s*'(\w+)',\s*'(error|warning|note)'/g)];
  expect(told.length).toBeGreaterThan(25);
  for (const [, code, severity] of told) {
    const given = page
      .split('\n')
      .find((line) => namesIn(line.split('|')[1] ?? '').includes(code as string))
      ?.split('|')[2];
    expect([code, given?.split(',').map((each) => each.trim())]).toEqual([code, expect.arrayContaining([severity])]);
  }
});

test('what the page says of conditions is so', () => {
  const section = page.slice(page.indexOf('## Conditions'), page.indexOf('## What'));
  for (const name of [
    'hasValue',
    'orValue',
    'or',
    'value',
    'startsWith',
    'endsWith',
    'contains',
    'lowerAscii',
    'upperAscii',
    'trim',
    'exists',
    'all',
    'exists_one',
    'filter',
    'map',
    'size',
  ]) {
    expect(section).toContain(`.${name}(`);
  }
  expect(ask('memory.?receipt.hasValue()', { receipt: null }).is).toBe('yes');
  expect(ask('memory.receipt != null', { receipt: null }).is).toBe('no');
  expect(ask('memory.?receipt.orValue(null) != null', {}).is).toBe('no');
  expect(ask('memory.?a.hasValue()', { a: undefined }).is).toBe('no');
  expect(ask('memory.a.?b.hasValue()', { a: null }).is).toBe('no');
  expect(ask('memory.slots[?string(args.slot)].hasValue()', { slots: { 7: 1 } }, { args: { slot: 7 } }).is).toBe('yes');
  expect('problems' in compilePredicate(`memory.s == "${'a'.repeat(2_000)}"`)).toBe(true);
  expect(ask('memory.list.all(x, x == 0)', { list: Array(4_999).fill(0) }).is).toBe('yes');
  expect(ask('memory.list.all(x, x == 0)', { list: Array(5_001).fill(0) }).is).toBe('unknown');
  expect(ask('size(memory.s) > 0', { s: 'a'.repeat(639_000) }).is).toBe('yes');
  expect(ask('size(memory.s) > 0', { s: 'a'.repeat(650_000) }).is).toBe('unknown');
});
