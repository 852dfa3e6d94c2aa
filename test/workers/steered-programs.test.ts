/** Loops and flows that workers carry: turns that are revised, retracted and confirmed by other processes (semantics.md RC8, RC9, PA12). */
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { held } from '../sidecar/stations.ts';
import { isOver, kindsIn, said, says, steers, workerOf } from './kinds.ts';
import { mortal } from './mortal.ts';

const folder = scratchFolder('steered-programs');
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function work(store: JournalStore, agent: ProgramAgent) {
  const worker = workerOf(store, agent, folder);
  closing.push(() => worker.stop());
  return worker;
}

describe.each(kindsIn(folder))('turns of a $name in a worker', ({ name, make }) => {
  const STORES = { memory: () => memoryStore(), SQLite: () => sqliteStore(join(folder, `${name}.db`)) };

  test.each(Object.entries(STORES))('are retracted and revised by their reader alone, over %s', async (_, storeOf) => {
    const store = storeOf();
    closing.push(async () => store.close());
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    work(store, agent);
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote', m2: 'pay', m3: 'quote' });
    expect(await steers(client, { retract: 'm2' }, 'ben')).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/^steer_not_yours/),
    });
    expect(bank.standing).toEqual([100]);
    expect(await steers(client, { retract: 'm2' })).toMatchObject({ is: 'taken' });
    await says(client, { m4: 'pay' });
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'paid 100']);
    const act = { revise: 'm1', to: { input: 'quote quote' }, later: { confirm: ['m4'] } };
    expect(await steers(client, act)).toMatchObject({ is: 'taken' });
    // The act is told as it is decided: what comes again is waited for.
    await until(async () => ((await said(client, 'm4')) as readonly string[] | undefined)?.length === 3);
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'quoted 100', 'paid 100']);
    expect(bank.standing).toEqual([100]);
    expect((await client.events('chat')).map(({ name: of, is }) => [of, is])).toEqual([
      ['input', 'taken'],
      ['m1', 'taken'],
      ['m4', 'taken'],
      ['m2', 'retracted'],
      ['m3', 'retracted'],
    ]);
  });

  test('are left as they are where a payment is in the way', async () => {
    const store = memoryStore();
    const { bank, agent } = make('irreversible');
    const client = workClient(store);
    work(store, agent);
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote', m2: 'pay' });
    const refused = await steers(client, { retract: 'm1' });
    expect(refused).toMatchObject({ is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) });
    await says(client, { m3: 'quote' });
    expect([await said(client, 'm3'), bank.standing]).toEqual([['quoted 100', 'paid 100', 'quoted 100'], [100]]);
  });

  test('are steered while no process has the run, and the next worker does it (RC11)', async () => {
    const store = memoryStore();
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    const first = work(store, agent);
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote', m2: 'pay' });
    await first.stop();
    const post = await client.steer('chat', { retract: 'm2' }, { by: 'ada' });
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm3', by: 'ada' });
    work(store, agent);
    await until(() => isOver(client, 'm3'));
    expect(await client.outcome('chat', post)).toMatchObject({ is: 'taken' });
    expect([await said(client, 'm3'), bank.standing]).toEqual([['quoted 100', 'quoted 100'], []]);
  });

  test('come again before the next message is taken (RC4, RC6)', async () => {
    const store = memoryStore();
    const { bank, agent } = make('reversible');
    const client = workClient(store);
    work(store, { ...agent, said: 'rewritten' });
    await client.start({ run: 'chat', agent: name, input: '' });
    await says(client, { m1: 'quote', m2: 'pay' });
    const [asked, answered] = [held(), held()];
    bank.onQuote = async () => {
      asked.resolve(null);
      await answered.promise;
    };
    await client.send('chat', { type: 'turn', input: 'quote quote' }, { id: 'm3', by: 'ada' });
    await asked.promise;
    bank.onQuote = async () => {};
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm4', by: 'ada' });
    expect(await steers(client, { retract: 'm2' })).toMatchObject({ is: 'taken' });
    answered.resolve(null);
    await until(() => isOver(client, 'm4'));
    expect(await said(client, 'm3')).toEqual(['quoted 100', 'quoted 100', 'quoted 100']);
    expect(await said(client, 'm4')).toEqual(['quoted 100', 'quoted 100', 'quoted 100', 'paid 100']);
    expect(bank.standing).toEqual([100]);
  });

  const KILLED = [
    ['stands', {}, ['quoted 100', 'quoted 100']],
    ['rewritten', { m3: 'quote quote' }, ['quoted 100', 'quoted 100', 'quoted 100', 'quoted 100']],
  ] as const;

  test.each(KILLED)(
    'are steered once where what was said %s, whichever row a worker dies at',
    async (how, more, ends) => {
      let deaths = 0;
      for (let dies = 1; ; dies += 1) {
        const { bank, agent } = make('reversible');
        const rows = memoryStore();
        const client = workClient(rows);
        const own = { agents: [{ ...agent, said: how }], folderOf: () => folder, pollMs: 5, claims: null };
        const before = startWorker({ store: rows, ...own });
        await client.start({ run: 'chat', agent: name, input: '' });
        await says(client, { m1: 'quote', m2: 'pay', ...more });
        await before.stop();
        const post = await client.steer('chat', { retract: 'm2', id: 'no-pay' }, { by: 'ada' });
        await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm4', by: 'ada' });
        const { store, life, next } = await mortal(rows, dies);
        const first = startWorker({ store, ...own });
        await until(async () => life.isDead || (await isOver(client, 'm4')));
        const { isDead } = life;
        const stopped = first.stop();
        if (isDead) {
          deaths += 1;
          const second = startWorker({ store: await next(), ...own });
          await until(() => isOver(client, 'm4'));
          await second.stop();
        } else await stopped;
        expect(await said(client, 'm4'), `dies at ${dies}`).toEqual(ends);
        expect([bank.standing, (await client.outcome('chat', post))?.is], `dies at ${dies}`).toEqual([[], 'taken']);
        await rows.close();
        if (!isDead) break;
      }
      expect(deaths).toBeGreaterThan(5);
    },
  );
});
