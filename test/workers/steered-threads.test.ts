/** Threads of graphs that workers carry, or that nobody has: acts on their turns, and what such an act would come to (semantics.md RC8, RC9, PA14, ST11). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph';
import { afterEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { graphThreads } from '../../src/langgraph/index.ts';
import { type WorkClient, workClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import { Bank, shop, shopText } from '../langgraph/shop.ts';
import { until } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { isOver, steers, workerOf } from './kinds.ts';

const folder = scratchFolder('steered-threads');
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The threads of the shop as an agent, and its bank. */
function agentOf(pay: 'reversible' | 'irreversible') {
  const [bank, checkpointer] = [new Bank(), new MemorySaver()];
  const config = join(folder, `${pay}.yaml`);
  writeFileSync(config, shopText(pay));
  const open = async () => ({ reconcilers: { find: bank.find }, undo: { undo: bank.undo }, close: async () => {} });
  const graph = shop(bank, { checkpointer });
  const agent: ProgramAgent = {
    program: graphThreads(graph),
    config,
    about: 'quotes and sells',
    open,
  };
  /** The log of the thread, as the checkpointer of its graph has it. */
  const log = async () => {
    const newest = await checkpointer.getTuple({ configurable: { thread_id: 'chat' } });
    return newest?.checkpoint.channel_values.log as readonly string[] | undefined;
  };
  return { bank, agent, log };
}

/** Leaves turns one after the other. */
async function leaves(client: WorkClient, words: Readonly<Record<string, string>>): Promise<void> {
  for (const [id, says] of Object.entries(words))
    await client.send('chat', { type: 'turn', input: { says } }, { id, by: 'ada' });
}

async function says(client: WorkClient, words: Readonly<Record<string, string>>): Promise<void> {
  await leaves(client, words);
  await until(() => isOver(client, Object.keys(words).at(-1) ?? ''));
}

describe('turns of a thread of a graph', () => {
  test.each([
    ['memory', () => memoryStore()],
    ['SQLite', () => sqliteStore(join(folder, 'threads.db'))],
  ])('are retracted and revised by their reader alone while a worker has the run, over %s', async (_, storeOf) => {
    const store = storeOf();
    closing.push(async () => store.close());
    const { bank, agent, log } = agentOf('reversible');
    const client = workClient(store);
    const worker = workerOf(store, agent, folder);
    closing.push(() => worker.stop());
    await client.start({ run: 'chat', agent: 'shop' });
    await says(client, { m1: 'quote', m2: 'pay', m3: 'quote' });
    expect(await steers(client, { retract: 'm2' }, 'ben')).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/^steer_not_yours/),
    });
    expect(bank.standing).toEqual([100]);
    expect(await steers(client, { retract: 'm2' })).toMatchObject({ is: 'taken' });
    await says(client, { m4: 'pay' });
    await until(async () => (await log())?.length === 2);
    expect([await log(), bank.standing]).toEqual([['quoted 100', 'paid 100'], [100]]);
    expect(await steers(client, { revise: 'm1', to: { says: 'quote' } })).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/revised by its input/),
    });
  });

  test('are left as they are where a payment is in the way, and the preview says so without a worker', async () => {
    const store = memoryStore();
    const { bank, agent } = agentOf('irreversible');
    const client = workClient(store);
    const worker = workerOf(store, agent, folder);
    await client.start({ run: 'chat', agent: 'shop' });
    await says(client, { m1: 'quote', m2: 'pay fixed' });
    const refused = { is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) };
    const { program, config } = agent;
    const dry = (act: Parameters<WorkClient['steer']>[1]) =>
      client.preview('chat', { ...act, by: 'ada' }, { program, config });
    expect(await dry({ retract: 'm2' })).toMatchObject(refused);
    expect(await steers(client, { retract: 'm2' })).toMatchObject(refused);
    await worker.stop();
    const rows = [...store.read('chat')].length;
    const calls = [bank.quotes, bank.paid.length];
    expect(await dry({ retract: 'm1' })).toMatchObject(refused);
    // A payment that is asked for with the same is no obstacle: the graph is entered on paper for that.
    expect(await dry({ revise: 'm2', to: { input: { says: 'pay fixed please' } } })).toMatchObject({
      is: 'done',
      why: null,
    });
    expect(await dry({ revise: 'm2', to: { input: { says: 'quote' } } })).toMatchObject(refused);
    await expect(dry({ retract: 'm9' })).rejects.toMatchObject({ code: 'event_unknown' });
    const about = { signal: 'CONTRACT_VIOLATION', instance: { skeleton: 'Quote', entity: 'it' } } as const;
    const { answers } = await client.preview('chat', { fail: about }, { program, config });
    expect(JSON.stringify(answers)).toContain('said_to_person');
    expect(await client.preview('chat', { undo: true }, { program, config })).toHaveProperty('stands');
    expect([[...store.read('chat')].length, [bank.quotes, bank.paid.length]]).toEqual([rows, calls]);
  });
});
