/** The page about types, followed from top to bottom: what is made is compiled, and what it shows as wrong is refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { allBlocks, commandsOf, compiled, files, installed, read } from '../pages.ts';
import { belay } from './belay.ts';

const page = read('docs/types.md');
const { folder, write, run, remove } = installed('types');
afterAll(remove);
for (const [name, content] of files(page)) write(name, content);
const types = (...args: string[]) => belay(['types', ...args], '', {}, folder);
const config = 'boundaries/order.yaml';
const text = files(page).get(config) as string;

/** Writes a config of another content, and says where. */
const other = (name: string, from: string, to: string) => {
  expect(text).toContain(from);
  write(
    name,
    text.replace(from, () => to),
  );
  return name;
};

describe('belay types', () => {
  test('prints what the page shows', async () => {
    for (const { language, content } of allBlocks(page)) {
      for (const { command, printed } of language === 'console' ? commandsOf(content) : [])
        expect(await run(command)).toBe(printed);
    }
  });

  test('makes a file for names that are no names of TypeScript', async () => {
    const name = other('boundaries/odd.yaml', 'agent: order', 'agent: "2 */ of\\u2028us`$ x"');
    const odd = readFileSync(join(folder, name), 'utf8')
      .replaceAll('findPayment', `"find 'it'"`)
      .replaceAll("'prices/{entity}'", "'pri`ces$x/{entity}/**', 'a\\b', 'shop:*/x'");
    writeFileSync(join(folder, name), odd);
    const made = await types(name, '--out', 'boundaries/odd.d.ts');
    expect([made.code, made.err]).toEqual([0, '']);
    write(
      'odd.ts',
      `import type { Agent2OfUsXKeys, Agent2OfUsXNames } from './boundaries/odd.d.ts';
export const keys: Agent2OfUsXKeys['Price'][] = ['pri\`ces$x/tea/any/thing', 'a\\\\b', 'shop:tea/x/y'];
export const names: Agent2OfUsXNames['reconcilers'] = { "find 'it'": () => ({ is: 'unknown' }) };
// @ts-expect-error another key
export const wrong: Agent2OfUsXKeys['Price'] = 'prices/tea';
`,
    );
  });

  test('lets the program of the page and that of the odd names compile, and refuses each of their wrong lines', () => {
    const names = ['run.ts', 'machine.ts', 'wrong.ts', 'boundaries/order.d.ts', 'odd.ts', 'boundaries/odd.d.ts'];
    expect(compiled(folder, names)).toBe('');
    expect((files(page).get('wrong.ts') as string).match(/@ts-expect-error/g)).toHaveLength(8);
  });

  test('asks for the guards of conditions in code, and for the areas that hold calls back', async () => {
    const guarded = other(
      'boundaries/guarded.yaml',
      "when: 'memory.prices[?entity].hasValue()'",
      "when: { guard: 'ready@0123456789abcdef' }",
    );
    writeFileSync(
      join(folder, guarded),
      readFileSync(join(folder, guarded), 'utf8').replace('check: enoughMoney', 'buffer: outbox'),
    );
    const { code, out } = await types(guarded, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      agent: 'order',
      name: 'Order',
      file: null,
      skeletons: ['Price', 'Payment'],
      names: { reconcilers: ['findPayment'], undo: ['payBack'], buffers: ['outbox'], checks: [], guards: ['ready'] },
      types: expect.stringContaining('  readonly guards: { readonly ready: '),
    });
  });

  test('writes over its own file, and over no other', async () => {
    const out = 'boundaries/own.d.ts';
    expect((await types(config, '--out', out)).code).toBe(0);
    expect((await types(config, '--out', out)).code).toBe(0);
    write(out, 'export type Mine = 1;\n');
    const refused = await types(config, '--out', out);
    expect(refused).toEqual({
      code: 2,
      out: '',
      err: `${out}: exists belay types did not make it, and does not write over it\n`,
    });
    expect(readFileSync(join(folder, out), 'utf8')).toBe('export type Mine = 1;\n');
  });
});

describe('belay types ends with 2 and one line', () => {
  test.each([
    ['a config that is not there', ['none.yaml'], /^none\.yaml:1:1 cannot_read ENOENT.*\n$/],
    ['a file that is no declaration file', [config, '--out', 'order.ts'], /^order\.ts: bad_name .* \.d\.ts\n$/],
    ['a folder that is not there', [config, '--out', 'no/order.d.ts'], /^no\/order\.d\.ts: cannot_write ENOENT.*\n$/],
  ])('for %s', async (_what, args, complaint) => {
    const { code, out, err } = await types(...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
  });

  test('for a config with errors', async () => {
    const { code, err } = await types(other('boundaries/bad.yaml', 'effect: none', 'effect: non'));
    expect(code).toBe(2);
    expect(err).toMatch(/^boundaries\/bad\.yaml:4:\d+ not_one_of "non" is not known as "effect"\. .*\n$/);
  });
});
