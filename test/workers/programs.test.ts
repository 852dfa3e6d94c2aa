/** Loops that workers carry: turns that other processes leave (semantics.md RC6, RC7). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { loop } from '../../src/loop/loop.ts';
import { workClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import type { WorkTold } from '../../src/workers/told.ts';
import { startWorker, type Worker } from '../../src/workers/worker.ts';
import { Bank, shop, shopText } from '../loop/shop.ts';
import { until } from '../poll.ts';
import { mortal } from './mortal.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-programs-'));
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function agentOf(bank: Bank, more: Partial<ProgramAgent> = {}): ProgramAgent {
  const config = join(folder, 'shop.yaml');
  writeFileSync(config, shopText());
  const open = async () => ({ reconcilers: { find: bank.find }, close: async () => {} });
  return { program: shop(bank), config, about: 'quotes and sells', open, ...more };
}

const STORES = {
  memory: () => memoryStore(),
  SQLite: () => sqliteStore(join(mkdtempSync(join(folder, 'store-')), 'runs.db')),
};

function working(store: JournalStore, agents: readonly ProgramAgent[], told: string[] = []): Worker {
  const onTold = (each: WorkTold) => {
    if (each.is === 'left') told.push(`${each.run} ${each.as.is}`);
  };
  const worker = startWorker({ store, agents, folderOf: () => folder, pollMs: 10, onTold });
  closing.push(() => worker.stop());
  return worker;
}

describe.each(Object.entries(STORES))('turns that are left for a worker, over %s', (_, storeOf) => {
  test('are answered in order, once each, and told with what they said', async () => {
    const store = storeOf();
    closing.push(async () => store.close());
    const [bank, told] = [new Bank(), [] as string[]];
    const client = workClient(store);
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote+weather' }, { id: 'm1' });
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' });
    working(store, [agentOf(bank)], told);
    await until(() => told.length > 0);
    expect(told).toEqual(['chat waits']);
    expect((await client.messages('chat')).map(({ id, is, turn }) => [id, is, turn])).toEqual([
      ['m1', 'taken', { nth: 1, isOver: true, said: ['quoted 100', 'rain'] }],
      ['m2', 'taken', { nth: 2, isOver: true, said: ['quoted 100', 'rain', 'paid 100'] }],
    ]);
    expect(await client.result('chat')).toEqual({ is: 'waits' });
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' });
    await client.send('chat', { type: 'other' });
    await client.send('chat', { type: 'turn', input: 'weather' });
    await until(() => told.length > 1);
    expect((await client.messages('chat')).map(({ is, why }) => [is, why]).slice(2)).toEqual([
      ['refused', 'the run receives turns, as {"type":"turn","input":…}, in no state and with nothing that was seen'],
      ['taken', null],
    ]);
    expect([bank.standing, bank.asked, bank.weathers]).toEqual([[100], 3, 2]);
  });

  test('are each taken by one of two workers', async () => {
    const store = storeOf();
    closing.push(async () => store.close());
    const bank = new Bank();
    const client = workClient(store);
    const workers = [working(store, [agentOf(bank)]), working(store, [agentOf(bank)])];
    for (const run of ['a', 'b', 'c']) await client.start({ run, agent: 'shop' });
    for (let nth = 1; nth <= 3; nth += 1)
      for (const run of ['a', 'b', 'c']) {
        const id = `${run}${nth}`;
        await client.send(run, { type: 'turn', input: nth === 1 ? 'quote' : 'pay' }, { id });
        await until(async () => (await client.outcome(run, id))?.turn?.isOver === true);
      }
    expect((await client.outcome('b', 'b3'))?.turn?.said).toEqual(['quoted 100', 'paid 100', 'paid 100']);
    expect([bank.standing.length, bank.asked, bank.quotes]).toEqual([6, 9, 3]);
    expect(workers.map(({ counts }) => counts.failed)).toEqual([0, 0]);
  });

  test('wait while the run is paused, and are taken once it is not', async () => {
    const store = storeOf();
    closing.push(async () => store.close());
    const [bank, told] = [new Bank(), [] as string[]];
    const client = workClient(store);
    working(store, [agentOf(bank)], told);
    await client.start({ run: 'chat', agent: 'shop' });
    await until(() => told.includes('chat waits'));
    await client.pause('chat', { by: 'ann' });
    await until(async () => (await client.result('chat')).is === 'paused');
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm1' });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([(await client.outcome('chat', 'm1'))?.is, bank.asked]).toEqual(['left', 0]);
    await client.unpause('chat', { by: 'ann' });
    await until(async () => (await client.outcome('chat', 'm1'))?.turn?.isOver === true);
    expect(bank.quotes).toBe(1);
  });

  test('are not taken by a run that a person has cancelled', async () => {
    const store = storeOf();
    closing.push(async () => store.close());
    const [bank, told] = [new Bank(), [] as string[]];
    const client = workClient(store);
    working(store, [agentOf(bank)], told);
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote pay' }, { id: 'm1' });
    await until(() => told.includes('chat waits'));
    await client.cancel('chat', { by: 'ann' });
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' }).catch(() => {});
    await until(async () => (await client.result('chat')).is === 'cancelled');
    expect(bank.standing).toEqual([100]);
    expect(['refused', 'untaken', undefined]).toContain((await client.outcome('chat', 'm2'))?.is);
  });

  test('go on in the next worker where one is stopped in a payment', async () => {
    const store = storeOf();
    closing.push(async () => store.close());
    const bank = new Bank();
    const client = workClient(store);
    const first = working(store, [agentOf(bank)]);
    let goOn = () => {};
    const isPaid = new Promise<void>((paid) => {
      bank.onPay = () => {
        paid();
        return new Promise((resolve) => {
          goOn = resolve;
        });
      };
    });
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote pay weather' }, { id: 'm1' });
    await isPaid;
    const stopped = first.stop();
    goOn();
    await stopped;
    expect((await client.outcome('chat', 'm1'))?.turn?.isOver).toBe(false);
    working(store, [agentOf(bank)]);
    await until(async () => (await client.outcome('chat', 'm1'))?.turn?.isOver === true);
    expect([bank.standing, bank.asked, bank.quotes, bank.weathers]).toEqual([[100], 3, 1, 1]);
  });
});

describe('a worker that has a loop', () => {
  test('refuses a message that has the id of a turn which the program handed in', async () => {
    const [store, bank] = [memoryStore(), new Bank()];
    const agent = agentOf(bank);
    const own = { run: 'chat', config: agent.config, journal: store, reconcilers: { find: bank.find } };
    const run = await shop(bank).attach(own);
    await run.invoke('quote', { id: 'm1' });
    await run.invoke('quote', { id: 'm2' });
    await run.close();
    const client = workClient(store);
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm1' });
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' });
    const again = await shop(bank).resume(own);
    await again.invoke();
    await until(async () => {
      again.rest();
      return (await client.messages('chat')).every(({ is }) => is === 'refused');
    });
    expect((await client.messages('chat')).map(({ why }) => why)).toEqual([
      'it is turn 1 of the run already',
      'turn_differs: turn 2 has the id "m2", and another input',
    ]);
    expect([bank.quotes, bank.standing]).toEqual([2, []]);
    await again.close();
  });

  test('keeps it while code of its own runs between its calls', async () => {
    const [store, bank, told] = [memoryStore(), new Bank(), [] as string[]];
    const slow = loop('shop', async ({ act, receive }) => {
      for (let said: unknown; ; ) {
        await receive(said);
        await new Promise((resolve) => setTimeout(resolve, 400));
        said = await act('quote', '1', {}, async () => bank.price);
      }
    });
    const client = workClient(store);
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm1' });
    working(store, [agentOf(bank, { program: slow })], told);
    await until(() => told.length > 0);
    expect((await client.outcome('chat', 'm1'))?.turn).toEqual({ nth: 1, isOver: true, said: 100 });
    expect(told).toEqual(['chat waits']);
  });

  test('gives one back that has failed, and needs a person', async () => {
    const [store, bank, told] = [memoryStore(), new Bank(), [] as string[]];
    const broken = loop('shop', async ({ receive }) => {
      await receive();
      throw new Error('broken');
    });
    const client = workClient(store);
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm1' });
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm2' });
    working(store, [agentOf(bank, { program: broken })], told);
    await until(() => told.includes('chat parked'));
    expect((await client.messages('chat')).map(({ is, turn }) => [is, turn?.isOver])).toEqual([
      ['taken', false],
      ['left', undefined],
    ]);
  });

  test('leaves a message where its code comes to no receive any more (RC6)', async () => {
    const [store, bank, told] = [memoryStore(), new Bank(), [] as string[]];
    const client = workClient(store);
    await client.start({ run: 'chat', agent: 'shop' });
    await client.send('chat', { type: 'turn', input: 'quote' }, { id: 'm1' });
    const first = working(store, [agentOf(bank)]);
    await until(async () => (await client.outcome('chat', 'm1'))?.turn?.isOver === true);
    await first.stop();
    const broken = loop('shop', async () => {
      throw new Error('broken');
    });
    await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' });
    working(store, [agentOf(bank, { program: broken })], told);
    await until(() => told.includes('chat parked'));
    expect((await client.outcome('chat', 'm2'))?.is).toBe('left');
  });

  test('ends it where its function returns', async () => {
    const [store, bank] = [memoryStore(), new Bank()];
    const once = loop('shop', async ({ act, input }) => [input, await act('quote', '1', {}, async () => bank.price)]);
    const client = workClient(store);
    await client.start({ run: 'one', agent: 'shop', input: 'a lamp' });
    working(store, [agentOf(bank, { program: once })]);
    await until(async () => (await client.result('one')).is === 'done');
    expect(await client.result('one')).toEqual({ is: 'done', output: ['a lamp', 100] });
  });
});

test.each(Object.entries(STORES))(
  'RC6: pays once and takes each turn once, whichever row a worker dies at, over %s',
  async (_, storeOf) => {
    let deaths = 0;
    for (let dies = 0; ; dies += 1) {
      const bank = new Bank();
      const rows = storeOf();
      const { store, life, next } = await mortal(rows, dies);
      const isDead = () => new Promise<never>(() => {});
      bank.onPay = async () => (life.isDead ? isDead() : undefined);
      const client = workClient(rows);
      await client.start({ run: 'chat', agent: 'shop' });
      await client.send('chat', { type: 'turn', input: 'quote+weather' }, { id: 'm1' });
      await client.send('chat', { type: 'turn', input: 'pay' }, { id: 'm2' });
      const isOver = async () => (await client.outcome('chat', 'm2'))?.turn?.isOver === true;
      const first = startWorker({ store, agents: [agentOf(bank)], folderOf: () => folder, pollMs: 5, claims: null });
      await until(async () => life.isDead || (await isOver()));
      if (!life.isDead) {
        await first.stop();
        await rows.close();
        break;
      }
      deaths += 1;
      void first.stop();
      bank.onPay = async () => {};
      const second = startWorker({
        store: await next(),
        agents: [agentOf(bank)],
        folderOf: () => folder,
        pollMs: 5,
        claims: null,
      });
      await until(isOver);
      await second.stop();
      expect((await client.outcome('chat', 'm2'))?.turn?.said, `dies at ${dies}`).toEqual([
        'quoted 100',
        'rain',
        'paid 100',
      ]);
      expect(bank.standing, `dies at ${dies}`).toEqual([100]);
      expect((await client.messages('chat')).map(({ is }) => is)).toEqual(['taken', 'taken']);
      await rows.close();
    }
    expect(deaths).toBeGreaterThan(12);
  },
);
