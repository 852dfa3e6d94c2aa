/** `belay fail --dry`: what a complaint would come to, from the journal and the module of the agent. Nothing is left for the run. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { quotes } from '../workers/quotes.mjs';
import { belay } from './belay.ts';

const QUOTES = fileURLToPath(new URL('../workers/quotes.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'belay-preview-'));
const journal = join(root, 'belay.sqlite');
const module = join(root, 'agents.mjs');
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  mkdirSync(join(root, 'world'));
  const agent = quotes(join(root, 'world'));
  const code = `import { quotes } from ${JSON.stringify(pathToFileURL(QUOTES).href)};\n`;
  writeFileSync(module, `${code}export const agents = { quotes: quotes(${JSON.stringify(join(root, 'world'))}) };\n`);
  const store = sqliteStore(journal);
  const open = await agent.open({ run: 'trip-1', folder: join(root, 'world'), input: undefined });
  const options = {
    run: 'trip-1',
    config: agent.config,
    journal: store,
    reconcilers: open.reconcilers,
    undo: open.undo,
  };
  const sidecar = await resume(open.machine, options as never);
  sidecar.actor.start();
  await until(() => (sidecar.actor.getSnapshot() as { value: unknown }).value === 'waiting');
  await sidecar.close();
  await store.close();
});

const fail = (...more: string[]) =>
  belay(
    [
      'fail',
      'trip-1',
      '--skeleton',
      'Quote',
      '--entity',
      'trip',
      '--by',
      'ada',
      '--dry',
      '--machines',
      module,
      ...more,
    ],
    '',
    {},
    root,
  );

test('prints what goes back, what is undone and what is kept; the file and the world stay as they are', async () => {
  const state = () => [readFileSync(journal), readFileSync(join(root, 'world', 'bookings'), 'utf8')];
  const before = state();
  const { code, out } = await fail('--key', 'price');
  expect([code, out]).toMatchObject([0, expect.stringContaining('nothing was left for the run')]);
  expect(out).toMatch(/restore.*Quote::trip::0 goes back to its entry/s);
  expect(out).toMatch(/Undo before the restore, in this order\s+book of Book::trip::0/);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const json = await fail('--key', 'price', '--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([
    0,
    {
      run: 'trip-1',
      dry: true,
      waitsFor: null,
      answers: [{ is: 'decided', verdict: 'restore', undo: [{ instance: 'Book::trip::0', tool: 'book' }] }],
    },
  ]);
  expect(state()).toEqual(before);
  expect((await belay(['messages', 'trip-1'], '', {}, root)).out).toBe('no messages yet\n');
});

test('what is kept is named', async () => {
  const { out } = await belay(
    [
      'fail',
      'trip-1',
      '--skeleton',
      'Book',
      '--entity',
      'trip',
      '--key',
      'booked',
      '--by',
      'a',
      '--dry',
      '--machines',
      module,
    ],
    '',
    {},
    root,
  );
  expect(out).toMatch(/Kept whole\s+Quote::trip::0/);
});

test.each([
  ['a key that it never wrote', ['--key', 'booked'], 1, /bad_failure Quote::trip::0 never wrote booked/],
  ['the place of a complaint where none waits', ['--instead'], 1, /bad_failure no complaint waits/],
  ['a module that is not there', ['--machines', 'none.mjs'], 2, /cannot_read/],
  ['another config', ['--config', 'other.yaml'], 2, /config_changed/],
])('%s is refused with the reason', async (_, more, code, why) => {
  const config = readFileSync(join(root, 'world', 'quotes.yaml'), 'utf8');
  writeFileSync(join(root, 'other.yaml'), config.replace('skeletons:', 'keys: { blind: [other] }\nskeletons:'));
  const ran = await fail(...more);
  expect([ran.code, ran.out]).toEqual([code, '']);
  expect(ran.err).toMatch(why);
});

test('the preview of an act on an event says what it comes to, and why it would be refused', async () => {
  const steer = (...more: string[]) =>
    belay(['steer', 'trip-1', ...more, '--by', 'ada', '--dry', '--machines', module], '', {}, root);
  const before = readFileSync(journal);
  const refused = await steer('retract', 'input');
  expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/would be refused:\s+steer_unsupported/)]);
  const json = await steer('retract', 'input', '--json');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { dry: true, is: 'refused', answer: null, waits: [] }]);
  const revised = await steer('revise', 'input', '--to', '{"nothing":"reads it"}');
  expect([revised.code, revised.out]).toEqual([0, expect.stringContaining('stays where it is')]);
  const unknown = await steer('retract', 'brief');
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('event_unknown')]);
  expect((await steer('retract', 'brief', '--from', 'here')).code).toBe(2);
  expect(readFileSync(journal)).toEqual(before);
});

test('a run that is not there is told', async () => {
  const args = [
    'fail',
    'trip-2',
    '--skeleton',
    'Quote',
    '--entity',
    'trip',
    '--by',
    'ada',
    '--dry',
    '--machines',
    module,
  ];
  const ran = await belay(args, '', {}, root);
  expect([ran.code, ran.err]).toMatchObject([2, expect.stringMatching(/no run "trip-2"/)]);
});
