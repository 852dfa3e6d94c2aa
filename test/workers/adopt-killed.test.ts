/** CO3: the process of a worker that adopts is killed at each phase of a move, and two workers of two releases take the run up: one pays, once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { sharedFolder } from '../scratch.ts';
import { entries } from './small.ts';

const PROCESS = fileURLToPath(new URL('adopt-process.mjs', import.meta.url));
const root = sharedFolder('adopt');
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function worker(file: string, folder: string, release: number, when: string): ChildProcess {
  const child = spawn(process.execPath, [PROCESS, file, folder, `${release}`, when], { stdio: 'ignore' });
  children.push(child);
  return child;
}

test.each([
  // The journal or its absence says under which release the run is; the last two have a durable move.
  ['leased', 0],
  ['before', 0],
  ['appended', 0],
  ['durable', 1],
  ['closed', 1],
] as const)('killed at "%s" of a move', async (when, moves) => {
  const folder = join(root, when);
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'order.yaml'),
    'belay: 1\nagent: order\ntools:\n  pay: { effect: irreversible, reconcile: find, timeout: 5s }\nskeletons: {}\n',
  );
  const file = join(folder, 'belay.sqlite');
  const store = sqliteStore(file);
  const client = workClient(store);
  await client.start({ run: 'a', agent: 'order' });
  await client.send('a', 'LOOK');
  const first = worker(file, folder, 1, 'never');
  const isWaiting = async () =>
    (await store.run('a'))?.held === false && (await entries(store, 'a')).some((each) => each.do === 'message');
  await until(async () => ((await store.run('a'))?.head ?? 0) > 0 && (await isWaiting()));
  first.kill('SIGTERM');
  await once(first, 'exit');
  const [, signal] = (await once(worker(file, folder, 2, when), 'exit')) as [unknown, unknown];
  expect(signal).toBe('SIGKILL');
  const moved = async () => (await entries(store, 'a')).filter((each) => each.do === 'migrated').length;
  expect(await moved()).toBe(moves);
  worker(file, folder, 1, 'never');
  worker(file, folder, 2, 'never');
  await client.send('a', 'GO');
  await until(async () => (await client.result('a')).is === 'done');
  const payments = join(folder, 'payments.jsonl');
  const lines = existsSync(payments) ? readFileSync(payments, 'utf8').trim().split('\n') : [];
  expect([lines.map((line) => JSON.parse(line).release), await moved()]).toEqual([[moves === 0 ? 1 : 2], moves]);
  await store.close();
});
