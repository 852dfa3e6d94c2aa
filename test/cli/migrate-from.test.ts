/** `--from`, as docs/deploying.md has it: a run whose past goes another way goes on from where it stands, and one that would pay again stays. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setup } from 'xstate';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { resume } from '../../src/xstate/index.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-migrate-'));
const journal = join(root, 'belay.sqlite');
const config = join(root, 'order.yaml');
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ASKS = {
  asking: { on: { go: 'paying' } },
  paying: { on: { go: 'waiting' } },
  waiting: { on: { end: 'over' } },
  over: {},
};
const RELEASES = {
  asks: ASKS,
  checks: { ...ASKS, asking: { on: { go: 'checking' } }, checking: { on: { go: 'paying' } } },
  stamps: {
    ...ASKS,
    paying: { on: { go: 'stamping' } },
    stamping: { on: { go: 'waiting' } },
    waiting: { on: { end: 'over', '@belay.moved': 'stamping' } },
  },
  again: {
    ...{ asking: { on: { go: 'waiting' } }, waiting: { on: { end: 'paying' } } },
    ...{ paying: { on: { go: 'over' } }, over: {} },
  },
};

/** Writes the module of a release. */
function moduleOf(name: keyof typeof RELEASES): void {
  const xstate = pathToFileURL(new URL(import.meta.resolve('xstate')).pathname).href;
  writeFileSync(
    join(root, `${name}.mjs`),
    `import { setup } from ${JSON.stringify(xstate)};
const machine = setup({}).createMachine({ id: 'order', initial: 'asking', states: ${JSON.stringify(RELEASES[name])} });
export const agents = { order: { machine, config: ${JSON.stringify(config)}, about: 'orders', open: async () => ({ machine }) } };
`,
  );
}

beforeAll(async () => {
  for (const name of ['asks', 'checks', 'stamps', 'again'] as const) moduleOf(name);
  writeFileSync(config, 'belay: 1\nagent: order\ntools: {}\nskeletons: {}\n');
  const store = sqliteStore(journal);
  const machine = setup({}).createMachine({ id: 'order', initial: 'asking', states: ASKS } as never);
  const sidecar = await resume(machine as never, { run: 'order-1', config, journal: store });
  sidecar.actor.start();
  for (const type of ['go', 'go']) expect((await sidecar.send({ type } as never)).is).toBe('taken');
  await sidecar.close();
  await store.close();
});

const command = (...args: string[]) => belay(args, '', {}, root);
const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## From where a run stands'), page.indexOf('## What cannot be moved'));
const commands = [...section.matchAll(/^\$ belay (.+)$/gm)].map(([, text = '']) =>
  text.replace(/ > \S+$/, '').split(' '),
);
const [init, review, plan, apply] = commands as [string[], string[], string[], string[]];

test('a run that would come again to what is done stays, and the plan says what may be done', async () => {
  writeFileSync(join(root, 'again.yaml'), (await command('migrate', 'init', 'asks.mjs', 'again.mjs')).out);
  const named = ['migrate', 'plan', 'again.mjs', '--map', 'again.yaml'];
  const parts = await command(...named, '--json');
  expect([parts.code, JSON.parse(parts.out).runs[0].code]).toEqual([1, 'parts']);
  const planned = await command(...named, '--from', 'asks.mjs', '--json');
  const [run] = JSON.parse(planned.out).runs;
  expect([planned.code, run.code, run.stay.at]).toEqual([1, 'would_be_done_again', 'paying']);
  expect(run.why).toBe(
    /`(from waiting[^`]+)`/.exec(section)?.[1]?.replace('\n', ' ') + '. Leave the run with its release',
  );
});

test('the plan says where the event of the move leads', async () => {
  writeFileSync(join(root, 'stamps.yaml'), (await command('migrate', 'init', 'asks.mjs', 'stamps.mjs')).out);
  const named = ['migrate', 'plan', 'stamps.mjs', '--map', 'stamps.yaml', '--from', 'asks.mjs'];
  const planned = await command(...named, '--json');
  expect([planned.code, JSON.parse(planned.out)]).toMatchObject([
    0,
    { runs: [{ isFromHere: true, sentTo: 'stamping' }] },
  ]);
  const said = /`(@belay\.moved\s+leads it to )customs`/.exec(section)?.[1]?.replace('\n', ' ');
  expect((await command(...named)).out.replaceAll(/\s+/g, ' ')).toContain(`${said}stamping`);
});

test('the commands of the page move the run from where it stands', async () => {
  writeFileSync(join(root, 'order-3.yaml'), (await command(...init)).out);
  expect((await command(...review)).code).toBe(0);
  const planned = await command(...plan, '--json');
  expect([planned.code, JSON.parse(planned.out)]).toMatchObject([0, { runs: [{ is: 'goes', isFromHere: true }] }]);
  expect((await command(...plan)).out).toMatch(/it goes on from where it stands; checkpoints from before are\s+stale/);
  const moved = await command(...apply, '--json');
  expect([moved.code, JSON.parse(moved.out)]).toMatchObject([
    0,
    { runs: [{ is: 'moved', why: 'it goes on from where it stands' }] },
  ]);
});

test('a module that is not that of the map, and a module without a map, are refused', async () => {
  const other = await command(...plan.slice(0, -1), 'checks.mjs');
  expect([other.code, other.err]).toMatchObject([2, expect.stringContaining('other_map')]);
  const alone = await command('migrate', 'plan', 'checks.mjs', '--from', 'asks.mjs');
  expect([alone.code, alone.err]).toMatchObject([2, expect.stringContaining('--map FILE')]);
});
