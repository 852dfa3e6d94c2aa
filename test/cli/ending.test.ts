/** `belay fail`, `belay cancel` and `belay delete`: what people leave for runs of workers, in processes of their own. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { belay, MAIN } from './belay.ts';

const AGENTS = fileURLToPath(new URL('../../docs/workers/agents.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'belay-ending-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

function desk() {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  return (...args: string[]) => belay(args, '', {}, folder);
}

test('a run that no worker has had is cancelled, ended by the process that takes it, and deleted', async () => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const stays = await ask('delete', 'order-1', '--by', 'ada', '--json');
  expect([stays.code, JSON.parse(stays.out)]).toMatchObject([
    1,
    { deleted: false, why: expect.stringMatching(/begun/) },
  ]);
  const cancelled = await ask('cancel', 'order-1', '--by', 'ada', '--why', 'not wanted', '--json');
  expect([cancelled.code, JSON.parse(cancelled.out)]).toEqual([0, { run: 'order-1', post: 1, held: false }]);
  const run = await ask('run', 'order', '--run', 'order-1', '--machines', AGENTS);
  expect(run.err).toMatch(/run_cancelled|cancelled/);
  const runs = await ask('runs', '--json');
  expect(JSON.parse(runs.out)).toMatchObject({ run: 'order-1', standing: 'cancelled', held: false });
  expect((await ask('runs')).out).toContain('cancelled');
  expect((await ask('show', 'order-1')).code).toBe(0);
  expect((await ask('cancel', 'order-1', '--by', 'ada')).err).toContain('has ended: it is cancelled');
  const gone = await ask('delete', 'order-1', '--by', 'ada');
  expect([gone.code, gone.out]).toEqual([0, 'order-1 is deleted, by ada\n']);
  expect((await ask('runs')).out).toBe('no runs yet\n');
});

test.each([
  ['no such run', ['cancel', 'nothing', '--by', 'ada'], /There is no run|run_unknown/],
  ['no person', ['cancel', 'order-1'], /--by/],
  ['an empty name', ['cancel', 'order-1', '--by', ' '], /cancelled by a person/],
  ['no such work', ['fail', 'order-1', '--skeleton', 'Pay', '--entity', 'x', '--by', 'ada'], /was ever begun/],
  [
    'a signal that is none',
    ['fail', 'order-1', '--skeleton', 'P', '--entity', 'x', '--by', 'a', '--signal', 'NO'],
    /NO/,
  ],
  [
    'a key that is none',
    ['fail', 'order-1', '--skeleton', 'P', '--entity', 'x', '--by', 'a', '--key', 'a//b'],
    /empty segment/,
  ],
  [
    'an ordinal that is none',
    ['fail', 'o', '--skeleton', 'P', '--entity', 'x', '--by', 'a', '--ordinal', '-1'],
    /whole number/,
  ],
  ['no such run to delete', ['delete', 'nothing', '--by', 'ada'], /no run/],
  ['a time that is none', ['work', '--retain', 'soon'], /12h or 30d/],
])('%s is refused with the reason', async (what, args, why) => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const { code, err } = await ask(...args);
  // The run is there and takes no such word; everything else is no command at all.
  expect(code).toBe(what === 'no such work' ? 1 : 2);
  expect(err).toMatch(why);
});

test.each(['fail', 'cancel', 'delete'])('the help of %s fits a terminal', async (verb) => {
  const { code, out } = await desk()(verb, '--help');
  expect(code).toBe(0);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

test('a worker that is killed after it was told to end a run: the next one ends it, and nothing is paid twice', async () => {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  const ask = (...args: string[]) => belay(args, '', {}, folder);
  const work = () =>
    spawn(process.execPath, [MAIN, 'work', '--module', AGENTS, '--poll', '100ms'], { cwd: folder, stdio: 'ignore' });
  const book = join(folder, 'belay.sqlite.world', 'order-1', 'payments.jsonl');
  const payments = () => (existsSync(book) ? readFileSync(book, 'utf8').trim().split('\n') : []);
  const file = join(folder, 'belay.sqlite');
  const entries = async () => {
    const store = sqliteStore(file, { readonly: true });
    const all = entriesOf(await gathered(store.read('order-1')));
    await store.close();
    return all.map((entry) => entry.do);
  };
  await ask('start', 'order-1', '--agent', 'order');
  const one = work();
  await until(() => payments().length === 1);
  // From this process: another one might not have started by the time that the bank answers.
  const store = sqliteStore(file);
  await workClient(store).cancel('order-1', { by: 'ada' });
  await store.close();
  await until(async () => (await entries()).includes('cancel'));
  one.kill('SIGKILL');
  const other = work();
  await until(async () => (await entries()).includes('end'));
  other.kill('SIGKILL');
  expect(payments()).toHaveLength(1);
  const shown = JSON.parse((await ask('show', 'order-1', '--json')).out);
  expect(shown).toMatchObject({ standing: 'cancelled', effects: [{ tool: 'pay', status: 'confirmed' }] });
});
