/** Workers keep runs apart that touch the same key: a worker with one slot, a killed run that is taken over, and one that is stopped. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { type AnyStateMachine, setup } from 'xstate';
import type { Claims } from '../../src/effects/claims/claims.ts';
import { claimsIn } from '../../src/effects/claims/kept.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/workers/worker.ts';
import type { Agent, OpenAgent } from '../../src/xstate/agent.ts';
import { tool } from '../../src/xstate/tool.ts';
import { until } from '../poll.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-held-'));
const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An agent that takes a key, waits for the event GO, and ends. */
function taker(calls: string[]): Agent {
  const config = join(folder, 'taker.yaml');
  const tools = "tools:\n  take: { effect: idempotent, writes: ['desk:{args.key}'] }\n";
  writeFileSync(config, `belay: 1\nagent: taker\n${tools}skeletons: {}\n`);
  const none = async () => {
    throw new Error('opened by no run');
  };
  const machine = setup({ actors: { take: tool<string, object>(none) } }).createMachine({
    id: 'taker',
    context: ({ input }: { input: unknown }) => input as object,
    initial: 'taking',
    states: {
      taking: { invoke: { src: 'take', input: ({ context }: { context: object }) => context, onDone: 'waiting' } },
      waiting: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
  const open = async ({ run, input }: { run: string; input?: unknown }): Promise<OpenAgent> => {
    const take = async () => {
      calls.push(run);
      return 'taken';
    };
    return { machine: machine.provide({ actors: { take: tool<string, object>(take) } }), input, close: async () => {} };
  };
  return { machine, config, about: 'takes a key', open };
}

function working(store: JournalStore, more: Partial<WorkerOptions> = {}) {
  const calls: string[] = [];
  const folderOf = (run: string) => {
    mkdirSync(join(folder, run), { recursive: true });
    return join(folder, run);
  };
  const worker = startWorker({
    store,
    agents: [taker(calls)],
    folderOf,
    pollMs: 20,
    lingerMs: 0,
    concurrency: 1,
    ...more,
  });
  workers.push(worker);
  const client = workClient(store);
  const start = (run: string, key: string) => client.start({ run, agent: 'taker', input: { key } });
  const done = async (run: string) => (await client.result(run)).is === 'done';
  return { worker, client, calls, start, done };
}

test('a worker with one slot takes others beside a run that waits, above all the one that it waits for', async () => {
  const store = memoryStore();
  const { client, calls, start, done, worker } = working(store);
  await start('first', '1');
  await until(() => calls.length === 1);
  for (const run of ['second', 'third', 'fourth', 'fifth', 'sixth']) await start(run, '1');
  // The worker is crowded: what it takes from here on has claims.
  await until(async () => (await store.claims.list()).waiting.length === 4);
  await until(() => worker.counts.open === 4);
  for (const run of ['first', 'second', 'third', 'fourth', 'fifth', 'sixth']) {
    await until(() => calls.includes(run));
    await client.send(run, 'GO');
    await until(() => done(run));
  }
  expect(calls).toEqual(['first', 'second', 'third', 'fourth', 'fifth', 'sixth']);
  expect(await store.claims.list()).toEqual({ held: [], waiting: [], freed: [] });
});

test('runs that touch other keys go on beside it', async () => {
  const { calls, start } = working(memoryStore());
  for (const [run, key] of [
    ['first', '1'],
    ['second', '1'],
    ['third', '2'],
  ] as const)
    await start(run, key);
  await until(() => calls.length === 2);
  expect(calls).toEqual(['first', 'third']);
});

test('a worker that is stopped takes its calls out of the line, and the next one goes on with them', async () => {
  const path = join(folder, 'stopped.sqlite');
  const store = sqliteStore(path);
  const one = working(store);
  await one.start('first', '1');
  await until(() => one.calls.length === 1);
  await one.start('second', '1');
  await until(async () => (await store.claims.list()).waiting.length === 1);
  await one.worker.stop();
  const { held, waiting } = await store.claims.list();
  expect([held.map(({ run }) => run), waiting]).toEqual([['first'], []]);
  const two = working(store);
  await until(async () => (await store.claims.list()).waiting.length === 1);
  await two.client.send('first', 'GO');
  await until(() => two.calls.includes('second'));
  await two.worker.stop();
  await store.close();
});

test('a worker without claims keeps nothing apart', async () => {
  const { calls, start } = working(memoryStore(), { claims: null });
  for (const run of ['first', 'second']) await start(run, '1');
  await until(() => calls.length === 2);
});

test.each([
  ['memory', () => memoryStore()],
  ['a SQLite file', () => sqliteStore(join(folder, 'cancelled.sqlite'))],
])('a run that is cancelled frees what it has in %s, and the one that waited gets it', async (_, newStore) => {
  const store: JournalStore = newStore();
  const { client, calls, start } = working(store);
  await start('first', '1');
  await until(() => calls.length === 1);
  await start('second', '1');
  await until(async () => (await store.claims.list()).waiting.length === 1);
  await client.cancel('first', { by: 'ann' });
  await until(() => calls.includes('second'));
  await until(async () => (await client.result('first')).is === 'cancelled');
  expect(await client.delete('first')).toBe(null);
  const { held, waiting, freed } = await store.claims.list();
  expect([held.map(({ run }) => run), waiting, freed]).toEqual([['second'], [], []]);
  for (const worker of workers.splice(0)) await worker.stop();
  await store.close();
});

/** Claims of a store far away: it frees late, and fails where it is told to. */
function farAway(store: JournalStore, failures: number): Claims {
  const near = claimsIn(store);
  let left = failures;
  const release = async (run: string) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (left > 0) {
      left -= 1;
      throw new Error('the store does not answer');
    }
    await near.release(run);
  };
  return { take: near.take.bind(near), release };
}

test.each(['done', 'cancelled'] as const)('a run is %s once what it has claimed is free', async (status) => {
  const store = memoryStore();
  const { client, calls, start } = working(store, { claims: farAway(store, 0) });
  await start('one', '1');
  await until(() => calls.length === 1);
  if (status === 'done') await client.send('one', 'GO');
  else await client.cancel('one', { by: 'ann' });
  await until(async () => (await client.result('one')).is === status);
  expect((await store.claims.list()).held).toEqual([]);
});

test.each(['done', 'cancelled'] as const)(
  'a run is taken again to be %s where its claims were not freed',
  async (status) => {
    const store = memoryStore();
    const { client, calls, start, worker } = working(store, { claims: farAway(store, 1) });
    await start('one', '1');
    await until(() => calls.length === 1);
    if (status === 'done') await client.send('one', 'GO');
    else await client.cancel('one', { by: 'ann' });
    await until(async () => (await client.result('one')).is === status);
    expect([(await store.claims.list()).held, worker.counts.failed, calls]).toEqual([[], 1, ['one']]);
  },
);
