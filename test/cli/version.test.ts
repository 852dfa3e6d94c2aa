/** `--version` of the verbs that run an agent's code: a step that threw is tried again under another version, and under no other word (TH2). */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { Desk } from './agents.ts';

const RECEIPT = fileURLToPath(new URL('fixtures/receipt/agents.mjs', import.meta.url));
const desks: Desk[] = [];
afterEach(() => {
  for (const desk of desks.splice(0)) desk.clear();
});

/** A folder in which the agent `receipt` runs, with the payments of its runs. */
function made() {
  const desk = new Desk(RECEIPT);
  desks.push(desk);
  const world = (name: string, run = 'receipt-1') => join(desk.folder, 'belay.sqlite.world', run, name);
  const payments = () => readFileSync(world('payments'), 'utf8').trim().split('\n').length;
  const fix = (run?: string) => writeFileSync(world('fixed', run), '');
  const standing = async () => (await desk.json('show', 'receipt-1'))[0].standing;
  return { desk, payments, fix, standing, world };
}

test('a run is parked over a throw, and goes on under another version of its code alone', async () => {
  const { desk, payments, fix } = made();
  const first = await desk.ask('run', 'receipt', '--version', '1');
  expect([first.code, first.out]).toEqual([1, expect.stringContaining('parked')]);
  fix();
  const same = await desk.ask('resume', 'receipt-1', '--version', '1');
  expect([same.code, same.out]).toEqual([1, expect.stringContaining('parked')]);
  const [other] = await desk.json('resume', 'receipt-1', '--version', '2');
  expect(other).toMatchObject({ status: 'done', state: 'told' });
  expect(payments()).toBe(1);
});

test.each([
  ['run', 'receipt'],
  ['resume', 'receipt-1'],
  ['reconcile', 'receipt-1'],
])('a version that is none is refused by %s', async (verb, of) => {
  const { code, err } = await made().desk.ask(verb, of, '--version', ' ');
  expect([code, err]).toEqual([2, expect.stringContaining('1 to 200 characters')]);
});

test('the version of the command is told before a verb, and a verb has its own', async () => {
  const { desk } = made();
  expect((await desk.ask('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  const { code, err } = await desk.ask('resume', 'receipt-1', '--version');
  expect([code, err]).toEqual([2, expect.stringContaining('argument missing')]);
});

test('a worker tells the version that it carries, and its runs have it', async () => {
  const { desk, standing, world } = made();
  await desk.ask('start', 'receipt-1', '--agent', 'receipt');
  const worker = desk.begin('work', '--poll', '50ms', '--json', '--version', '7');
  await until(() => existsSync(world('payments')));
  await until(async () => (await standing()) === 'parked');
  worker.kill('SIGTERM');
  const { out } = await worker.closed;
  expect(JSON.parse(out.split('\n')[0] as string)).toMatchObject({ carries: [{ agent: 'receipt', version: '7' }] });
  expect((await desk.ask('explain', 'receipt-1')).out).toContain('version 7');
});
