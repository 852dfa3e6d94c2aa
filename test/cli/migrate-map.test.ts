/** `belay migrate init` and `--map`, as docs/deploying.md has them: a run whose state is called otherwise is planned, moved and moved back. */
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

const FIRST = { idle: { on: { go: 'waiting' } }, waiting: { on: { end: 'over' } }, over: { type: 'final' } };
const RELEASES = {
  first: FIRST,
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

const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('## Names that are others'), page.indexOf('## What cannot be moved'));

/** The commands of the page, in their order. */
const commands = [...section.matchAll(/^\$ belay (.+)$/gm)].map(([, text = '']) =>
  text.replace(/ > \S+$/, '').split(' '),
);
const [init, review, plan, apply, back] = commands as [string[], string[], string[], string[], string[]];

test('the commands of the page move the run, and move it back', async () => {
  for (const name of ['first', 'renamed'] as const) moduleOf(name);
  const drafted = await command(...init);
  expect(drafted.code).toBe(0);
  // The page has the draft with its digests cut.
  const shown = (/```yaml\n([^`]+)```/.exec(section) as RegExpExecArray)[1];
  const cut = (text: string) => text.replaceAll(/[0-9a-f]{64}|[0-9a-f]{4}…/g, 'DIGEST').replace(/^#.*\n/, '');
  expect(cut(drafted.out)).toBe(cut(shown as string));
  writeFileSync(join(root, 'order-2.yaml'), drafted.out);
  const unreviewed = await command(...apply);
  expect([unreviewed.code, unreviewed.err]).toMatchObject([2, expect.stringContaining('not_reviewed')]);
  const reviewed = await command(...review);
  expect([reviewed.code, reviewed.out]).toMatchObject([0, expect.stringContaining('waiting is called resting')]);
  expect((await command('migrate', 'plan', 'renamed.mjs')).code).toBe(1);
  const planned = await command(...plan, '--json');
  expect([planned.code, JSON.parse(planned.out)]).toMatchObject([
    0,
    { goes: 1, runs: [{ run: 'order-1', is: 'goes' }] },
  ]);
  const moved = await command(...apply, '--json');
  expect([moved.code, JSON.parse(moved.out)]).toMatchObject([0, { runs: [{ run: 'order-1', is: 'moved' }] }]);
  const again = await command(...apply, '--json');
  expect([again.code, JSON.parse(again.out)]).toMatchObject([0, { runs: [{ is: 'same' }] }]);
  const trace = await command('show', 'order-1');
  expect(trace.out).not.toContain('waiting');
  const gone = await command(...back, '--json');
  expect([gone.code, JSON.parse(gone.out)]).toMatchObject([0, { runs: [{ is: 'moved' }] }]);
});

test('a map that leads to another release, or is none, is refused with its place', async () => {
  const other = join(root, 'other.yaml');
  writeFileSync(
    other,
    readFileSync(join(root, 'order-2.yaml'), 'utf8').replace(/to: \{ machine: ..../, 'to: { machine: 0000'),
  );
  const led = await command('migrate', 'plan', 'renamed.mjs', '--map', other);
  expect([led.code, led.err]).toMatchObject([2, expect.stringContaining('other_map')]);
  writeFileSync(other, 'belay: 1\nmigrate: order\nstates: [waiting]\n');
  const none = await command('migrate', 'plan', 'renamed.mjs', '--map', other);
  expect([none.code, none.err]).toMatchObject([2, expect.stringMatching(/other.yaml:3:9 wrong_type/)]);
});
