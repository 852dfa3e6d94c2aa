/** `belay retry`, as a person types it: for a run that nobody has, for one that a worker has, and where it is refused. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { until } from '../poll.ts';
import { Parked } from '../workers/parked.ts';
import { Desk, widest } from './agents.ts';

const RECEIPT = fileURLToPath(new URL('fixtures/receipt/agents.mjs', import.meta.url));
const desks: Desk[] = [];
afterEach(() => {
  for (const desk of desks.splice(0)) desk.clear();
});

/** A folder with the run `receipt-1`, and its payments. */
function made() {
  const desk = new Desk(RECEIPT);
  desks.push(desk);
  const world = (name: string) => join(desk.folder, 'belay.sqlite.world', 'receipt-1', name);
  const payments = () => readFileSync(world('payments'), 'utf8').trim().split('\n').length;
  return { desk, payments, world, fix: () => writeFileSync(world('fixed'), '') };
}

test('a run that nobody has is told the command, takes the word, and goes on under the same version', async () => {
  const { desk, payments, fix } = made();
  const parked = await desk.ask('run', 'receipt', '--version', '1');
  expect(parked.out).toContain('belay retry receipt-1 --by NAME');
  fix();
  const left = await desk.ask('retry', 'receipt-1', '--by', 'ada', '--why', 'put right');
  expect([left.code, left.err]).toEqual([0, '']);
  expect(left.out).toBe(
    'receipt-1: left for the process that takes the run next, as message 1\nbelay resume receipt-1\n',
  );
  const resumed = await desk.ask('resume', 'receipt-1', '--version', '1');
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringMatching(/^receipt-1: done/)]);
  expect(payments()).toBe(1);
  const late = await desk.ask('retry', 'receipt-1', '--json');
  expect([late.code, JSON.parse(late.out)]).toMatchObject([1, { is: 'refused', post: null }]);
  expect(late.out).toContain('the run has ended');
});

test('a run that a worker has given back is taken, and goes on', async () => {
  const { desk, payments, fix, world } = made();
  await desk.ask('start', 'receipt-1', '--agent', 'receipt');
  const worker = desk.begin('work', '--poll', '50ms', '--version', '1');
  const standing = async () => (await desk.json('show', 'receipt-1'))[0]?.standing;
  await until(() => existsSync(world('payments')));
  await until(async () => (await standing()) === 'parked');
  await until(async () => (await desk.json('runs'))[0]?.held === false);
  fix();
  const told = await desk.ask('retry', 'receipt-1', '--by', 'ada', '--json');
  expect([told.code, JSON.parse(told.out)]).toMatchObject([0, { run: 'receipt-1', is: 'left', next: null }]);
  await until(async () => (await standing()) === 'done');
  worker.kill('SIGTERM');
  await worker.closed;
  expect(payments()).toBe(1);
});

test('a process that has the run answers within the wait: taken, or refused with the reason', async () => {
  const { desk } = made();
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'));
  const it = new Parked(store);
  const run = await it.opened();
  await run.finished();
  expect((await desk.ask('explain', 'r')).out).toContain('belay retry r --by NAME');
  const again = await desk.ask('retry', 'r', '--by', 'ada');
  expect([again.code, again.out]).toEqual([0, 'r: the step that threw is tried again\n']);
  await until(() => run.status === 'parked');
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Pay', entity: 'it' } });
  const refused = await desk.ask('retry', 'r', '--by', 'ada');
  expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/^r: refused: .*in question/)]);
  await run.close();
  await store.close();
});

test('a run that is paused takes the word, and says when it counts', async () => {
  const { desk } = made();
  await desk.ask('run', 'receipt', '--version', '1');
  await desk.ask('pause', 'receipt-1', '--by', 'ada');
  await desk.ask('resume', 'receipt-1', '--version', '1');
  const told = await desk.ask('retry', 'receipt-1', '--by', 'ada');
  expect([told.code, told.out]).toEqual([0, expect.stringContaining('after unpause\nbelay unpause receipt-1')]);
});

test.each([
  ['no such run', ['retry', 'nothing'], /There is no run/],
  ['a blank name', ['retry', 'receipt-1', '--by', ' '], /a name of 1 to 200/],
  ['no run', ['retry'], /name one of: a run, --all/],
])('says what is wrong: %s', async (_, args, text) => {
  const { desk } = made();
  await desk.ask('run', 'receipt');
  const told = await desk.ask(...args);
  expect([told.code, told.out]).toEqual([2, '']);
  expect(told.err).toMatch(text);
});

test('its help fits a terminal', async () => {
  const { code, out } = await made().desk.ask('retry', '--help');
  expect([code, widest(out) <= 80]).toEqual([0, true]);
});
