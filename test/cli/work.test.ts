/** `belay start`, `belay send` and `belay work`: processes that share a store, and one that is killed in the middle of a payment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { belay, MAIN } from './belay.ts';

const AGENTS = fileURLToPath(new URL('../../docs/workers/agents.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'belay-work-'));
const children: ChildProcess[] = [];
let folders = 0;

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A folder that some workers share. */
function desk() {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  const ask = (...args: string[]) => belay(args, '', {}, folder);
  const payments = (run: string) => {
    const file = join(folder, 'belay.sqlite.world', run, 'payments.jsonl');
    // A line that a worker is about to write has no end yet.
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => JSON.parse(line));
  };
  return { folder, ask, payments, work: (...args: string[]) => worker(folder, args) };
}

/** A worker in a process of its own, and what it has told. */
function worker(cwd: string, args: string[]) {
  const child = spawn(process.execPath, [MAIN, 'work', '--module', AGENTS, '--poll', '100ms', '--json', ...args], {
    cwd,
  });
  children.push(child);
  const told: Record<string, unknown>[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    told.push(...lines.map((line) => JSON.parse(line)));
  });
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const says = (is: string) => told.some((line) => line.is === is);
  return { child, told, closed, says };
}

test('two workers, one killed in the middle of a payment: the other finishes, and there is one payment', async () => {
  const { ask, payments, work } = desk();
  expect((await ask('start', 'order-1', '--agent', 'order', '--json')).code).toBe(0);
  const [one, two] = [work(), work()];
  await until(() => payments('order-1').length === 1);
  const killed = one.says('taken') ? one : two;
  const other = killed === one ? two : one;
  expect([killed.says('taken'), other.says('taken')]).toEqual([true, false]);
  killed.child.kill('SIGKILL');
  await until(() => other.says('done'));
  expect(payments('order-1')).toHaveLength(1);
  const { out } = await ask('show', 'order-1', '--json');
  expect(JSON.parse(out)).toMatchObject({ standing: 'done', effects: [{ tool: 'pay', status: 'confirmed' }] });
});

test('a run is left once: the same again changes nothing, and another input is refused', async () => {
  const { ask, folder } = desk();
  writeFileSync(join(folder, 'seven.json'), '{"price":7}');
  const start = (...args: string[]) => ask('start', 'a', '--agent', 'order', '--input', 'seven.json', ...args);
  expect(await start()).toMatchObject({
    code: 0,
    out: 'a is left for workers of queue default\nbelay show a\n',
  });
  expect((await start()).out).toBe('a was left before, and nothing changes\nbelay show a\n');
  const other = await start('--queue', 'slow');
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('belay.sqlite: run_exists')]);
  expect((await ask('start', 'a', '--agent', 'order')).err).toContain('with another input');
  const wrong = await ask('start', 'b', '--agent', 'order', '--input', 'no.json');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('--input no.json: cannot be read')]);
  expect((await ask('start', 'b')).code).toBe(2);
});

test('an event is left for a run that is there, and is refused where it is none', async () => {
  const { ask } = desk();
  await ask('start', 'a', '--agent', 'order');
  expect((await ask('send', 'a', 'PAID')).out).toBe(
    'PAID is left for the worker that takes the run next, as message 1\n',
  );
  const { out } = await ask('send', 'a', '{"type":"PAID","amount":5}', '--at', 'paying', '--by', 'ann', '--json');
  expect(JSON.parse(out)).toEqual({ run: 'a', event: 'PAID', post: 2, held: false });
  const refused = [
    ['b', 'PAID', 'run_unknown'],
    ['a', '{"amount":5}', 'has no "type"'],
    ['a', '{', 'is not JSON'],
    ['a', 'xstate.done.actor.pay', 'only the machine gives'],
  ] as const;
  for (const [run, event, why] of refused)
    expect(await ask('send', run, event)).toMatchObject({ code: 2, err: expect.stringContaining(why) });
});

test('a worker tells its health, and on SIGTERM gives everything back and ends with 0', async () => {
  const { ask, payments, work } = desk();
  const { told, child, closed, says } = work('--health', '0', '--drain', '100ms');
  await until(() => says('working'));
  const at = `http://${told[0]?.health}`;
  await until(async () => (await fetch(`${at}/healthz`)).status === 200);
  await ask('start', 'a', '--agent', 'order');
  await until(() => payments('a').length === 1);
  expect(await (await fetch(`${at}/metrics`)).text()).toMatch(/^belay_worker_runs_open 1$/m);
  const metrics = await (await fetch(`${at}/metrics`)).text();
  expect(metrics).toMatch(/^belay_runs_waiting 0$/m);
  expect(metrics).toMatch(/^belay_obligations_open 0$/m);
  expect(metrics).toMatch(/^belay_worker_runs_moved_total 0$/m);
  const statuses = [(await fetch(`${at}/`)).status, (await fetch(`${at}/metrics`, { method: 'POST' })).status];
  expect(statuses).toEqual([404, 405]);
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
  expect(told.slice(-3)).toMatchObject([{ is: 'leaving', open: 1 }, { is: 'given_back', run: 'a' }, { is: 'stopped' }]);
  expect(JSON.parse((await ask('show', 'a', '--json')).out)).toMatchObject({ held: false, standing: 'open' });
});

test('a worker counts the runs of the store by their release and state', async () => {
  const { ask, payments, work } = desk();
  const first = work('--version', '1 "beta"', '--drain', '100ms');
  await ask('start', 'a', '--agent', 'order');
  await until(() => payments('a').length === 1);
  first.child.kill('SIGKILL');
  const { told, says } = work('--queue', 'other', '--health', '0');
  await until(() => says('working'));
  const text = await (await fetch(`http://${told[0]?.health}/metrics`)).text();
  const [line = ''] = text.split('\n').filter((each) => each.startsWith('belay_runs{'));
  expect(line).toMatch(
    /^belay_runs\{agent="order",machine="[0-9a-f]{12}",config="[0-9a-f]{12}",version="1 \\"beta\\"",state="open"\} 1$/,
  );
  expect(text).toMatch(/^# TYPE belay_runs gauge$/m);
  const { releases } = JSON.parse((await ask('drains', '--json')).out);
  expect(releases).toMatchObject([
    { agent: 'order', version: '1 "beta"', runs: ['a'], states: { open: 1 }, persons: 0 },
  ]);
});

test('runs that a worker does not carry are told with what they want', async () => {
  const { ask, work } = desk();
  await ask('start', 'a', '--agent', 'parcel');
  const { told, says } = work();
  await until(() => says('unserved'));
  expect(told).toContainEqual({ is: 'unserved', run: 'a', agent: 'parcel', wants: null });
});

test('a worker without agents, or with options that are none, does not begin', async () => {
  const { ask } = desk();
  const none = await ask('work');
  expect([none.code, none.err]).toEqual([2, expect.stringContaining('there are no agents to work with')]);
  for (const wrong of [
    ['--concurrency', '0'],
    ['--poll', 'soon'],
    ['--health', '99999'],
  ])
    expect((await ask('work', '--module', AGENTS, ...wrong)).code).toBe(2);
});
