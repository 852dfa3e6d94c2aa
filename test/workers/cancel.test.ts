/** A person ends a run: nothing of it acts anew, and it has ended once nothing is unknown. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { runNoteOf } from '../../src/reports/run-note.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/workers/worker.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { agentOf, folder, linesOf } from './shop.ts';

const workers: Worker[] = [];
let stores = 0;

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

function working(agents: WorkerOptions['agents'], store: JournalStore = memoryStore()) {
  stores += 1;
  const own = join(folder, `cancel-${stores}`);
  const told: string[] = [];
  const folderOf = (run: string) => {
    mkdirSync(join(own, run), { recursive: true });
    return join(own, run);
  };
  const onTold: WorkerOptions['onTold'] = (each) => {
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
  };
  const worker = startWorker({ store, agents, folderOf, pollMs: 20, onTold });
  workers.push(worker);
  return { store, client: workClient(store), told, paid: (run: string) => linesOf(join(own, run, 'payments')).length };
}

async function entries(store: JournalStore, run: string): Promise<Entry[]> {
  return entriesOf(await gathered(store.read(run)));
}

test('one that waits ends at once, and says who ended it', async () => {
  const { client, told, store, paid } = working([agentOf('hears')]);
  await client.start({ run: 'a', agent: 'hears' });
  await until(() => told.includes('a waits'));
  await client.send('a', 'PAY', { at: 'ready' });
  await client.cancel('a', { by: 'ann', why: 'not wanted' });
  await until(() => told.includes('a cancelled'));
  expect(await client.result('a')).toEqual({ is: 'cancelled', by: 'ann', why: 'not wanted' });
  expect(paid('a')).toBe(0);
  const rows = [...(await gathered(store.read('a')))];
  expect([timelineOf(rows).standing, runNoteOf(rows).standing]).toEqual([{ is: 'cancelled' }, { is: 'cancelled' }]);
  expect((await entries(store, 'a')).at(-1)).toMatchObject({ do: 'end', status: 'cancelled' });
  await expect(client.cancel('a', { by: 'ann' })).rejects.toThrow(/has ended: it is cancelled/);
  const left = (await entries(store, 'a')).find((entry) => entry.do === 'message');
  expect(left).toMatchObject({ refused: 'the run was cancelled' });
});

test('one that no worker has had never begins', async () => {
  const store = memoryStore();
  const client = workClient(store);
  await client.start({ run: 'a', agent: 'pays' });
  await client.cancel('a', { by: 'ann' });
  const { told, paid } = working([agentOf('pays')], store);
  await until(() => told.includes('a cancelled'));
  expect([paid('a'), await client.result('a')]).toEqual([0, { is: 'cancelled', by: 'ann', why: null }]);
  expect((await store.work.order('a'))?.ended).not.toBeNull();
  expect((await entries(store, 'a')).map((entry) => entry.do)).toEqual(['begin', 'cancel', 'end']);
});

test('a worker stays with an abort whose undo takes its time', async () => {
  let refunded = () => {};
  const asked: string[] = [];
  const undo = ({ key }: { readonly key: string }) => {
    asked.push(key);
    return new Promise<void>((resolve) => {
      refunded = resolve;
    });
  };
  const { client, told, store } = working([agentOf('stays', { undo })]);
  await client.start({ run: 'a', agent: 'stays' });
  await until(() => told.includes('a waits'));
  await client.cancel('a', { by: 'ann', undo: true });
  await until(() => asked.length === 1);
  // So many looks of a worker as it gives back after, were the run at rest.
  for (let looks = 0; looks < 4; looks += 1) await new Promise((resolve) => setTimeout(resolve, 100));
  const order = await store.work.order('a');
  expect([told.filter((each) => each !== 'a waits'), order?.ended, order?.due]).toEqual([[], null, expect.any(Number)]);
  refunded();
  await until(() => told.includes('a compensated'));
  expect([asked.length, (await client.result('a')).is]).toEqual([1, 'compensated']);
});

test('an approval that comes after it is refused, and the call never leaves', async () => {
  const { client, told, store, paid } = working([agentOf('asks')]);
  await client.start({ run: 'a', agent: 'asks' });
  await until(() => told.includes('a waits'));
  const [gate] = timelineOf(await gathered(store.read('a'))).runState.asked.pending();
  await client.cancel('a', { by: 'ann' });
  await client.approve('a', gate?.gate ?? '', { by: 'bob' });
  await until(() => told.includes('a cancelled'));
  expect(paid('a')).toBe(0);
  const { runState } = timelineOf(await gathered(store.read('a')));
  expect([...runState.ledger.all()].map(({ status }) => status)).not.toContain('confirmed');
});

test('a call under way is waited for, and its answer leads to nothing', async () => {
  const { client, told, store, paid } = working([agentOf('pays', { ms: 400 })]);
  await client.start({ run: 'a', agent: 'pays' });
  await until(() => paid('a') === 1);
  await client.cancel('a', { by: 'ann' });
  await until(() => told.includes('a cancelled'));
  const { runState } = timelineOf(await gathered(store.read('a')));
  expect([...runState.ledger.all()].map(({ status }) => status)).toEqual(['confirmed']);
  expect(runState.actor(0).value).toBe('paying');
});

test('one whose call is unknown is parked on it, and ends once a person has said what became of it', async () => {
  const { client, told, store } = working([agentOf('unknown')]);
  await client.start({ run: 'a', agent: 'unknown' });
  await until(() => told.includes('a parked'));
  await client.cancel('a', { by: 'ann' });
  const asked = async () => timelineOf(await gathered(store.read('a')));
  await until(
    async () =>
      (await asked()).runState.asked.cancelled !== null && told.filter((each) => each === 'a parked').length > 1,
  );
  expect([(await client.result('a')).is, (await asked()).standing]).toEqual([
    'waits',
    { is: 'parked', verdict: 'escalate' },
  ]);
  const [gate] = (await asked()).runState.asked.pending();
  await client.settle('a', gate?.gate ?? '', { status: 'confirmed', output: 'paid' }, { by: 'ann' });
  await until(() => told.includes('a cancelled'));
  expect(await client.result('a')).toMatchObject({ is: 'cancelled' });
});

test.each([{}, { cancel: true, by: '', why: null }, { cancel: true, by: 'x'.repeat(201), why: null }])(
  'a forged message ends nothing: %j',
  async (message) => {
    const { client, told, store, paid } = working([agentOf('asks')]);
    await client.start({ run: 'a', agent: 'asks' });
    await until(() => told.includes('a waits'));
    await store.post('a', JSON.stringify(message));
    await until(() => told.length > 1);
    expect([told, paid('a')]).toEqual([['a waits', 'a waits'], 0]);
    expect((await entries(store, 'a')).at(-1)).toMatchObject({ do: 'answer', verdict: 'refused' });
  },
);

test('a run is deleted once it has ended and owes nothing, and a worker deletes what ended long enough ago', async () => {
  const { client, told, store } = working([agentOf('hears'), agentOf('pays')]);
  await client.start({ run: 'a', agent: 'hears' });
  await until(() => told.includes('a waits'));
  expect(await client.delete('a')).toBe('it has not ended: cancel it first');
  await client.cancel('a', { by: 'ann' });
  await until(() => told.includes('a cancelled'));
  await client.start({ run: 'b', agent: 'pays' });
  await until(() => told.includes('b done'));
  expect(await client.delete('a')).toBeNull();
  expect((await store.runs()).map(({ run }) => run)).toEqual(['b']);
  await expect(client.delete('a')).rejects.toMatchObject({ code: 'run_unknown' });
  const swept: string[] = [];
  const onTold: WorkerOptions['onTold'] = (each) => void (each.is === 'deleted' && swept.push(each.run));
  workers.push(startWorker({ store, agents: [], folderOf: () => folder, pollMs: 5, retainMs: 0, onTold }));
  await until(() => swept.length > 0);
  expect([swept, await store.runs()]).toEqual([['b'], []]);
});

test('a run whose call is unknown is not deleted', async () => {
  const { client, told } = working([agentOf('unknown')]);
  await client.start({ run: 'a', agent: 'unknown' });
  await until(() => told.includes('a parked'));
  expect(await client.delete('a')).toMatch(/it has not ended/);
});
