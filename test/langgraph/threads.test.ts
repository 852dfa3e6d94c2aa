/** Threads of graphs: turns, what a person has read, and what a turn leaves behind (semantics.md RC1 to RC5). */
import { Command, MemorySaver } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { belayed } from '../../src/langgraph/belayed.ts';
import { type AttachedGraph, attachGraph, type GraphOptions, resumeGraph } from '../../src/langgraph/graph.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { Bank, shop, shopConfig } from './shop.ts';
import { runCase } from './threads/drive.ts';
import { judge } from './threads/judge.ts';

/** A thread of the shop, and what takes it up in another process. */
function opened({ pay = 'reversible', said = 'stands', written = 'true' }: Partial<Said> = {}) {
  const bank = new Bank();
  const findings: string[] = [];
  const store = memoryStore();
  const options: GraphOptions = {
    run: 'chat-1',
    config: shopConfig(pay, written),
    journal: store,
    thread: { said },
    undo: { undo: bank.undo },
    reconcilers: { find: bank.find },
    onFinding: ({ code }) => void findings.push(code),
  };
  const attach = (opens: typeof attachGraph = attachGraph) => opens(shop(bank), options);
  return { bank, findings, store, options, attach };
}

interface Said {
  readonly pay: 'reversible' | 'irreversible';
  readonly said: 'stands' | 'rewritten';
  readonly written: string;
}

const quoteOf = (ordinal: number) => ({ instance: { skeleton: 'Quote', entity: 'it', ordinal }, key: 'price' });
const codeOf = (error: { readonly code: string }) => error.code;

/** Answers the one question of a thread. */
function answer(run: AttachedGraph): Promise<Record<string, unknown>> {
  const [one] = run.questions();
  return run.resume(new Command({ resume: { [one?.id ?? '']: 'yes' } }));
}

describe('RC1: a turn of a thread', () => {
  test('goes on from where the last one left the channels, in another process, too', async () => {
    const { attach, bank } = opened();
    const first = await attach();
    expect(await first.invoke({ says: 'quote' })).toMatchObject({ price: 100, log: ['quoted 100'] });
    expect(await first.invoke({ says: 'quote' })).toMatchObject({ log: ['quoted 100', 'quoted 100'] });
    await first.close();
    const second = await attach(resumeGraph);
    expect((await second.getState()).values).toMatchObject({ price: 100 });
    expect(await second.invoke()).toMatchObject({ log: ['quoted 100', 'quoted 100'] });
    expect(await second.invoke({ says: 'pay' })).toMatchObject({ log: ['quoted 100', 'quoted 100', 'paid 100'] });
    expect([bank.standing, bank.quotes]).toEqual([[100], 2]);
    expect(second.events().map(({ type }) => type)).toEqual(['input', 'graph.input', 'graph.input', 'graph.input']);
    await second.close();
  });

  test('that is open goes on with its own input, and refuses another one', async () => {
    const { attach, bank } = opened();
    const first = await attach();
    expect(await first.invoke({ says: 'pay ask' })).toHaveProperty('__interrupt__');
    expect(await first.invoke({ says: 'pay' }).catch(codeOf)).toBe('turn_open');
    expect(await first.invoke({ says: 'pay ask' }, { id: 'm1' }).catch(codeOf)).toBe('turn_open');
    await first.close();
    const second = await attach(resumeGraph);
    expect(await second.invoke({ says: 'pay' }).catch(codeOf)).toBe('turn_open');
    expect(await second.invoke({ says: 'pay ask' })).toHaveProperty('__interrupt__');
    expect(await answer(second)).toMatchObject({ log: ['paid undefined', 'answered yes'] });
    expect(bank.standing).toHaveLength(1);
    await second.close();
  });

  test('that has an id is one turn, however often it is handed in', async () => {
    const { attach, bank } = opened();
    const first = await attach();
    const paid = await first.invoke({ says: 'quote pay' }, { id: 'm1' });
    expect(await first.invoke({ says: 'quote pay' }, { id: 'm1' })).toEqual(paid);
    expect(await first.invoke({ says: 'pay' }, { id: 'm1' }).catch(codeOf)).toBe('turn_differs');
    await first.close();
    const second = await attach(resumeGraph);
    expect(await second.invoke({ says: 'quote pay' }, { id: 'm1' })).toEqual(paid);
    await second.invoke({ says: 'quote' }, { id: 'm2' });
    expect(await second.invoke({ says: 'quote pay' }, { id: 'm1' }).catch(codeOf)).toBe('turn_over');
    expect(bank.standing).toEqual([100]);
    // Without one, the same words said again are another turn.
    await second.invoke({ says: 'quote pay' });
    expect(bank.standing).toEqual([100, 100]);
    await second.close();
  });

  test('is no input of the run, and a thread is taken up as one', async () => {
    const { options, bank } = opened();
    await expect(attachGraph(shop(bank), { ...options, input: { says: 'pay' } })).rejects.toMatchObject({
      code: 'unsupported_graph',
    });
    const run = await attachGraph(shop(bank), options);
    await run.invoke({ says: 'quote' });
    await run.close();
    const { thread: _, ...others } = options;
    await expect(resumeGraph(shop(bank), others)).rejects.toMatchObject({ code: 'machine_changed' });
  });

  test('streams its chunks', async () => {
    const { attach } = opened();
    const run = await attach();
    const chunks: unknown[] = [];
    for await (const chunk of run.stream({ says: 'quote pay' }, { streamMode: 'updates', id: 'm1' }))
      chunks.push(chunk);
    expect(chunks.map((chunk) => Object.keys(chunk as object))).toEqual([['quote'], ['pay']]);
    await run.close();
  });
});

describe('RC2: the end of a turn', () => {
  test('leaves nothing that stands in the world and that the turn does not say', async () => {
    const { attach, bank } = opened();
    const run = await attach();
    await run.invoke({ says: 'cheap fixed quote pay ask' });
    bank.price = 120;
    await run.fail('CONTRACT_VIOLATION', quoteOf(0));
    await run.invoke();
    // The payment has read nothing that was wrong, and is set aside: the turn may come to it again.
    expect(bank.standing).toEqual([50]);
    const state = await answer(run);
    expect(state.log).toEqual(['quoted 120', 'answered yes']);
    expect(bank.standing).toEqual([]);
    // So the next turn pays anew, and takes nothing over that was asked for before.
    expect(await run.invoke({ says: 'fixed pay' })).toMatchObject({ receipt: 'paid 50' });
    expect([bank.standing, bank.paid.length]).toEqual([[50], 2]);
    await run.close();
  });

  test('is a row of the journal, which is there before the turn answers', async () => {
    const { attach, store } = opened();
    const run = await attach();
    await run.invoke({ says: 'quote' }, { id: 'm1' });
    const turns = entriesOf(store.read('chat-1')).flatMap((entry) => (entry.do === 'turn' ? [entry] : []));
    expect(turns).toEqual([{ do: 'turn', nth: 1, said: 'stands', id: 'm1', is: expect.any(String), left: [] }]);
    await run.close();
  });
});

describe('RC3: a complaint', () => {
  test('about a turn that a person has read is refused, and the thread goes on', async () => {
    const { attach, bank } = opened();
    const run = await attach();
    await run.invoke({ says: 'quote' });
    const said = await run.invoke({ says: 'pay' });
    bank.price = 120;
    const refused = await run.fail('CONTRACT_VIOLATION', quoteOf(0)).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'said_to_person',
      message: expect.stringMatching(/turn 2 \(step \d+\).*new turn/),
    });
    expect([run.status, await run.invoke(), bank.standing]).toEqual(['running', said, [100]]);
    expect(await run.invoke({ says: 'quote' })).toMatchObject({ price: 120 });
    await run.close();
  });

  test('about the turn that is open is answered as ever, and takes back nothing of the turns before it', async () => {
    const { attach, bank } = opened();
    const run = await attach();
    await run.invoke({ says: 'quote pay' });
    bank.price = 110;
    await run.invoke({ says: 'quote pay ask' });
    bank.price = 120;
    await run.fail('CONTRACT_VIOLATION', quoteOf(1));
    await run.invoke();
    const { log } = await answer(run);
    expect(log).toEqual(['quoted 100', 'paid 100', 'quoted 120', 'paid 120', 'answered yes']);
    expect(bank.standing).toEqual([100, 120]);
    await run.close();
  });
});

describe('RC4: a decision', () => {
  test('that would go behind the end of a turn parks the thread, and says so', async () => {
    const { attach, bank } = opened();
    const run = await attach();
    await run.invoke({ says: 'quote pay' });
    const [{ key } = { key: '' }] = bank.paid;
    bank.undo({ key });
    await run.settle(key, 'compensated');
    expect(run.status).toBe('parked');
    const ending = await run.finished();
    expect(ending).toMatchObject({
      status: 'parked',
      decision: {
        verdict: 'escalate',
        refusals: expect.arrayContaining([expect.objectContaining({ code: 'said_to_person', turn: 1 })]),
        unblock: { acts: [{ act: 'correct_in_turn', turn: 1 }] },
      },
    });
    expect(await run.invoke({ says: 'quote' }).catch(codeOf)).toBe('run_parked');
    expect(bank.quotes).toBe(1);
    await run.close();
  });

  test('may go there where what was said is rewritten, and the inputs of later turns come again by themselves', async () => {
    const { attach, bank } = opened({ said: 'rewritten' });
    const run = await attach();
    await run.invoke({ says: 'quote' });
    await run.invoke({ says: 'pay' });
    bank.price = 120;
    await run.fail('CONTRACT_VIOLATION', quoteOf(0));
    expect(await run.invoke()).toMatchObject({ log: ['quoted 120', 'paid 120'] });
    expect([bank.standing, bank.quotes]).toEqual([[120], 2]);
    await run.close();
  });
});

describe('RC5: a call that is held back', () => {
  test('leaves at the end of the turn where its commit is due', async () => {
    const { attach, bank, findings } = opened();
    const run = await attach();
    await run.invoke({ says: 'write' });
    expect([bank.letters, findings]).toEqual([['write'], []]);
    await run.close();
  });

  test('never happened where its turn ends without, and the end names it', async () => {
    const { attach, bank, findings, store } = opened({ written: 'false' });
    const run = await attach();
    await run.invoke({ says: 'write' });
    const [turn] = entriesOf(store.read('chat-1')).flatMap((entry) => (entry.do === 'turn' ? [entry] : []));
    expect(turn?.left).toHaveLength(1);
    expect(findings).toContain('never_published');
    expect(await run.invoke({ says: 'quote' })).toMatchObject({ price: 100 });
    expect(bank.letters).toEqual([]);
    await run.close();
  });
});

test('RC1: each turn pays once and asks no model again that has answered, wherever its process dies', async () => {
  const node = { class: 'irreversible', reads: false, asks: 'never' } as const;
  const thread = { nodes: [node, { ...node, reads: true, asks: 'before' } as const], turns: [0, 1] };
  const one = { thread, setting: 'stands', complaint: null } as const;
  const { appends } = await runCase({ ...one, dies: null });
  expect(appends).toBeGreaterThan(10);
  for (let dies = 0; dies < appends; dies += 1) {
    const result = await runCase({ ...one, dies });
    expect(judge({ ...one, dies }, result), `dies at ${dies}: ${result.world.log.join('\n')}`).toEqual({
      is: 'right',
      why: '',
    });
  }
});

test('a graph whose threads are runs is called as LangGraph calls one with a checkpointer', async () => {
  const { options, bank } = opened();
  const { run: _, ...others } = options;
  const chat = belayed(shop(bank), { ...others, journal: memoryStore() });
  const plain = shop(new Bank(), { checkpointer: new MemorySaver() });
  const of = (thread: string) => ({ configurable: { thread_id: thread } });
  for (const says of ['quote', 'pay', 'ask'])
    for (const thread of ['a', 'b']) {
      const [own, theirs] = [await chat.invoke({ says }, of(thread)), await plain.invoke({ says }, of(thread))];
      const { __interrupt__: asked, ...state } = own;
      const { __interrupt__: theirsAsked, ...theirState } = theirs as typeof own;
      expect([state, asked === undefined]).toEqual([theirState, theirsAsked === undefined]);
    }
  const yes = new Command({ resume: 'yes' });
  expect((await chat.invoke(yes, of('a'))).log).toEqual(['quoted 100', 'paid 100', 'answered yes']);
  expect(await chat.invoke(yes, of('a')).catch(codeOf)).toBe('no_question');
  expect((await chat.getState(of('a'))).values).toMatchObject({ receipt: 'paid 100' });
  expect(await chat.invoke({ says: 'quote' }, {} as never).catch(codeOf)).toBe('unsupported_graph');
  // Two requests to one thread at once come one after the other.
  const both = await Promise.all([chat.invoke({ says: 'quote' }, of('c')), chat.invoke({ says: 'quote' }, of('c'))]);
  expect(both.map(({ log }) => (log as string[]).length)).toEqual([1, 2]);
});
