import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import { tryout } from '../pages.ts';
import { scratchFolder } from '../scratch.ts';
import { belay, built } from './belay.ts';

const schedule = fileURLToPath(new URL('../boundaries/fixtures/machines.mjs', import.meta.url));
const domains = fileURLToPath(new URL('../../build/domains/agents.js', import.meta.url));
const root = scratchFolder('init');
const xstate = import.meta.resolve('xstate');

let number = 0;
let folder = '';
beforeEach(() => {
  number += 1;
  folder = join(root, String(number));
  mkdirSync(folder);
});
const put = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const init = (...args: string[]) => belay(['init', ...args], '', {}, folder);

/** A module with one machine whose states are given, as text. */
const moduleOf = (id: string, states: string, more = '') =>
  put(
    `${id}.mjs`,
    `import { assign, createMachine, fromPromise, setup } from ${JSON.stringify(xstate)};
const tool = fromPromise(async () => 1);
export const machine = setup({ actors: { ask: tool, pay: tool }, actions: { keep: assign({ kept: 1 }) } }).createMachine({
  id: ${JSON.stringify(id)}, context: { price: null, receipt: null, kept: null }, initial: 'asking', states: ${states} });
${more}`,
  );
const ORDER = `{
  asking: { invoke: { src: 'ask', onDone: { target: 'paying', actions: assign({ price: 1 }) }, onError: 'lost' } },
  paying: { invoke: { src: 'pay', onDone: { target: 'paid', actions: ['keep', assign(() => ({ receipt: 1 }))] } } },
  paid: { type: 'final' }, lost: { type: 'final' } }`;
const TOOLS = (...tools: object[]) => put('tools.json', JSON.stringify({ jsonrpc: '2.0', id: 1, result: { tools } }));

/** The findings of belay check for a config, and those that the config does not name on their lines. */
async function unasked(config: string, machines: string) {
  const file = put('draft.yaml', config);
  const { out } = await belay(['check', file, '--machines', machines, '--json']);
  const { errors, files } = JSON.parse(out);
  const lines = config.split('\n');
  const findings: { line: number; code: string }[] = files[0].findings;
  return {
    errors,
    codes: findings.map(({ code }) => code),
    unasked: findings.filter(
      ({ line, code }) => !new RegExp(`# .*belay check: .*${code}`).test(lines[line - 1] as string),
    ),
  };
}

describe('belay init', () => {
  test('writes the states, the edges, the tools and what the machine assigns, and asks the rest', async () => {
    const { code, out, err } = await init('--machines', moduleOf('order', ORDER));
    expect([code, err]).toEqual([0, '']);
    const bare = out.replace(/ *#.*$/gm, '').replace(/^\n/gm, '');
    expect(bare).toBe(`belay: 1
agent: order
tools:
  ask:
    reads: [ '**' ]
    writes: [ price ]
    effect: irreversible
  pay:
    reads: [ '**' ]
    writes: [ kept ]
    effect: irreversible
skeletons:
  Order:
    entity: '"it"'
    states: [ asking, paying ]
    entry: [ asking ]
    outputs: [ '**' ]
    commit:
      - { id: asking-done, at: asking -> paying, when: memory.?price.orValue(null) != null, outputs: [ price ] }
    exit:
      - { id: paying-done, at: paying -> paid, when: memory.?kept.orValue(null) != null, outputs: [ kept ] }
    rollback:
      anchors: []
      pending: [ asking-done, paying-done ]
      resume: asking
`);
  });

  test.each(['schedule-form', 'navigation', 'diagnosis', 'etl-pipeline', 'travel-planning'])(
    'writes for %s what loads without an error, and of which belay check says only what its lines name',
    async (machine) => {
      const { code, out } = await init(machine, '--machines', domains);
      expect(code).toBe(0);
      const said = await unasked(out, domains);
      expect(said).toMatchObject({ errors: 0, unasked: [] });
      expect(said.codes).toContain('boundary_pending');
    },
  );

  test('asks two questions of each tool, its class and what makes calls one act, and nothing else', async () => {
    const { out } = await init('--machines', moduleOf('order', ORDER));
    const asked = out.split('\n').filter((line) => line.includes('TODO '));
    expect(asked.map((line) => /TODO (\S+)/.exec(line)?.[1])).toEqual(['none,', 'once:', 'none,', 'once:']);
  });

  test('takes a module in place of the id of its only machine, and asks for one module alone', async () => {
    const file = moduleOf('order', ORDER);
    expect(await init('order.mjs')).toEqual(await init('--machines', file));
    const twice = await init('order.mjs', '--machines', file);
    expect(twice).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/both name a module/) });
  });

  test('reads TypeScript by the tsx that is installed where the module lies, and says so where there is none', async () => {
    const { folder: project, write, remove } = tryout('typescript');
    const text = readFileSync(moduleOf('order', ORDER), 'utf8').replace('id: ', 'id: <string>');
    write('machine.mts', text);
    const { code, out } = await built(['init', 'machine.mts'], '', {}, project);
    remove();
    expect([code, out]).toEqual([0, expect.stringContaining('agent: order')]);
    const elsewhere = await built(['init', put('machine.mts', text)], '', {}, folder);
    expect(elsewhere).toMatchObject({ code: 2, out: '' });
    expect(elsewhere.err).toMatch(/cannot_import this version of Node reads no TypeScript: npm install tsx/);
  });

  test('writes the skeletons of machines that are invoked and spawned', async () => {
    const inner = `{ search: { invoke: { src: 'ask', onDone: { target: 'over', actions: assign({ price: 1 }) } } }, over: { type: 'final' } }`;
    const file = put(
      'trip.mjs',
      `import { assign, fromPromise, setup } from ${JSON.stringify(xstate)};
const tool = fromPromise(async () => 1);
const of = (id) => setup({ actors: { ask: tool } }).createMachine({ id, context: { price: null }, initial: 'search', states: ${inner} });
export const machine = setup({ actors: { child: of('child'), helper: of('helper') } }).createMachine({
  id: 'trip', initial: 'booking', states: { booking: {
    entry: assign({ kept: ({ spawn }) => spawn('helper') }), invoke: { src: 'child', onDone: 'over' } }, over: { type: 'final' } } });`,
    );
    const { out } = await init(file);
    const said = await unasked(out, file);
    expect(out).toContain('states: [ child/search ]');
    expect(out).toContain('at: child/search -> child/over, when: memory.?price.orValue(null) != null');
    expect(out).toContain('states: [ helper/search ]');
    expect(said).toMatchObject({ errors: 0, unasked: [] });
    expect(said.codes).not.toContain('call_outside_skeletons');
  });

  test('has a boundary certify nothing before a person lists it as an anchor', async () => {
    const { out } = await init('--machines', moduleOf('order', ORDER));
    const machines = join(folder, 'order.mjs');
    const reviewed = out.replace('anchors: []', 'anchors: [asking-done]').replace('[ asking-done, ', '[ ');
    expect((await unasked(out, machines)).codes).toContain('nothing_restorable_but_entry');
    expect((await unasked(reviewed, machines)).codes).not.toContain('nothing_restorable_but_entry');
  });

  test('quotes the hints of a server, and relaxes no class by them', async () => {
    const hints = { readOnlyHint: true, idempotentHint: true, destructiveHint: false, title: 'Ask' };
    const mcp = TOOLS({ name: 'ask', annotations: hints }, { name: 'elsewhere' });
    const { out } = await init('--machines', moduleOf('order', ORDER), '--mcp', mcp);
    expect(out).toMatch(
      /effect: irreversible # TODO .* tools\/list hints readOnlyHint: true, idempotentHint: true, destructiveHint: false: no promise/,
    );
    expect(out.match(/effect: /g)).toHaveLength(2);
    expect(out).not.toMatch(/effect: (?!irreversible)/);
    expect(out).toContain('# The machine has no tool of the name of these of tools/list: elsewhere\n');
  });

  test('takes the arguments and the output schema of a server, and says which schema cannot be read', async () => {
    const output = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', required: ['price'] };
    const input = { type: 'object', properties: { item: {}, 'in a hurry': {} }, required: ['item'] };
    const mcp = TOOLS(
      { name: 'ask', inputSchema: input, outputSchema: output },
      { name: 'pay', outputSchema: { $ref: '#/$defs/receipt' } },
    );
    const machines = moduleOf('order', ORDER);
    const { out } = await init('--machines', machines, '--mcp', mcp);
    expect(out).toContain('  ask: # args in tools/list: item, in a hurry?; belay check: ');
    expect(out).toContain('    output: { type: object, required: [ price ] } # outputSchema of tools/list: leave');
    expect(out).toContain('    # output: the outputSchema of tools/list is not read: "$ref" is not read\n');
    expect(await unasked(out, machines)).toMatchObject({ errors: 0, unasked: [] });
  });

  test('lets no text of a server out of its comment', async () => {
    const mcp = TOOLS({ name: 'x\nagent: other', annotations: { 'a\nb': true } }, { name: 'ask\u2028' });
    const machines = moduleOf('order', ORDER);
    const { code, out } = await init('--machines', machines, '--mcp', mcp, '--json');
    expect(code).toBe(0);
    const { config } = JSON.parse(out);
    expect(config).toContain('tools/list: x\\u{a}agent: other, ask\\u{2028}\n');
    expect(await unasked(config, machines)).toMatchObject({ errors: 0, unasked: [] });
  });

  test('leaves the skeletons to the person where a state has a name that no config can write', async () => {
    const machines = moduleOf('order', ORDER.replaceAll('paid', "'to -> fro'").replace("''to -> fro''", "'to -> fro'"));
    const { code, out } = await init('--machines', machines);
    expect(code).toBe(0);
    expect(out).toMatch(/\nskeletons: \{\} # none could be proposed: /);
    expect(await unasked(out, machines)).toMatchObject({ errors: 0, unasked: [] });
  });

  test('writes to a file, says what it asks, and writes over nothing', async () => {
    const args = ['--machines', moduleOf('order', ORDER), '--out', 'order.yaml'];
    const first = await init(...args);
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(/^order\.yaml: order, 2 tools, 1 skeleton, 4 TODOs\n$/);
    const text = readFileSync(join(folder, 'order.yaml'), 'utf8');
    put('order.yaml', 'mine');
    expect(await init(...args)).toEqual({
      code: 2,
      out: '',
      err: 'order.yaml: exists it is not written over; --force does\n',
    });
    expect(readFileSync(join(folder, 'order.yaml'), 'utf8')).toBe('mine');
    expect((await init(...args, '--force')).code).toBe(0);
    expect(readFileSync(join(folder, 'order.yaml'), 'utf8')).toBe(text);
  });

  test('makes the folder of the file', async () => {
    const { code, err } = await init('--machines', moduleOf('order', ORDER), '--out', 'new/deep/order.yaml');
    expect([code, err]).toEqual([0, '']);
    expect(readFileSync(join(folder, 'new/deep/order.yaml'), 'utf8')).toContain('agent: order');
  });

  test('--json has the config, the lines that ask, and what belay check says', async () => {
    const { out } = await init('--machines', moduleOf('order', ORDER), '--json');
    const drafted = JSON.parse(out);
    expect(drafted).toMatchObject({ agent: 'order', file: null, tools: 2, skeletons: 1 });
    const lines: string[] = drafted.config.split('\n');
    expect(drafted.todos.length).toBe(lines.filter((line) => line.includes('TODO ')).length);
    expect(drafted.findings.map(({ code }: { code: string }) => code)).toContain('irreversible_before_commit');
  });

  test('finds the module in package.json, says that its code is run, and takes its only machine', async () => {
    moduleOf('order', ORDER);
    put('package.json', JSON.stringify({ belay: { machines: 'order.mjs' } }));
    const { code, err } = await init();
    expect([code, err]).toEqual([0, 'running order.mjs to read its machines\n']);
  });
});

describe('belay init ends with 2 and one line', () => {
  test.each([
    [
      'no module',
      [],
      'no_machine no module of machines was named: belay init FILE.ts, --machines FILE, or belay.machines in package.json',
    ],
    ['a file that is not there', ['--machines', 'none.mjs'], 'none.mjs: cannot_read there is no such file'],
    [
      'a machine that is not there',
      ['schedule', '--machines', schedule],
      'no_machine the module exports no machine "schedule". There is "schedule-form".',
    ],
    [
      'several machines and no name',
      ['--machines', domains],
      'which_machine the module exports 5: belay init navigation, belay init schedule-form, belay init diagnosis, belay init etl-pipeline, belay init travel-planning',
    ],
    [
      '--force without --out',
      ['--machines', schedule, '--force'],
      '--force writes over the file of --out, and none is named',
    ],
    [
      'a list of tools that is not there',
      ['--machines', schedule, '--mcp', 'none.json'],
      'none.json: cannot_read ENOENT',
    ],
    [
      'a file where its folder would be',
      ['--machines', schedule, '--out', 'file/m.yaml'],
      'file/m.yaml: cannot_write EEXIST',
    ],
  ])('for %s', async (_what, args, complaint) => {
    put('file', 'no folder');
    const { code, out, err } = await init(...args);
    expect([code, out, err.split('\n').length]).toEqual([2, '', 2]);
    expect(err).toContain(complaint);
  });

  test.each([
    ['no JSON', '{', 'bad_tools it is not JSON. Save the answer of the server to tools/list.'],
    ['no tools', '{"result":{}}', 'bad_tools it has no "tools". Save the answer of the server to tools/list.'],
    ['a tool without a name', '[{"name":"a"},{}]', 'bad_tools the tool 2 has no name'],
    ['two tools of one name', '{"tools":[{"name":"a"},{"name":"a"}]}', 'bad_tools two tools are called "a"'],
  ])('for a list of tools with %s', async (_what, content, complaint) => {
    const { code, out, err } = await init('--machines', schedule, '--mcp', put('tools.json', content));
    expect([code, out]).toEqual([2, '']);
    expect(err).toBe(`${join(folder, 'tools.json')}: ${complaint}\n`);
  });
});
