import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, test } from 'vitest';
import { PLAIN } from '../boundaries/config.ts';
import { belay, MAIN } from './belay.ts';

const fixtures = fileURLToPath(new URL('../boundaries/fixtures', import.meta.url));
const schedule = `${fixtures}/schedule-form.yaml`;
const machines = `${fixtures}/machines.mjs`;

const folder = mkdtempSync(join(tmpdir(), 'belay-check-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file below the folder of this test run, and says where. */
function put(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Runs `belay check` with a working directory of its own, as `npx belay` does. */
function within(cwd: string, ...args: string[]) {
  return belay(['check', ...args], '', {}, cwd);
}

const wrong = put('wrong/m.yaml', PLAIN.replace('BUSY -> DONE', 'BUSY -> DOEN'));
// A module that a user has built finds its xstate beside it; one in a temporary folder is told where that is.
const xstate = import.meta.resolve('xstate');
const machineFile = (name: string, body: string) =>
  put(name, `import { createMachine } from ${JSON.stringify(xstate)};\n${body}`);
const m =
  "createMachine({ id: 'm', initial: 'BUSY', states: { BUSY: { invoke: { src: 'work', onDone: 'DONE' } }, DONE: {} } })";
const mjs = machineFile('m.mjs', `export const machine = ${m};`);

describe('belay check', () => {
  test('says of a config in order what is to be known, and ends well', async () => {
    const { code, out, err } = await belay(['check', schedule, '--machines', machines]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      `${schedule}:22:14 note input_unprovided nothing that is declared writes "request/participants". Add it to the writes of a tool, or make sure that the machine's own input has it.\n` +
        `${schedule}:36:3 note not_recoverable SUBMITTING -> SLOT_READY (xstate.error.actor.0.schedule-form.SUBMITTING) leaves Submit and is legal but not recoverable: no boundary lies on it. Put an anchored boundary on it, if it should be.\n` +
        '\n1 config: 0 errors, 0 warnings, 2 notes\n',
    );
  });

  test('says what is wrong with its place and mend, and ends with 1', async () => {
    const { code, out, err } = await belay(['check', wrong, '--machines', mjs]);
    expect([code, err]).toEqual([1, '']);
    expect(out).toContain(`${wrong}:13:33 unknown_state "DOEN" is not a state of m. Did you mean "DONE"?\n`);
    expect(out).toMatch(/\n1 config: 1 error, \d warnings?, \d notes?\n$/);
  });

  test('without a machine says that the config was not held against one', async () => {
    const { code, out } = await belay(['check', wrong]);
    expect(code).toBe(0);
    expect(out).toContain('note no_machine there is no machine "m"');
  });

  test('groups what it says by file, and names those in order', async () => {
    put(
      'many/a.yaml',
      PLAIN.replace('  work: { reads: [in],', '  work: { reads: [],').replace('inputs: [in]', 'inputs: []'),
    );
    put('many/b.yml', PLAIN.replace('agent: m', 'agent: n').replace('effect: none', 'effect: non'));
    const { code, out } = await belay(['check', join(folder, 'many'), '--machines', mjs]);
    expect(code).toBe(1);
    expect(out).toBe(
      `${folder}/many/a.yaml: m is in order\n\n${folder}/many/b.yml:4:59 not_one_of "non" is not known as "effect". Did you mean "none"?\n\n2 configs: 1 error, 0 warnings, 0 notes\n`,
    );
  });

  test('--strict makes errors of warnings, and of nothing else', async () => {
    const warned = put('warned.yaml', PLAIN.replace('anchors: [done], ', ''));
    expect((await belay(['check', warned])).code).toBe(0);
    const { code, out } = await belay(['check', warned, '--strict']);
    expect(code).toBe(1);
    expect(out).toMatch(/2 errors, 0 warnings, 2 notes\n$/);
  });

  test('--json is the same for a program', async () => {
    const { code, out } = await belay(['check', wrong, '--machines', mjs, '--json']);
    expect(code).toBe(1);
    const checked = JSON.parse(out);
    expect(checked).toMatchObject({ errors: 1, files: [{ file: wrong, agent: 'm', machine: true }] });
    expect(checked.files[0].digest).toMatch(/^[0-9a-f]{64}$/);
    expect(checked.files[0].findings).toContainEqual({
      code: 'unknown_state',
      severity: 'error',
      file: wrong,
      line: 13,
      column: 33,
      message: '"DOEN" is not a state of m',
      mend: 'Did you mean "DONE"?',
    });
    expect((await belay(['check', wrong, '--machines', mjs, '--format', 'json'])).out).toBe(out);
  });

  test('--format sarif is SARIF 2.1.0 as far as code hosts read it', async () => {
    const odd = put('odd name/ü & <b>.yaml', PLAIN.replace('BUSY -> DONE', 'BUSY -> "<DOEN>&"'));
    const { code, out } = await belay(['check', wrong, odd, '--machines', mjs, '--format', 'sarif']);
    expect(code).toBe(1);
    const log = JSON.parse(out);
    const place = {
      type: 'object',
      required: ['physicalLocation'],
      properties: {
        physicalLocation: {
          type: 'object',
          additionalProperties: false,
          required: ['artifactLocation', 'region'],
          properties: {
            artifactLocation: {
              type: 'object',
              additionalProperties: false,
              required: ['uri'],
              properties: { uri: { type: 'string', pattern: '^file:///[!-~]+$' } },
            },
            region: {
              type: 'object',
              additionalProperties: false,
              required: ['startLine', 'startColumn'],
              properties: { startLine: { type: 'integer', minimum: 1 }, startColumn: { type: 'integer', minimum: 1 } },
            },
          },
        },
      },
    };
    const result = {
      type: 'object',
      additionalProperties: false,
      required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations'],
      properties: {
        ruleId: { type: 'string' },
        ruleIndex: { type: 'integer', minimum: 0 },
        level: { enum: ['none', 'note', 'warning', 'error'] },
        message: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: { text: { type: 'string' } },
        },
        locations: { type: 'array', items: place },
      },
    };
    const driver = {
      type: 'object',
      additionalProperties: false,
      required: ['name'],
      properties: {
        name: { const: 'belay' },
        semanticVersion: { type: 'string' },
        rules: {
          type: 'array',
          uniqueItems: true,
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['id'],
            properties: { id: { type: 'string' } },
          },
        },
      },
    };
    const run = {
      type: 'object',
      additionalProperties: false,
      required: ['tool', 'results'],
      properties: {
        tool: { type: 'object', required: ['driver'], properties: { driver } },
        columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
        results: { type: 'array', minItems: 2, items: result },
      },
    };
    const schema = {
      type: 'object',
      additionalProperties: false,
      required: ['version', 'runs'],
      properties: { $schema: { type: 'string' }, version: { const: '2.1.0' }, runs: { type: 'array', items: run } },
    };
    const validate = new Ajv({ strict: false }).compile(schema);
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true);
    const [{ tool, results }] = log.runs;
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    const uris = results.map((one: (typeof results)[0]) => one.locations[0].physicalLocation.artifactLocation.uri);
    expect(uris).toContain(pathToFileURL(odd).href);
    const relative = JSON.parse((await within(folder, 'odd name', '--format', 'sarif')).out).runs[0].results;
    expect(relative[0].locations[0].physicalLocation.artifactLocation.uri).toBe(
      'odd%20name/%C3%BC%20%26%20%3Cb%3E.yaml',
    );
  });

  test('--format junit is XML with one suite a file, and says everything', async () => {
    const odd = put('odd/<&".yaml', PLAIN.replace('BUSY -> DONE', `'BUSY -> <"&'`));
    const { code, out } = await belay(['check', schedule, odd, '--machines', mjs, '--format', 'junit']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="belay check" tests="\d+" failures="1">\n/,
    );
    expect(out).toContain('<failure type="unknown_state" message="&quot;&lt;&quot;&amp;&quot; is not a state of m.');
    expect(out).toContain(`<testsuite name="${folder}/odd/&lt;&amp;&quot;.yaml" tests=`);
    expect(out.replace(/&(?:amp|lt|gt|quot);/g, '')).not.toMatch(/&/);
    const open: string[] = [];
    for (const [, close, name, empty] of out
      .slice(out.indexOf('<testsuites'))
      .matchAll(/<(\/?)(\w[\w-]*)[^>]*?(\/?)>/g)) {
      if (close) expect(open.pop()).toBe(name);
      else if (!empty) open.push(name as string);
    }
    expect(open).toEqual([]);
  });

  test('has colours on a terminal that asks for them, and none in a pipe', async () => {
    expect((await belay(['check', wrong, '--machines', mjs], '', { FORCE_COLOR: '1' })).out).toContain(
      '\u001b[31munknown_state\u001b[39m',
    );
    expect((await belay(['check', wrong, '--machines', mjs])).out).not.toContain('\u001b');
  });
});

describe('belay check finds', () => {
  test('the machines of the nearest package.json, and the configs of boundaries/', async () => {
    put('project/package.json', JSON.stringify({ belay: { machines: './dist/machines.mjs' } }));
    machineFile('project/dist/machines.mjs', `export default [${m}];`);
    put('project/boundaries/m.yaml', PLAIN.replace('BUSY -> DONE', 'BUSY -> DOEN'));
    const { code, out } = await within(join(folder, 'project'));
    expect(code).toBe(1);
    expect(out).toMatch(/^boundaries\/m\.yaml:13:33 unknown_state/m);
    expect((await within(join(folder, 'project/dist'), '../boundaries')).code).toBe(1);
  });

  test.each([
    ['a default export', `export default ${m};`],
    ['a named export', `export const any = ${m};`],
    ['a list', `export const all = [1, null, ${m}];`],
    ['a record', `export const all = { x: 'y', m: ${m} };`],
  ])('a machine in %s', async (_what, body) => {
    const { code } = await belay(['check', wrong, '--machines', machineFile('export.mjs', body)]);
    expect(code).toBe(1);
  });

  test('guards that the module exports', async () => {
    const digest = '{ guard: ready@0000000000000000 }';
    const guarded = put('guarded.yaml', PLAIN.replace("'memory.out[?entity].hasValue()'", digest));
    const { out } = await belay([
      'check',
      guarded,
      '--machines',
      machineFile('g.mjs', `export const machine = ${m};\nexport const guards = { ready: () => true };`),
    ]);
    const found = /its digest is ([0-9a-f]{16})/.exec(out)?.[1] as string;
    expect(out).toContain('warning guard_changed');
    const mended = put('mended.yaml', readFileSync(guarded, 'utf8').replace('0000000000000000', found));
    const again = await belay(['check', mended, '--machines', join(folder, 'g.mjs')]);
    expect(again.out).toContain(`warning guard_used ready@${found} is code`);
    expect(again.out).not.toContain('guard_changed');
    expect((await belay(['check', mended, '--machines', mjs])).out).toContain(
      'warning guard_missing no guard "ready" was given',
    );
  });

  test('two files about one agent', async () => {
    put('twice/a.yaml', PLAIN);
    put('twice/b.yaml', PLAIN);
    const { code, out } = await belay(['check', join(folder, 'twice')]);
    expect(code).toBe(1);
    expect(out).toContain(`${folder}/twice/b.yaml:1:1 agent_twice ${folder}/twice/a.yaml is about m, too.`);
  });
});

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
    const { code, out, err } = await belay([
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

test('a module that keeps waiting does not keep the command', async () => {
  const busy = machineFile('busy.mjs', `export const machine = ${m};\nsetInterval(() => {}, 1000);`);
  expect((await belay(['check', wrong, '--machines', busy])).code).toBe(1);
});

test('what a file says is never obeyed by a terminal', async () => {
  const evil = put('evil/\u001b[31m.yaml', PLAIN.replace('agent: m', 'agent: "\\u202e\\u2066m"'));
  const { out } = await belay(['check', evil]);
  for (const obeyed of ['\u001b', '\u202e', '\u2066']) expect(out).not.toContain(obeyed);
  expect(out).toContain('\\u{1b}[31m.yaml');
});

test('JSON has no character that a terminal obeys or a reader is misled by, and is the same to a program', async () => {
  const evil = put('evil/\u009b31m.yaml', PLAIN.replace('agent: m', 'agent: "\\u0085\\u202e\\u2066m"'));
  const { out } = await belay(['check', evil, '--json', '--no-exec']);
  expect(out).not.toMatch(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(out).files[0]).toMatchObject({ file: evil, agent: '\u0085\u202e\u2066m' });
});

describe('the code that a check runs', () => {
  const witness = 'globalThis.process.stderr.write("was run\\n");';
  test('is named before it is run where package.json names it', async () => {
    machineFile('named/machines.mjs', `export const machine = ${m};\n${witness}`);
    put('named/package.json', JSON.stringify({ belay: { machines: 'machines.mjs' } }));
    const { err } = await within(join(folder, 'named'), wrong);
    expect(err).toMatch(/^running .*machines\.mjs to read its machines; --no-exec checks without\nwas run\n$/);
    const { err: none, out, code } = await within(join(folder, 'named'), wrong, '--no-exec');
    expect([code, none, out]).toEqual([0, '', expect.stringContaining('no_machine')]);
  });

  test('is none with --no-exec, which contradicts --machines', async () => {
    expect(await belay(['check', wrong, '--no-exec', '--machines', mjs])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--no-exec runs none'),
    });
  });
});

test('the help shows examples that exist and says what the exit codes mean', async () => {
  const { out } = await belay(['check', '--help']);
  expect(out).toContain('belay check boundaries/schedule-form.yaml --machines dist/machines.js');
  expect(out).toContain('Exit code: 0 when nothing is wrong');
  expect(readFileSync(MAIN, 'utf8')).toContain('#!/usr/bin/env node');
});
