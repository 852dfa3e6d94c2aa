/** Acts on the turns of threads of graphs: what they change, what they leave, and who may (semantics.md PA12, RC8, RC9). */
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, Command, interrupt, StateGraph } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, type GraphOptions, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import { Bank, shop, shopConfig } from './shop.ts';

/** A thread of the shop, and what takes it up in another process. */
function opened(said: 'stands' | 'rewritten', pay: 'reversible' | 'irreversible' = 'reversible') {
  const bank = new Bank();
  const options: GraphOptions = {
    run: 'chat-1',
    config: shopConfig(pay),
    journal: memoryStore(),
    thread: { said },
    undo: { undo: bank.undo },
    reconcilers: { find: bank.find },
  };
  return { bank, options, attach: (opens: typeof attachGraph = attachGraph) => opens(shop(bank), options) };
}

const inputs = (run: { events(): readonly { readonly event: unknown; readonly is: string }[] }) =>
  run.events().flatMap(({ event, is }) => {
    const { input } = (event ?? {}) as { readonly input?: { readonly says: string } };
    return is === 'taken' && input !== undefined ? [input.says] : [];
  });

describe('an act on a turn', () => {
  test('RC8, RC9: its reader retracts a turn, the turns behind it never were, and what they did is undone', async () => {
    const { bank, attach } = opened('stands');
    const run = await attach();
    for (const [nth, says] of ['quote', 'pay', 'quote'].entries()) await run.invoke({ says }, { id: `m${nth + 1}` });
    const dry = await run.preview({ retract: 'm2' });
    const answer = await run.retract('m2', { id: 'no-pay' });
    expect([answer.is, answer.why, dry.is]).toEqual(['done', null, 'done']);
    expect(await run.invoke()).toMatchObject({ log: ['quoted 100'] });
    expect([bank.standing, inputs(run)]).toEqual([[], ['quote']]);
    expect(await run.retract('m2', { id: 'no-pay' })).toMatchObject({ is: 'same' });
    await run.close();
    const next = await attach(resumeGraph);
    for (const id of ['m2', 'm3'])
      await expect(next.invoke({ says: 'pay' }, { id })).rejects.toMatchObject({ code: 'turn_retracted' });
    expect(await next.invoke({ says: 'pay' }, { id: 'm4' })).toMatchObject({ log: ['quoted 100', 'paid 100'] });
    expect(bank.standing).toEqual([100]);
    await next.close();
  });

  test('PA12: a payment that the changed turn asks for with the same is not made again', async () => {
    const { bank, attach } = opened('stands', 'irreversible');
    const run = await attach();
    await run.invoke({ says: 'pay fixed' }, { id: 'm1' });
    const answer = await run.revise('m1', { input: { says: 'pay fixed, please' } });
    expect([answer.is, answer.why]).toEqual(['done', null]);
    expect(await run.invoke()).toMatchObject({ says: 'pay fixed, please', log: ['paid 50'] });
    expect(bank.paid).toHaveLength(1);
    const refused = await run.revise('m1', { input: { says: 'quote' } });
    expect(refused).toMatchObject({ is: 'refused', why: expect.stringMatching(/^irreversible_effect_policy: pay/) });
    expect(await run.invoke()).toMatchObject({ says: 'pay fixed, please' });
    await run.close();
  });
});

/** A graph that pays each amount by the same node, and may ask a model before. */
function till(bank: Bank, model: FakeListChatModel | null) {
  const State = Annotation.Root({
    todo: Annotation<number[]>,
    note: Annotation<string>,
    receipt: Annotation<string>,
    log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  });
  const pay = graphTool('pay', async ({ input, key }: { input: { cents: number }; key: string | undefined }) => {
    bank.paid.push({ key: key ?? '', cents: input.cents, undone: false });
    return `paid ${input.cents}`;
  });
  return new StateGraph(State)
    .addNode('pay', async ({ todo, log }) => {
      await model?.invoke('which account?');
      const receipt = String(await pay({ cents: todo[log.length] ?? 0 }));
      return { receipt, log: [receipt] };
    })
    .addEdge('__start__', 'pay')
    .addConditionalEdges('pay', ({ todo, log }) => (log.length < todo.length ? 'pay' : '__end__'), ['pay', '__end__'])
    .compile({ name: 'shop' });
}

describe('PA14: a graph on paper', () => {
  test('tells the calls of a node by how often control came to it', async () => {
    const { bank, options } = opened('stands', 'irreversible');
    const run = await attachGraph(till(bank, null), options);
    await run.invoke({ todo: [50, 60], note: 'now' }, { id: 'm1' });
    const answer = await run.revise('m1', { input: { todo: [50, 60], note: 'later' } });
    expect([answer.is, answer.why]).toEqual(['done', null]);
    expect(await run.invoke()).toMatchObject({ note: 'later', log: ['paid 50', 'paid 60'] });
    expect(bank.standing).toEqual([50, 60]);
    await run.close();
  });

  test('takes a call that is given something else for another one', async () => {
    const { bank, options } = opened('stands', 'irreversible');
    const run = await attachGraph(till(bank, null), options);
    await run.invoke({ todo: [50], note: 'now' }, { id: 'm1' });
    expect(await run.revise('m1', { input: { todo: [60], note: 'now' } })).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/^irreversible_effect_policy: pay/),
    });
    expect(await run.invoke()).toMatchObject({ todo: [50], log: ['paid 50'] });
    expect(bank.standing).toEqual([50]);
    await run.close();
  });

  test('asks no model: what comes behind is not known to be the same', async () => {
    const { bank, options } = opened('stands', 'irreversible');
    const model = new FakeListChatModel({ responses: ['this', 'that', 'other'] });
    const run = await attachGraph(till(bank, model), options);
    await run.invoke({ todo: [50], note: 'now' }, { id: 'm1' });
    const [, second] = model.responses;
    expect(await run.revise('m1', { input: { todo: [50], note: 'later' } })).toMatchObject({ is: 'refused' });
    expect((await model.invoke('who is next?')).content).toBe(second);
    expect(bank.standing).toEqual([50]);
    await run.close();
  });
});

describe('other acts', () => {
  test('an answer is retracted: the question is asked again under another id, and what came before it stands', async () => {
    const { bank, attach } = opened('stands');
    const run = await attach();
    const answered = (value: string) => {
      const [one] = run.questions();
      return run.resume(new Command({ resume: { [one?.id ?? '']: value } }));
    };
    await run.invoke({ says: 'quote ask pay' }, { id: 'm1' });
    const [first] = run.questions();
    await answered('yes');
    const { name = '' } = run.events().find(({ type }) => type === 'graph.answer') ?? {};
    expect(await run.retract(name)).toMatchObject({ is: 'done' });
    expect(await run.invoke()).toMatchObject({ log: ['quoted 100'] });
    expect([bank.standing, run.questions()[0]?.id === first?.id]).toEqual([[], false]);
    expect(await answered('no')).toMatchObject({ log: ['quoted 100', 'answered no', 'paid 100'] });
    expect([bank.quotes, bank.standing]).toEqual([1, [100]]);
    await run.close();
  });

  test('an answer is revised: the question that it was given to has the other one, and nobody is asked again', async () => {
    const { bank, attach } = opened('stands');
    const run = await attach();
    await run.invoke({ says: 'quote ask pay' }, { id: 'm1' });
    await run.resume(new Command({ resume: { [run.questions()[0]?.id ?? '']: 'yes' } }));
    const { name = '' } = run.events().find(({ type }) => type === 'graph.answer') ?? {};
    expect(await run.revise(name, { value: 'no', of: 'another' })).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/revised by its value/),
    });
    expect(await run.revise(name, { value: 'yes' })).toMatchObject({ is: 'same' });
    expect(await run.preview({ revise: name, to: { value: 'no' } })).toMatchObject({ is: 'done' });
    expect(await run.revise(name, { value: 'no' })).toMatchObject({ is: 'done', version: 1 });
    expect(await run.invoke()).toMatchObject({ log: ['quoted 100', 'answered no', 'paid 100'] });
    expect([bank.quotes, bank.standing, run.questions()]).toEqual([1, [100], []]);
    await run.close();
  });

  test('PA14: an answer that was revised is given to no other question, and comes no more once its work goes back', async () => {
    const { bank, options } = opened('stands');
    const State = Annotation.Root({ says: Annotation<string>, receipt: Annotation<string>, log: Annotation<string[]> });
    let asks = 'may I?';
    const graph = new StateGraph(State)
      .addNode('ask', async () => ({ log: [String(interrupt(asks))] }))
      .addEdge('__start__', 'ask')
      .compile({ name: 'shop' });
    const run = await attachGraph(graph, options);
    const answer = (value: string) => run.resume(new Command({ resume: { [run.questions()[0]?.id ?? '']: value } }));
    await run.invoke({ says: 'x' }, { id: 'm1' });
    expect(await answer('yes')).toMatchObject({ log: ['yes'] });
    const { name = '' } = run.events().find(({ type }) => type === 'graph.answer') ?? {};
    asks = 'may I, for 900?';
    expect(await run.revise(name, { value: 'no' })).toMatchObject({ is: 'done' });
    expect(await run.invoke()).toHaveProperty('__interrupt__');
    expect(run.questions()).toMatchObject([{ value: 'may I, for 900?' }]);
    expect(await answer('perhaps')).toMatchObject({ log: ['perhaps'] });
    expect(bank.paid).toEqual([]);
    await run.close();
  });

  test('who waits for a turn that an act takes out is told so, and a thread has no input of its own', async () => {
    const { bank, attach } = opened('stands');
    const run = await attach();
    await run.invoke({ says: 'quote' }, { id: 'm1' });
    let pays = () => {};
    const under = new Promise<void>((resolve) => {
      pays = resolve;
    });
    bank.onPay = () => {
      pays();
      return new Promise(() => {});
    };
    const invoked = run.invoke({ says: 'quote pay' }, { id: 'm2' }).catch(({ code }: { code: string }) => code);
    await under;
    expect(await run.retract('m1')).toMatchObject({ is: 'done' });
    expect(await invoked).toBe('turn_retracted');
    const refused = await run.revise('input', { says: 'pay' });
    expect(refused).toMatchObject({ is: 'refused', why: expect.stringMatching(/begun without an input/) });
    await run.close();
  });

  test('the input of a graph that is no thread is revised, and what is asked for with the same stands', async () => {
    const { bank, options } = opened('stands', 'irreversible');
    const { thread: _, ...alone } = options;
    const run = await attachGraph(shop(bank), { ...alone, input: { says: 'pay fixed ask' } });
    await run.invoke();
    expect(await run.revise('input', { says: 'pay fixed ask' })).toMatchObject({ is: 'same' });
    expect(await run.revise('input', { says: 'pay fixed ask please' })).toMatchObject({ is: 'done', why: null });
    expect(await run.invoke()).toMatchObject({ says: 'pay fixed ask please', log: ['paid 50'] });
    expect(bank.paid).toHaveLength(1);
    await run.close();
  });
});
