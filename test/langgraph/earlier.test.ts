/** A journal that an earlier version wrote, of a process that died among the tasks of a fan-out, is taken up by this one. */
import { readFileSync } from 'node:fs';
import { Annotation, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const text = `
belay: 1
agent: prices
tools: { price: { reads: [], writes: [], effect: idempotent } }
skeletons:
  Price:
    entity: args.to
    states: [price]
    entry: [price]
    outputs: ['prices/{entity}']
    exit: [{ id: priced, at: price -> end, when: 'true', outputs: ['prices/{entity}'] }]
    rollback: { anchors: [priced], resume: price }
`;

test('the task that was answered is not asked for again, and the one that was under way goes on', async () => {
  const { config } = loadConfig(text, { file: 'prices.yaml' });
  const file = new URL('./sends-in-flight.json', import.meta.url);
  const rows = (JSON.parse(readFileSync(file, 'utf8')) as [number, string][]).map(([kind, body]) => ({ kind, body }));
  const store = memoryStore();
  const journal = await store.open('r', 'create');
  journal.append(rows);
  await journal.close();

  const asked: string[] = [];
  const price = graphTool('price', async ({ input }: { input: { to: string } }) => {
    asked.push(input.to);
    return input.to.length * 100;
  });
  const State = Annotation.Root({
    towns: Annotation<string[]>,
    prices: Annotation<Record<string, number>>({ reducer: (a, b) => ({ ...a, ...b }), default: () => ({}) }),
  });
  const graph = new StateGraph(State)
    .addNode('price', async ({ to }: { to: string }) => ({ prices: { [to]: await price({ to }) } }))
    .addConditionalEdges('__start__', ({ towns }) => towns.map((to) => new Send('price', { to })), ['price'])
    .compile({ name: 'prices' });
  const run = await resumeGraph(graph, { run: 'r', config: config as never, journal: store });
  expect(await run.invoke()).toEqual({ towns: ['Rome', 'Vienna'], prices: { Rome: 400, Vienna: 600 } });
  expect(asked).toEqual(['Vienna']);
  await run.close();
});
