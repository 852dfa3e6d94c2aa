/** Loops and threads of graphs that workers carry: turns that other processes leave (semantics.md RC6, RC7). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import type { WorkTold } from '../../src/workers/told.ts';
import { startWorker, type Worker } from '../../src/workers/worker.ts';
import { Bank, shop, shopText } from '../loop/shop.ts';
import { until } from '../poll.ts';

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
});
