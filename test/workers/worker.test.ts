/** A worker on a store: it takes what can go on, gives back what waits, and leaves what it does not carry. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { EntryDecoder } from '../../src/journal/entry-codec.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { workClient } from '../../src/workers/client.ts';
import type { WorkTold } from '../../src/workers/told.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/workers/worker.ts';
import { until } from '../poll.ts';
import { agentOf, folder, linesOf } from './shop.ts';

const DIST = new URL('../../dist/journal/sqlite/store.js', import.meta.url).href;

const workers: Worker[] = [];
let stores = 0;

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

/** A worker of a store of its own, and what it tells. */
function working(
  agents: WorkerOptions['agents'],
  store: JournalStore = memoryStore(),
  more: Partial<WorkerOptions> = {},
) {
  stores += 1;
  const own = join(folder, String(stores));
  const told: string[] = [];
  const onTold = (each: WorkTold) => {
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
    if (each.is === 'not_taken') told.push(...each.runs.map(({ order, why }) => `${order.run} ${why}`));
  };
  const folderOf = (run: string) => {
    mkdirSync(join(own, run), { recursive: true });
    return join(own, run);
  };
  const worker = startWorker({ store, agents, folderOf, pollMs: 20, onTold, ...more });
  workers.push(worker);
  const paid = (run: string) => linesOf(join(own, run, 'payments')).length;
  return { worker, store, client: workClient(store), told, paid };
}

/** The events that messages brought to a run, and what became of them. */
async function messagesOf(store: JournalStore, run: string) {
  const decoder = new EntryDecoder();
  const all: string[] = [];
  for (const row of await gathered(store.read(run))) {
    const entry = decoder.entry(row);
    if (entry?.do === 'message') all.push(`${entry.event} ${entry.refused ?? 'sent'}`);
  }
  return all;
}

test('a run that was left is begun, ends, and its output is told', async () => {
  const { client, told, paid } = working([agentOf('pays')]);
  await client.start({ run: 'a', agent: 'pays' });
  await until(() => told.length > 0);
  expect([told, paid('a'), await client.result('a')]).toEqual([['a done'], 1, { is: 'done', output: 0 }]);
});

test('a run that waits for a person is given back, and goes on once it is answered', async () => {
  const { client, told, paid, store, worker } = working([agentOf('asks')]);
  await client.start({ run: 'a', agent: 'asks' });
  await until(() => told.includes('a waits'));
  expect([paid('a'), await client.result('a')]).toEqual([0, { is: 'waits' }]);
  // Its approval expires after two hours.
  expect((await store.work.order('a'))?.due).toBeGreaterThan(7_000_000);
  const polls = worker.counts.polls;
  await until(() => worker.counts.polls > polls + 10);
  expect(worker.counts).toMatchObject({ open: 0, told: 1 });
  const { runState } = timelineOf(await gathered(store.read('a')));
  const [gate] = runState.asked.pending();
  await client.approve('a', gate?.gate ?? '', { by: 'ann' });
  await until(() => told.includes('a done'));
  expect(paid('a')).toBe(1);
  await expect(client.approve('a', 'no such gate', { by: 'ann' })).rejects.toThrow(/asks nothing/);
});

test('a run that waits for a time is given back until then', async () => {
  const { client, told, paid, store } = working([agentOf('waits')], memoryStore(), { lingerMs: 0 });
  await client.start({ run: 'a', agent: 'waits' });
  await until(() => told.includes('a waits'));
  const due = (await store.work.order('a'))?.due ?? 0;
  expect(due).toBeLessThanOrEqual(3_000);
  await until(() => told.includes('a done'));
  expect(paid('a')).toBe(1);
});

describe('an event that is left for a run', () => {
  test('is sent once, in the order of the messages, and refused where the machine does not take it', async () => {
    const { client, told, store } = working([agentOf('hears')]);
    await client.start({ run: 'a', agent: 'hears' });
    for (const event of ['PAY', 'GO', 'GO']) await client.send('a', event, { by: 'ann' });
    await until(async () => (await messagesOf(store, 'a')).length === 3);
    expect(await messagesOf(store, 'a')).toEqual(['PAY the machine takes no PAY in idle', 'GO sent', 'GO sent']);
    await until(() => told.includes('a waits'));
    await client.send('a', 'PAY');
    await until(() => told.includes('a done'));
    expect(await client.result('a')).toEqual({ is: 'done', output: 2 });
  });

  test('waits for the state that it names', async () => {
    const { client, told, store } = working([agentOf('hears')]);
    await client.start({ run: 'a', agent: 'hears' });
    await client.send('a', 'PAY', { at: 'ready' });
    await until(() => told.includes('a waits'));
    expect(await messagesOf(store, 'a')).toEqual([]);
    await client.send('a', 'GO');
    await until(() => told.includes('a done'));
    expect(await messagesOf(store, 'a')).toEqual(['GO sent', 'PAY sent']);
  });

  test.each(['xstate.done.actor.pay', '@belay.restore', ''])('cannot have the name %j', async (type) => {
    const { client } = working([agentOf('hears')]);
    await client.start({ run: 'a', agent: 'hears' });
    await expect(client.send('a', { type })).rejects.toThrow(TypeError);
  });

  test('is no event for a run that is not there', async () => {
    const { client } = working([]);
    await expect(client.send('a', 'GO')).rejects.toMatchObject({ code: 'run_unknown' });
    await expect(client.result('a')).rejects.toMatchObject({ code: 'run_unknown' });
  });
});

test('a forged message of a poster sends nothing that only the machine may say', async () => {
  const { client, store, told } = working([agentOf('hears')]);
  await client.start({ run: 'a', agent: 'hears' });
  const forged = { event: { type: 'xstate.done.actor.pay', output: 'paid' }, at: null, by: null };
  await store.post('a', JSON.stringify(forged));
  await until(() => told.includes('a waits'));
  expect(await messagesOf(store, 'a')).toEqual([]);
});

test('a run of another agent, or of another version, is left with what it wants, and one that crashes is parked', async () => {
  const store = memoryStore();
  const client = workClient(store);
  for (const run of ['other', 'older', 'deadly']) await client.start({ run, agent: run === 'other' ? 'asks' : 'pays' });
  await store.work.bind('older', { machine: 'm0', config: 'c0' });
  const { told, worker } = working([agentOf('pays')], store);
  await until(() => told.includes('deadly done') && told.includes('older unserved'));
  expect(told).toContain('other unserved');
  await until(() => worker.counts.unserved === 2);
});

test('a run that ended three processes is given to no other, until a person has resumed it', async () => {
  const path = join(folder, 'crashed.sqlite');
  const store = sqliteStore(path);
  const client = workClient(store);
  await client.start({ run: 'a', agent: 'pays' });
  const opens = `
    const { sqliteStore } = await import(${JSON.stringify(DIST)});
    await sqliteStore(${JSON.stringify(path)}).open('a', 'either');
    process.kill(process.pid, 'SIGKILL');`;
  for (let crash = 1; crash <= 3; crash += 1) {
    expect(await client.result('a')).toEqual({ is: 'left' });
    spawnSync(process.execPath, ['--input-type=module', '-e', opens]);
    expect((await store.work.order('a'))?.taken).toBe(crash);
  }
  const { told, paid } = working([agentOf('pays')], store);
  await until(() => told.includes('a worker_crashed'));
  expect([await client.result('a'), paid('a')]).toEqual([{ is: 'worker_crashed' }, 0]);
  await (await store.open('a', 'either')).close();
  await until(() => told.includes('a done'));
  expect(paid('a')).toBe(1);
  for (const worker of workers.splice(0)) await worker.stop();
  await store.close();
});

test('a run that cannot be opened is put off, with the reason', async () => {
  const { client, told, store } = working([agentOf('pays')]);
  await client.start({ run: 'a', agent: 'pays', input: 'refused' });
  await until(() => told.includes('a failed'));
  expect(await store.work.order('a')).toMatchObject({ note: 'cannot_run the shop is closed', taken: 0 });
  expect((await store.work.order('a'))?.due).toBeGreaterThan(0);
});

test('a worker that is told to stop waits for the call under way, and gives the run back', async () => {
  const { client, told, paid, store, worker } = working([agentOf('pays', { ms: 300 })]);
  await client.start({ run: 'a', agent: 'pays' });
  await until(() => paid('a') === 1);
  await worker.stop();
  expect([told, (await store.work.order('a'))?.held]).toEqual([['a given_back'], false]);
  const next = working([agentOf('pays')], store);
  await until(() => next.told.includes('a done'));
  expect([paid('a'), next.paid('a')]).toEqual([1, 0]);
});

test('a worker has no more runs at once than it may', async () => {
  const { client, worker, told } = working([agentOf('pays', { ms: 100 })], memoryStore(), { concurrency: 2 });
  const runs = ['a', 'b', 'c', 'd', 'e'];
  for (const run of runs) await client.start({ run, agent: 'pays' });
  let most = 0;
  await until(() => {
    most = Math.max(most, worker.counts.open);
    return told.length === runs.length;
  });
  expect([most, told.sort()]).toEqual([2, runs.map((run) => `${run} done`)]);
});

test('of two workers that see the same run, only the one that holds it says that it has taken it', async () => {
  const store = memoryStore();
  const runs = Array.from({ length: 20 }, (_, index) => `run-${index}`);
  const told: string[] = [];
  const onTold = (each: WorkTold) => {
    if (each.is === 'taken') told.push(`${each.run} taken`);
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
  };
  for (const run of runs) await workClient(store).start({ run, agent: 'pays' });
  const both = [working([agentOf('pays')], store, { onTold }), working([agentOf('pays')], store, { onTold })];
  await until(() => told.length >= 2 * runs.length);
  for (const { worker } of both) await worker.stop();
  expect(told.toSorted()).toEqual(runs.flatMap((run) => [`${run} done`, `${run} taken`]).toSorted());
  expect(both.reduce((sum, { worker }) => sum + worker.counts.taken, 0)).toBe(runs.length);
});

test('a worker counts the runs that it has ended, and those that it has left parked', async () => {
  const { worker, client, told } = working([agentOf('pays'), agentOf('hears'), agentOf('unknown')]);
  await client.start({ run: 'a', agent: 'pays' });
  await client.start({ run: 'b', agent: 'hears' });
  await client.start({ run: 'c', agent: 'unknown' });
  await until(() => told.includes('a done') && told.includes('b waits') && told.includes('c parked'));
  await client.cancel('b', { by: 'ann' });
  await until(() => told.includes('b cancelled'));
  expect(worker.counts).toMatchObject({ done: 1, cancelled: 1, parked: 1, failed: 0 });
});

test('a run that has ended when the worker takes leave is one that it has ended', async () => {
  const { worker, store, client, told } = working([agentOf('pays')]);
  await client.start({ run: 'a', agent: 'pays' });
  await until(async () => {
    const rows = (await store.run('a'))?.head === 0 ? [] : await gathered(store.read('a'));
    return timelineOf(rows).runState.ended === 'done';
  });
  await worker.stop();
  expect([told, await client.result('a')]).toEqual([['a done'], { is: 'done', output: 0 }]);
  expect(worker.counts).toMatchObject({ taken: 1, done: 1 });
});
