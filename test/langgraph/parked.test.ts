/** A graph that is parked says in its error what it is parked over. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import type { GraphError } from '../../src/langgraph/graph-error.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const { config } = loadConfig('belay: 1\nagent: little\ntools: {}\nskeletons: {}\nredact: [secret]\n', {
  file: 'little.yaml',
});
const State = Annotation.Root({ n: Annotation<number>, secret: Annotation<string> });

/** The error of a graph, and of what its user was told. */
async function parkedOver(graph: object): Promise<{ readonly text: string; readonly told: readonly string[] }> {
  const told: string[] = [];
  const run = await attachGraph(graph, {
    run: 'r',
    config: config as BoundaryConfig,
    input: { n: 0, secret: 'the password' },
    settings: { recursionLimit: 5 },
    onDecision: ({ error }) => void told.push(error),
  });
  const error = await run.invoke().catch((error: unknown) => error);
  await run.close();
  expect(error).toMatchObject({ name: 'GraphError', code: 'run_parked' });
  return { text: (error as Error).message, told };
}

test('by the error of a node, without what the config redacts', async () => {
  const graph = new StateGraph(State)
    .addNode('a', ({ secret }) => {
      throw new Error(`no door opens to ${secret}\nand more`);
    })
    .addEdge('__start__', 'a')
    .compile({ name: 'little' });
  const { text, told } = await parkedOver(graph);
  expect(text).toContain('(rerun) over "no door opens to [redacted]", and stands still');
  expect(told).toEqual(['no door opens to [redacted]\nand more']);
});

test('by what LangGraph says of tasks that write the same, and of a graph that never ends', async () => {
  const same = new StateGraph(State)
    .addNode('a', () => ({ n: 1 }))
    .addNode('b', () => ({ n: 2 }))
    .addEdge('__start__', 'a')
    .addEdge('__start__', 'b')
    .compile({ name: 'little' });
  expect((await parkedOver(same)).text).toContain('over "Invalid update for channel "n" with values [1,2]');
  const endless = new StateGraph(State)
    .addNode('a', ({ n }) => ({ n: n + 1 }))
    .addEdge('__start__', 'a')
    .addEdge('a', 'a')
    .compile({ name: 'little' });
  expect((await parkedOver(endless)).text).toContain('over "Recursion limit of 5 reached');
});

test('by an error of two nodes that failed at once, and every later invoke says the same', async () => {
  const { config: two } = loadConfig(
    `
belay: 1
agent: two
tools: { a: { effect: irreversible }, b: { effect: irreversible } }
skeletons:
  A: { entity: '"it"', states: [na], entry: [na], outputs: [n], exit: [{ id: over, at: na -> end, when: 'true' }], rollback: { anchors: [over], resume: na } }
  B: { entity: '"it"', states: [nb], entry: [nb], outputs: [secret], exit: [{ id: over, at: nb -> end, when: 'true' }], rollback: { anchors: [over], resume: nb } }
`,
    { file: 'two.yaml' },
  );
  const failing = (name: string, text: string) =>
    graphTool(name, async () => {
      throw new Error(text);
    });
  const [a, b] = [failing('a', 'the quota is used up'), failing('b', 'the card is refused')];
  const graph = new StateGraph(State)
    .addNode('na', async () => ({ n: (await a({})) as number }))
    .addNode('nb', async () => ({ secret: (await b({})) as string }))
    .addEdge('__start__', 'na')
    .addEdge('__start__', 'nb')
    .compile({ name: 'two' });
  const input = { n: 0, secret: '' };
  const options = { run: 'r', config: two as BoundaryConfig, journal: memoryStore(), input };
  const run = await attachGraph(graph, options);
  const texts = [];
  for (let nth = 0; nth < 3; nth += 1)
    texts.push(await run.invoke().then(String, ({ code, message }: GraphError) => `${code}: ${message}`));
  const ending = await run.finished();
  await run.close();
  for (const text of texts) {
    expect(text).toMatch(/^run_parked: .*the quota is used up/);
  }
  expect(new Set(texts).size).toBe(1);
  expect(ending).toMatchObject({ status: 'parked', over: ['the quota is used up'] });
});
