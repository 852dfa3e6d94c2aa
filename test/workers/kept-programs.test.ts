/** Loops and flows that workers carry: a person pauses or cancels them, or a worker is stopped, while a turn goes on (semantics.md LC8, LC10, RC6, RC7). */
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type WorkClient, workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { held } from '../sidecar/stations.ts';
import { isOver, kindsIn, leaves, said, says, workerOf } from './kinds.ts';

const folder = scratchFolder('kept-programs');
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Waits until the run has heard a message. */
const hears = (client: WorkClient, post: number) =>
  until(async () => (await client.outcome('chat', post))?.is === 'taken');

describe.each(kindsIn(folder))('a turn of a $name that goes on', ({ name, make }) => {
  /** A run that has paid in m1, and whose m2 quotes until it is let go; it would pay behind that. */
  async function quoting() {
    const store = memoryStore();
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    const work = () => {
      const worker = workerOf(store, agent, folder);
      closing.push(() => worker.stop());
      return worker;
    };
    const worker = work();
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote pay' });
    const [asked, answered] = [held(), held()];
    bank.onQuote = async () => {
      asked.resolve(null);
      await answered.promise;
    };
    await leaves(client, { m2: 'quote pay', m3: 'quote' });
    await asked.promise;
    bank.onQuote = async () => {};
    return { bank, client, store, worker, work, goesOn: () => answered.resolve(null) };
  }

  const ALL = ['quoted 100', 'paid 100', 'quoted 100', 'paid 100', 'quoted 100'];

  test('stands still in a pause, and goes on behind it', async () => {
    const { bank, client, store, goesOn } = await quoting();
    await client.pause('chat', { by: 'ann' });
    await until(async () => (await client.result('chat')).is === 'paused');
    goesOn();
    await until(async () => (await store.run('chat'))?.held === false);
    expect([bank.standing, (await client.outcome('chat', 'm3'))?.is]).toEqual([[100], 'left']);
    await client.unpause('chat', { by: 'ann' });
    await until(() => isOver(client, 'm3'));
    expect([await said(client, 'm3'), bank.standing]).toEqual([ALL, [100, 100]]);
  });

  test('is the last of a run that is cancelled: nothing leaves any more, and what waits is never taken', async () => {
    const { bank, client, goesOn } = await quoting();
    await hears(client, await client.cancel('chat', { by: 'ann' }));
    goesOn();
    await until(async () => (await client.result('chat')).is === 'cancelled');
    expect(bank.standing).toEqual([100]);
    expect(['refused', 'untaken']).toContain((await client.outcome('chat', 'm3'))?.is);
  });

  test('is undone with the turns before it where a cancel says so', async () => {
    const { bank, client, goesOn } = await quoting();
    await hears(client, await client.cancel('chat', { by: 'ann', undo: true }));
    goesOn();
    await until(async () => !['waits', 'works', 'left'].includes((await client.result('chat')).is));
    await until(async () => bank.standing.length === 0);
    expect(bank.standing).toEqual([]);
  });

  test('is finished by the next worker where its worker is stopped as a look comes back, and pays once', async () => {
    const { bank, client, worker, work, goesOn } = await quoting();
    const before = bank.quotes;
    const stopped = worker.stop();
    goesOn();
    await stopped;
    work();
    await until(() => isOver(client, 'm3'));
    // What changes nothing is asked anew.
    expect([await said(client, 'm3'), bank.standing, bank.quotes - before]).toEqual([ALL, [100, 100], 2]);
  });

  test('waits for its turn where a held turn waits behind it, also over a pause, a stop and a cancel', async () => {
    const { bank, client, worker, work, goesOn } = await quoting();
    await client.steer('chat', { revise: 'm3', to: { input: 'quote quote' } }, { by: 'ada' });
    await until(async () => (await client.outcome('chat', 'm3'))?.is === 'held');
    await client.pause('chat', { by: 'ann' });
    await until(async () => (await client.result('chat')).is === 'paused');
    const stopped = worker.stop();
    goesOn();
    await stopped;
    work();
    await client.unpause('chat', { by: 'ann' });
    await until(() => isOver(client, 'm3'));
    expect([await said(client, 'm3'), bank.standing]).toEqual([
      [...ALL, 'quoted 100'],
      [100, 100],
    ]);
  });

  test('ends with a held turn behind it that is named as never taken', async () => {
    const { bank, client, goesOn } = await quoting();
    await client.steer('chat', { revise: 'm3', to: { input: 'pay' } }, { by: 'ada' });
    await until(async () => (await client.outcome('chat', 'm3'))?.is === 'held');
    await hears(client, await client.cancel('chat', { by: 'ann' }));
    goesOn();
    await until(async () => (await client.result('chat')).is === 'cancelled');
    expect([
      bank.standing.length,
      ['refused', 'untaken'].includes((await client.outcome('chat', 'm3'))?.is ?? ''),
    ]).toEqual([1, true]);
  });
});
