/** What a graph does under Belay beside what it does by itself, where nothing fails. */
import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { TOYS, type Toy } from './toys.ts';
import { UNIT_TOYS } from './unit-toys.ts';

const act = async (tool: string, { input }: { input: unknown }) => `${tool} ${JSON.stringify(input)}`;
const MODES = ['values', 'updates', 'custom', 'tasks'];

interface Native {
  readonly nodes: Readonly<Record<string, object>>;
  stream(input: object, options: object): Promise<AsyncIterable<unknown>>;
  invoke(input: object): Promise<object>;
}

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Chunks as one compares them: what LangGraph makes random, and when things happened, is left out. */
const shown = (chunks: readonly unknown[]) =>
  chunks.map((chunk) =>
    JSON.stringify(chunk)
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')
      .replace(TIME, 'TIME'),
  );

async function all(chunks: AsyncIterable<unknown>): Promise<string[]> {
  const found: unknown[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return shown(found);
}

const open = ({ graph: _, name, config, input }: Toy, graph: object) =>
  attachGraph(graph, { run: name, config, input });

describe.each([...TOYS, ...UNIT_TOYS].filter(({ name }) => !/ask/.test(name)))('the graph $name under Belay', (toy) => {
  test.each([
    ['all modes', { streamMode: MODES }],
    ['all modes, and its subgraphs', { streamMode: MODES, subgraphs: true }],
    ['one mode', { streamMode: 'updates' }],
    ['one mode, and its subgraphs', { streamMode: 'values', subgraphs: true }],
  ])('streams the same as by itself: %s', async (_, options) => {
    const native = toy.graph(act) as Native;
    const run = await open(toy, toy.graph(act));
    const ours = await all(run.stream(null, options));
    const theirs = await all(await native.stream(toy.input, options));
    // Tasks of one superstep end in any order.
    expect([...ours].sort()).toEqual([...theirs].sort());
    expect(ours[0]).toBe(theirs[0]);
    expect(ours.at(-1)).toBe(theirs.at(-1));
    await run.close();
  });

  test('streams its messages and checkpoints as by itself with a checkpointer', async () => {
    const native = Object.assign(toy.graph(act) as Native, { checkpointer: new MemorySaver() });
    const run = await open(toy, toy.graph(act));
    const options = { streamMode: ['messages', 'debug', 'checkpoints'] };
    const ours = await all(run.stream(null, options));
    const theirs = await all(await native.stream(toy.input, { ...options, configurable: { thread_id: toy.name } }));
    expect([...ours].sort()).toEqual([...theirs].sort());
    await run.close();
  });

  test('leaves the graph that was given as it was, and that runs by itself afterwards', async () => {
    const graph = toy.graph(act) as Native;
    const before = Object.entries(graph.nodes).map(([name, node]) => ({ name, node, members: { ...node } }));
    const members = { ...graph };
    const run = await open(toy, graph);
    const state = await run.invoke();
    await run.close();
    expect({ ...graph }).toEqual(members);
    for (const { name, node, members: own } of before) {
      expect(graph.nodes[name]).toBe(node);
      for (const [member, value] of Object.entries(own)) expect((node as Record<string, unknown>)[member]).toBe(value);
    }
    expect(shown([await graph.invoke(toy.input)])).toEqual(shown([state]));
  });
});
