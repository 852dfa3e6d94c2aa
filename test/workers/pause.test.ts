/** LC10: workers and paused runs: a worker obeys within a second, takes none that is paused, and goes on once a person says so. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { runStatusOf } from '../../src/reports/run-status.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker, type Worker, type WorkerOptions } from '../../src/workers/worker.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { calm, until } from '../poll.ts';
import { agentOf, folder, linesOf } from './shop.ts';

const workers: Worker[] = [];
let stores = 0;

afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

function working(agents: WorkerOptions['agents'], store: JournalStore) {
  stores += 1;
  const own = join(folder, `pause-${stores}`);
  const told: string[] = [];
  const folderOf = (run: string) => {
    mkdirSync(join(own, run), { recursive: true });
    return join(own, run);
  };
  const onTold: WorkerOptions['onTold'] = (each) => {
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
    if (each.is === 'taken') told.push(`${each.run} taken`);
  };
  const worker = startWorker({ store, agents, folderOf, pollMs: 20, onTold });
  workers.push(worker);
  return { client: workClient(store), told, paid: (run: string) => linesOf(join(own, run, 'payments')).length };
}

const MADE: [string, () => JournalStore][] = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(join(folder, `pause-store-${stores}.sqlite`))],
];

test.each(MADE)(
  'a run that is paused is given back, keeps what comes, and goes on where it stood (%s)',
  async (_, make) => {
    const store = make();
    const { client, told, paid } = working([agentOf('hears')], store);
    await client.start({ run: 'a', agent: 'hears' });
    await client.send('a', 'GO');
    await until(() => told.includes('a waits'));
    await client.pause('a', { by: 'ann', why: 'the price is odd' });
    await until(async () => runStatusOf(await gathered(store.read('a'))).standing.is === 'paused');
    await until(async () => (await store.run('a'))?.held === false);
    expect(await client.result('a')).toEqual({ is: 'paused', by: 'ann', why: 'the price is odd' });
    const before = told.length;
    await client.send('a', 'PAY');
    await calm(200);
    expect([paid('a'), told.slice(before)]).toEqual([0, []]);
    await client.unpause('a', { by: 'bob' });
    await until(() => told.includes('a done'));
    expect([paid('a'), await client.result('a')]).toEqual([1, { is: 'done', output: 1 }]);
  },
);

test('a run that no worker has had and that is paused does not begin', async () => {
  const store = memoryStore();
  const client = workClient(store);
  await client.start({ run: 'a', agent: 'pays' });
  await client.pause('a', { by: 'ann' });
  const { told, paid } = working([agentOf('pays')], store);
  await until(async () => runStatusOf(await gathered(store.read('a'))).standing.is === 'paused');
  await calm(100);
  expect([paid('a'), told]).toEqual([0, []]);
  expect(entriesOf(await gathered(store.read('a'))).map((entry) => entry.do)).toEqual(['begin', 'pause']);
  await client.unpause('a', { by: 'bob' });
  await until(() => told.includes('a done'));
  expect(paid('a')).toBe(1);
});

test('a call under way comes back and is written down, and the run does not go on behind it', async () => {
  const store = memoryStore();
  const { client, told, paid } = working([agentOf('pays', { ms: 300 })], store);
  await client.start({ run: 'a', agent: 'pays' });
  await until(() => told.includes('a taken'));
  await until(async () => entriesOf(await gathered(store.read('a'))).some((entry) => entry.do === 'intent'));
  await client.pause('a', { by: 'ann' });
  await until(() => told.includes('a paused'));
  const rows = entriesOf(await gathered(store.read('a')));
  expect([paid('a'), rows.some((entry) => entry.do === 'outcome'), rows.some((entry) => entry.do === 'end')]).toEqual([
    1,
    true,
    false,
  ]);
  await client.unpause('a', { by: 'ann' });
  await until(() => told.includes('a done'));
  expect(paid('a')).toBe(1);
});

test('a second word that changes nothing is refused, and one for a run that has ended throws', async () => {
  const store = memoryStore();
  const { client, told } = working([agentOf('hears')], store);
  await client.start({ run: 'a', agent: 'hears' });
  await until(() => told.includes('a waits'));
  await client.unpause('a', { by: 'ann' });
  const words = async () => entriesOf(await gathered(store.read('a'))).filter((entry) => entry.do === 'pause');
  await until(async () => (await words()).length === 1);
  expect(await words()).toMatchObject([{ refused: 'the run is not paused' }]);
  await expect(client.pause('a', { by: ' ' })).rejects.toThrow(TypeError);
  await expect(client.pause('b', { by: 'ann' })).rejects.toMatchObject({ code: 'run_unknown' });
  await client.cancel('a', { by: 'ann' });
  await until(() => told.includes('a cancelled'));
  await expect(client.pause('a', { by: 'ann' })).rejects.toThrow(/has ended/);
});
