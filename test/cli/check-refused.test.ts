/** `belay check` of files, modules and arguments that cannot be used: exit 2 and one line. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { belay, built } from './belay.ts';
import { folder, makeChecked, put, schedule, within, wrong } from './checking.ts';

makeChecked();

describe('belay check ends with 2 and one line', () => {
  test.each([
    ['nothing at the path', ['nowhere.yaml'], /^nowhere\.yaml: cannot_read ENOENT/],
    ['no boundaries/', [], /^boundaries\/: cannot_read ENOENT/],
    ['an unknown format', [schedule, '--format', 'xml'], /argument 'xml' is invalid/],
    ['two formats', [schedule, '--format', 'junit', '--json'], /cannot be used with/],
    ['an unknown option', [schedule, '--machine', 'x'], /unknown option '--machine'/],
    ['no such module', [schedule, '--machines', 'nowhere.mjs'], /^nowhere\.mjs: cannot_read there is no such file\n$/],
  ])('for %s', async (_what, args, complaint) => {
    const { code, out, err } = await within(folder, ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
    expect(err).not.toMatch(/^ +at /m);
  });

  test('for a directory without configs', async () => {
    mkdirSync(join(folder, 'empty'), { recursive: true });
    const { code, err } = await belay(['check', join(folder, 'empty')]);
    expect([code, err]).toEqual([2, `${folder}/empty: no_config there is no *.yaml or *.yml in it\n`]);
  });

  test('for a file that cannot be read beside one that can', async () => {
    mkdirSync(join(folder, 'mixed/b.yaml'), { recursive: true });
    const { code, err } = await belay(['check', wrong, join(folder, 'mixed/b.yaml')]);
    expect(code).toBe(2);
    expect(err).toContain('no_config');
  });

  test.each([
    ['throws', "throw new Error('no\\nway \\u001b[31m');", /throws\.mjs: cannot_import no\n$/],
    ['throws no error', 'throw null;', /cannot_import null\n$/],
    ['does not parse', 'export const = ;', /cannot_import Unexpected token/],
    [
      'imports what is not there',
      "import 'nothing-of-that-name';",
      /cannot_import Cannot find package 'nothing-of-that-name'/,
    ],
    [
      'exports no machine',
      'export const x = { id: 1 };',
      /no_machine it exports no xstate machine and no compiled graph of LangGraph\n$/,
    ],
  ])('for a module that %s', async (what, body, complaint) => {
    // What a parser says is of the parser that the built command has.
    const { code, out, err } = await built([
      'check',
      schedule,
      '--machines',
      put(`${what.replaceAll(' ', '-')}.mjs`, body),
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(complaint);
    expect(err).not.toMatch(/^ +at /m);
  });

  test('for a package.json whose belay.machines is no file', async () => {
    put('bad/package.json', '{"belay":{"machines":7}}');
    expect(await within(join(folder, 'bad'), schedule)).toMatchObject({
      code: 2,
      err: expect.stringContaining('wrong_type belay.machines is not the name of a file'),
    });
    put('worse/package.json', '{');
    expect(await within(join(folder, 'worse'), schedule)).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot_read it is not JSON'),
    });
  });
});
