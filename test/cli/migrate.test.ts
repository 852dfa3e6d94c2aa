/** `belay migrate` and `belay drains`: a run of one release is planned, moved and moved back, from the journal and the module of the other. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setup } from 'xstate';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { planMigration } from '../../src/testing/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-migrate-'));
const journal = join(root, 'belay.sqlite');
const config = join(root, 'order.yaml');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const FIRST = { idle: { on: { go: 'waiting' } }, waiting: { on: { end: 'over' } }, over: { type: 'final' } };
const RELEASES = {
  first: FIRST,
  added: { ...FIRST, review: {} },
  renamed: { idle: { on: { go: 'resting' } }, resting: { on: { end: 'over' } }, over: { type: 'final' } },
};

/** Writes the module of a release. */
function moduleOf(name: keyof typeof RELEASES): string {
  const file = join(root, `${name}.mjs`);
  const xstate = pathToFileURL(new URL(import.meta.resolve('xstate')).pathname).href;
  writeFileSync(
    file,
    `import { setup } from ${JSON.stringify(xstate)};
const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: ${JSON.stringify(RELEASES[name])} });
export const agents = { order: { machine, config: ${JSON.stringify(config)}, about: 'orders', open: async () => ({ machine }) } };
`,
  );
  return file;
}

beforeAll(async () => {
  writeFileSync(config, 'belay: 1\nagent: order\ntools: {}\nskeletons: {}\n');
  const store = sqliteStore(journal);
  const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: FIRST } as never);
  const sidecar = await resume(machine as never, { run: 'order-1', config, journal: store, version: '1.0' });
  sidecar.actor.start();
  expect((await sidecar.send({ type: 'go' } as never)).is).toBe('taken');
  await sidecar.close();
  await store.close();
});

const command = (...args: string[]) => belay(args, '', {}, root);

test('a plan names the run that goes, and the step at which another one parts', async () => {
  const goes = await command('migrate', 'plan', moduleOf('added'), '--json');
  expect([goes.code, JSON.parse(goes.out)]).toMatchObject([
    0,
    { goes: 1, stays: 0, runs: [{ run: 'order-1', is: 'goes', compared: { steps: 2, calls: 0 } }] },
  ]);
  const stays = await command('migrate', 'plan', moduleOf('renamed'));
  expect(stays.code).toBe(1);
  expect(stays.out.replace(/\s+/g, ' ')).toMatch(
    /part at step 2 \(event "go"\): the state was waiting, and is resting today/,
  );
});

test('a plan for a build server names each run that stays', async () => {
  const module = moduleOf('renamed');
  const sarif = await command('migrate', 'plan', module, '--format', 'sarif');
  expect(JSON.parse(sarif.out).runs[0].results).toMatchObject([{ ruleId: 'parts', level: 'error' }]);
  const junit = await command('migrate', 'plan', module, '--format', 'junit');
  expect(junit.out).toMatch(/failures="1"[\s\S]*name="order-1"><failure type="parts"/);
  const markdown = await command('migrate', 'plan', module, '--format', 'markdown');
  expect(markdown.out).toMatch(/\| order-1 \| stays \|/);
});

test.each([
  ['no module', ['migrate', 'plan'], /no_machine/],
  ['a module that is not there', ['migrate', 'plan', 'none.mjs'], /cannot_read/],
  ['a run that is not there', ['migrate', 'apply', 'order-9', '--machines', moduleOf('added')], /no run "order-9"/],
  ['neither a run nor an agent', ['migrate', 'apply'], /name one of: a run, --agent/],
])('%s is misuse', async (_, args, why) => {
  const ran = await command(...args);
  expect([ran.code, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(why);
});

test('a run is moved, is listed under its release, and goes back', async () => {
  const stays = await command('migrate', 'apply', 'order-1', '--machines', moduleOf('renamed'), '--json');
  expect([stays.code, JSON.parse(stays.out).runs[0].is]).toEqual([1, 'stays']);
  const added = moduleOf('added');
  const apply = [
    'migrate',
    'apply',
    '--agent',
    'order',
    '--by',
    'ada',
    '--machines',
    added,
    '--version',
    '2.0',
    '--json',
  ];
  const moved = await command(...apply);
  expect([moved.code, JSON.parse(moved.out).runs]).toMatchObject([0, [{ run: 'order-1', is: 'moved' }]]);
  const again = await command(...apply);
  expect([again.code, JSON.parse(again.out).runs]).toMatchObject([0, [{ run: 'order-1', is: 'same' }]]);
  const drains = await command('drains', '--json');
  expect(JSON.parse(drains.out).releases).toMatchObject([{ agent: 'order', version: '2.0', runs: ['order-1'] }]);
  const tools = await command('drains', '--tools', '--json');
  expect(JSON.parse(tools.out)).toMatchObject({ releases: [{ version: '2.0' }], calls: [], unread: [] });
  const wrong = await command('migrate', 'apply', 'order-1', '--back', '--machines', added);
  expect([wrong.code, wrong.out.replace(/\s+/g, ' ')]).toMatchObject([
    1,
    expect.stringMatching(/moved from another release/),
  ]);
  const back = await command('migrate', 'apply', 'order-1', '--back', '--machines', moduleOf('first'), '--json');
  expect([back.code, JSON.parse(back.out).runs]).toMatchObject([0, [{ run: 'order-1', is: 'moved' }]]);
});

test('a move whose process died before it told the store is finished by the same command', async () => {
  const store = sqliteStore(journal);
  await store.work.start({ run: 'order-2', agent: 'order', input: '', queue: 'default' });
  const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: FIRST } as never);
  const sidecar = await resume(machine as never, { run: 'order-2', config, journal: store });
  sidecar.actor.start();
  expect((await sidecar.send({ type: 'go' } as never)).is).toBe('taken');
  await sidecar.close();
  const digests = (await store.work.order('order-2'))?.digests;
  const apply = ['migrate', 'apply', 'order-2', '--machines', moduleOf('added'), '--json'];
  const said = async () => JSON.parse((await command(...apply)).out).runs[0];
  expect(await said()).toMatchObject({ is: 'moved' });
  const moved = (await store.work.order('order-2'))?.digests;
  expect(moved).not.toEqual(digests);
  const left = await store.open('order-2', 'resume');
  await left.close({ due: 0, heard: 0, ended: false, digests: digests as never, threw: null, output: null });
  expect(await said()).toMatchObject({ is: 'same', why: expect.stringMatching(/workers of it receive it/) });
  expect((await store.work.order('order-2'))?.digests?.machine).toBe(moved?.machine);
  await store.close();
});

test('planMigration plans the runs of a recorded journal in code', async () => {
  const store = sqliteStore(journal, { readonly: true });
  const machine = setup({}).createMachine({ id: 'order', initial: 'idle', states: RELEASES.renamed } as never);
  const plan = await planMigration({ journal: store, machine: machine as never, config });
  await store.close();
  expect(plan).toMatchObject({
    stays: 2,
    runs: [{ code: 'parts', stay: { parting: { step: 2, is: 'state' } } }, { run: 'order-2' }],
  });
});
