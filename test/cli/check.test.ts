/** `belay check` in words: what it finds, what it runs, and what a terminal is shown of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLAIN } from '../boundaries/config.ts';
import { belay, MAIN } from './belay.ts';
import { folder, m, machineFile, machines, makeChecked, mjs, put, schedule, within, wrong } from './checking.ts';

makeChecked();

describe('belay check', () => {
  test('says of a config in order what is to be known, and ends well', async () => {
    const { code, out, err } = await belay(['check', schedule, '--machines', machines]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(
      `${schedule}:12:3 warning acts_again "SUBMITTING" can be entered twice and calls "submit_schedule", which is irreversible: nothing says if that is one act. Name what makes a call the same act: once: [args.invoice].\n` +
        `${schedule}:12:3 warning key_not_taken "submit_schedule" is irreversible and does not take the key of its call: its counterparty cannot tell a second call from a new one. Provide it as tool(({ input, key }) => ...), and hand the key on.\n` +
        `${schedule}:22:14 note input_unprovided nothing that is declared writes "request/participants". Add it to the writes of a tool, or make sure that the machine's own input has it.\n` +
        `${schedule}:36:3 note not_recoverable SUBMITTING -> SLOT_READY (xstate.error.actor.0.schedule-form.SUBMITTING) leaves Submit and is legal but not recoverable: no boundary lies on it. Put an anchored boundary on it, if it should be.\n` +
        '\n1 config: 0 errors, 2 warnings, 2 notes\n',
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

  test('--strict finds nothing that a check without it leaves out', async () => {
    const findings = async (...more: string[]) => {
      const { out } = await belay(['check', schedule, '--machines', machines, '--json', ...more]);
      return JSON.parse(out).files[0].findings.map(({ code, message }: { code: string; message: string }) => [
        code,
        message,
      ]);
    };
    const plain = await findings();
    expect(plain.flat()).toContain('key_not_taken');
    expect(await findings('--strict')).toEqual(plain);
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
