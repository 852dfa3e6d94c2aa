/** The verb `notify`, as a person at a terminal has it, on a real file and a real receiver. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { asking, Receiver } from '../notify/asking.ts';
import { HANG } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { wait } from '../workers/small.ts';
import { built, file, MAIN } from './belay.ts';

const folder = scratchFolder('notify-verb');
const KEY = Buffer.alloc(32, 9).toString('hex');
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const env = { BELAY_JOURNAL_KEY: KEY, BELAY_WEBHOOK_SECRET: SECRET };
const receivers: Receiver[] = [];
afterAll(() => {
  for (const each of receivers) each.close();
});
const receiver = async (...of: Parameters<typeof Receiver.listening>) => {
  const made = await Receiver.listening(...of);
  receivers.push(made);
  return made;
};
const begun = async (name: string, runs: readonly string[]) => {
  const path = `${folder}/${name}.sqlite`;
  const store = sqliteStore(path, { key: Buffer.from(KEY, 'hex') });
  for (const run of runs) await asking(store, run);
  await store.close();
  return path;
};

test('once: tells each run, with the commands that answer; the second time there is nothing to tell', async () => {
  const path = await begun('once', ['order-1', 'order-2']);
  const hook = await receiver([500]);
  const args = ['notify', '--webhook', hook.url, '--once', '--journal', path];
  const first = await built(args, '', env);
  expect(first.code).toBe(1);
  expect(first.out).toContain('not told: the receiver answered 500; again in 1 second');
  expect(first.out).toContain('1 message sent; 1 message left to be sent again');
  await wait(1_100);
  const second = await built([...args, '--json'], '', env);
  expect(second.code).toBe(0);
  const lines = second.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.at(-1)).toEqual({ is: 'stopped', sent: 1, failed: 0, left: 0 });
  expect(await built(args, '', env)).toMatchObject({ code: 0, out: '0 messages sent\n' });
  expect([hook.all.length, hook.ids.length]).toEqual([3, 2]);
  const { gate, commands } = hook.all[0]?.notice.data ?? { gate: null, commands: [] };
  expect(commands[0]).toContain(`belay approve ${gate} --by NAME --journal `);
  // The command of the message is typed.
  const typed = await built(['approve', String(gate), '--by', 'ada', '--journal', path], '', env);
  expect(typed.code).toBe(0);
});

test('lists what was told', async () => {
  const path = await begun('list', ['order-1']);
  expect((await built(['notify', '--list', '--journal', path], '', env)).out).toContain(
    'no run that anyone was told of',
  );
  const hook = await receiver([503]);
  await built(['notify', '--webhook', hook.url, '--once', '--journal', path], '', env);
  const shown = await built(['notify', '--list', '--journal', path], '', env);
  expect(shown.out).toMatch(/default\s+order-1\s+open, not told yet, 1 try\s+.*the receiver answered 503/);
  const [row] = (await built(['notify', '--list', '--json', '--journal', path], '', env)).out.trim().split('\n');
  expect(JSON.parse(row as string)).toMatchObject({ channel: 'default', run: 'order-1', told: null, tries: 1 });
});

test('two processes until they are stopped, one of them killed: each run once', async () => {
  const runs = Array.from({ length: 12 }, (_, index) => `order-${index}`);
  const path = await begun('two', runs);
  const hook = await receiver([]);
  const args = [MAIN, 'notify', '--webhook', hook.url, '--poll', '100ms', '--journal', path];
  const started = () => spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const [killed, stays] = [started(), started()];
  for (const end = Date.now() + HANG; hook.all.length < 3 && Date.now() < end; ) await wait(5);
  killed.kill('SIGKILL');
  for (const end = Date.now() + HANG; hook.ids.length < 11 && Date.now() < end; ) await wait(20);
  const code = new Promise((resolve) => stays.on('exit', resolve));
  stays.kill('SIGTERM');
  expect(await code).toBe(0);
  // What the killed one was sending waits for the end of its lease: it is not lost.
  const store = sqliteStore(path, { key: Buffer.from(KEY, 'hex'), readonly: true });
  const open = (await store.notices?.list('default')) ?? [];
  expect(open.length).toBe(12);
  const untold = open.filter(({ told }) => told === null);
  expect(untold.length).toBeLessThanOrEqual(1);
  expect(untold.every(({ due }) => due !== null && due <= 60_000)).toBe(true);
  const told = new Set(hook.all.map(({ notice }) => notice.data.run));
  for (const { run } of open.filter((each) => each.told === 'needed')) expect(told.has(run)).toBe(true);
  expect(hook.all.length - hook.ids.length).toBeLessThanOrEqual(1);
  await store.close();
});

test('what cannot begin says why, and makes nothing', async () => {
  const none = `${folder}/none.sqlite`;
  const asked = async (...args: string[]) =>
    built(['notify', ...args, '--journal', none], '', { BELAY_WEBHOOK_SECRET: '' });
  for (const [args, why] of [
    [[], 'name the receiver with --webhook'],
    [['--webhook', 'https://ops.example'], 'no secret: --secret-file FILE or BELAY_WEBHOOK_SECRET'],
    [['--webhook', 'https://ops.example', '--unsigned'], 'journal_cannot_read'],
    [['--webhook', 'ops', '--unsigned'], 'the url is no address of http or https'],
    [['--webhook', 'https://ops.example', '--unsigned', '--secret-file', 'x'], 'name one of the two'],
    [['--webhook', 'https://ops.example', '--secret-file', `${folder}/no`], 'the secret cannot be read'],
    [['--webhook', 'https://ops.example', '--secret-file', file('bad.secret', 'hunter2')], 'the secret is none'],
    [['--list', '--once'], '--list sends nothing'],
  ] as const) {
    const { code, err, out } = await asked(...args);
    expect([code, out, err.includes(why)], `${args.join(' ')}: ${err}`).toEqual([2, '', true]);
    expect(err).not.toContain('hunter2');
  }
  expect(existsSync(none)).toBe(false);
});
