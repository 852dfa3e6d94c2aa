/** FK1: a worker takes forks: of a run that was left for workers, and of any run whose fork names a queue. */
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { forkRun } from '../../src/sidecar/opening/fork-run.ts';
import { until } from '../poll.ts';
import { sharedFolder } from '../scratch.ts';
import { entries, stopped, taker, working } from './small.ts';

const folder = sharedFolder('forks');
const stores: JournalStore[] = [];
afterEach(stopped);
afterAll(async () => {
  for (const store of stores) await store.close();
});

let files = 0;
const MADE: [string, () => JournalStore][] = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(join(folder, `${++files}.sqlite`))],
];

/** A run of a worker that waits for an event. */
async function waiting(make: () => JournalStore) {
  const store = make();
  stores.push(store);
  const calls: string[] = [];
  const { client, told } = working(store, [taker(calls)]);
  await client.start({ run: 'one', agent: 'taker', input: { key: 'a' } });
  await until(() => told.includes('one waits'));
  return { store, calls, client, told };
}

test.each(MADE)('the fork of a run of workers is taken, and the run itself goes on as it was (%s)', async (_, make) => {
  const { store, calls, client, told } = await waiting(make);
  await client.fork('one', { as: 'two', by: 'ada' });
  await until(() => told.includes('two waits'));
  await client.send('two', 'GO');
  await until(() => told.includes('two done'));
  expect(await client.result('two')).toMatchObject({ is: 'done' });
  expect(await client.result('one')).toMatchObject({ is: 'waits' });
  expect(calls).toEqual(['one']);
  expect((await entries(store, 'two')).filter(({ do: kind }) => kind === 'begin').length).toBe(1);
  await expect(client.fork('one', { as: 'two', by: 'ada' })).rejects.toMatchObject({ code: 'run_exists' });
});

test.each(MADE)(
  'a fork whose maker died before it was left for workers is left by the same wish (%s)',
  async (_, make) => {
    const { store, client, told } = await waiting(make);
    const { work } = store;
    const dying = new Proxy(store, {
      get: (of, name) => {
        if (name === 'work')
          return new Proxy(work, {
            get: (queue, each) => {
              if (each === 'handOver') throw new Error('killed');
              const value = (queue as unknown as Record<PropertyKey, unknown>)[each];
              return typeof value === 'function' ? value.bind(queue) : value;
            },
          });
        const value = (of as unknown as Record<PropertyKey, unknown>)[name];
        return typeof value === 'function' ? value.bind(of) : value;
      },
    });
    await expect(forkRun(dying, 'one', { as: 'two', by: 'ada' })).rejects.toThrow('killed');
    expect(await work.order('two')).toBe(null);
    const at = (await entries(store, 'two')).find(({ do: kind }) => kind === 'forked') as { at: number };
    await client.fork('one', { as: 'two', by: 'ada', at: at.at });
    await until(() => told.includes('two waits'));
  },
);
