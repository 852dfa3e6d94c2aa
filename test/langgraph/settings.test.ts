/** Settings and requests of LangGraph's that a run could not keep its word under are refused, each with its reason. */
import { Annotation, InMemoryStore, type LangGraphRunnableConfig, MemorySaver, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { type AttachedGraph, attachGraph } from '../../src/langgraph/graph.ts';

const { config } = loadConfig('belay: 1\nagent: small\ntools: {}\nskeletons: {}\n', { file: 'small.yaml' });
const graph = new StateGraph(Annotation.Root({ n: Annotation<number> }))
  .addNode('a', () => ({ n: 1 }))
  .addNode('b', ({ n }) => ({ n: n + 1 }))
  .addEdge('__start__', 'a')
  .addEdge('a', 'b')
  .compile({ name: 'small' });

const attach = (settings: object, given: object = graph) =>
  attachGraph(given, { run: 'r', config: config as NonNullable<typeof config>, input: { n: 0 }, settings });

const refused: readonly (readonly [name: string, value: unknown, says: RegExp])[] = [
  ['interruptBefore', ['b'], /interrupt\(\) in the node/],
  ['interruptAfter', ['a'], /interrupt\(\) in the node/],
  ['signal', new AbortController().signal, /would drop calls under way/],
  ['timeout', 1000, /would drop calls under way/],
  ['checkpointer', new MemorySaver(), /The journal keeps the run/],
  ['store', new InMemoryStore(), /The journal keeps the run/],
  ['streamMode', 'values', /Give it to stream\(\)/],
  ['configurable', { checkpoint_id: '1ef' }, /run\.fail/],
];

test.each(refused)('refuses %s, also where the graph was configured so by itself', async (name, value, says) => {
  const error = { code: 'unsupported_graph', message: expect.stringMatching(says) };
  await expect(attach({ [name]: value })).rejects.toMatchObject(error);
  // LangGraph's own `withConfig` keeps these, and drops the others.
  if (['timeout', 'signal', 'configurable'].includes(name))
    await expect(attach({}, graph.withConfig({ [name]: value }))).rejects.toMatchObject(error);
});

test('refuses a setting that it does not know, and names those that it takes', async () => {
  await expect(attach({ outputKeys: ['n'] })).rejects.toMatchObject({
    message: expect.stringMatching(/recursionLimit/),
  });
});

test('takes each mode of durability, and what belongs to tracing', async () => {
  for (const durability of ['sync', 'async', 'exit']) {
    const run = await attach({
      durability,
      tags: ['mine'],
      metadata: { of: 'me' },
      runName: 'mine',
      signal: undefined,
    });
    expect(await run.invoke()).toEqual({ n: 2 });
    await run.close();
  }
});

test.each([
  ['that of the settings', { configurable: { thread_id: 'th1' } }, null, 'th1'],
  ['the one that is bound to the graph', {}, 'th2', 'th2'],
  ['that of the settings before the bound one', { configurable: { thread_id: 'th1' } }, 'th2', 'th1'],
  ['the name of the run, where neither names one', { configurable: { user_id: 'u' } }, null, 'r'],
])('the thread that nodes read, also within a subgraph, is %s', async (_, settings, bound, thread) => {
  const seen: unknown[] = [];
  const state = Annotation.Root({ n: Annotation<number> });
  const sees = (_state: unknown, { configurable }: LangGraphRunnableConfig) => {
    seen.push(configurable?.thread_id);
    return { n: seen.length };
  };
  const inner = new StateGraph(state).addNode('in', sees).addEdge('__start__', 'in').compile();
  const outer = new StateGraph(state)
    .addNode('out', sees)
    .addNode('inner', inner)
    .addEdge('__start__', 'out')
    .addEdge('out', 'inner')
    .compile({ name: 'small' });
  const given = bound === null ? outer : outer.withConfig({ configurable: { thread_id: bound } });
  const run = await attach(settings, given);
  expect(await run.invoke()).toEqual({ n: 2 });
  const { config: at } = await run.getState();
  expect([seen, at.configurable?.thread_id]).toEqual([[thread, thread], thread]);
  await run.close();
});

test('refuses to write the state from outside, and to go on from another checkpoint', async () => {
  const run = await attach({});
  await run.invoke();
  const fork = { configurable: { checkpoint_id: '1ef' } };
  const late = run as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  const asks: readonly (() => Promise<unknown> | undefined)[] = [
    () => run.updateState({}, { n: 7 }),
    () => late.invoke?.(null, fork),
    () => late.resume?.(null, fork),
    () => late.getState?.(fork),
    async () => {
      for await (const _ of run.stream(null, fork as never)) throw new Error('it streams');
    },
  ];
  for (const ask of asks)
    await expect(ask()).rejects.toMatchObject({
      code: 'unsupported_graph',
      message: expect.stringMatching(/run\.fail/),
    });
  await expect(late.invoke?.(null, { recursionLimit: 5 })).rejects.toMatchObject({
    message: expect.stringMatching(/`settings`/),
  });
  const { values, next } = await (run as AttachedGraph).getState({ subgraphs: true });
  expect([values, next]).toEqual([{ n: 2 }, []]);
  await run.close();
});
