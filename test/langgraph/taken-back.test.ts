/** A question of a graph is taken back with the work that asked it (semantics.md R4). */
import { Annotation, Command, interrupt, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const { config } = loadConfig(
  `belay: 1
agent: asking
tools:
  price: { reads: [], writes: [], effect: none }
skeletons:
  Price:
    entity: '"it"'
    states: [pricing]
    entry: [pricing]
    outputs: [price]
    exit: [{ id: priced, at: pricing -> end, when: memory.price > 0 }]
    rollback: { anchors: [priced], resume: pricing }
  Ask:
    entity: '"it"'
    states: [asking]
    entry: [asking]
    outputs: [said]
    exit: [{ id: asked, at: asking -> end, when: 'true', outputs: [said] }]
    rollback: { anchors: [asked], resume: asking }
`,
  { file: 'asking.yaml' },
);
const State = Annotation.Root({ price: Annotation<number>, said: Annotation<string> });

test('a question about a price that is found wrong is answered no more, and the one about the right price is', async () => {
  const prices = [100, 49];
  const price = graphTool('price', async () => prices.shift() as number);
  const graph = new StateGraph(State)
    .addNode('pricing', async () => ({ price: await price({}) }))
    .addNode('asking', ({ price }) => ({ said: `${interrupt(`Pay ${price}?`) as string} to ${price}` }))
    .addEdge('__start__', 'pricing')
    .addEdge('pricing', 'asking')
    .compile({ name: 'asking' });
  const journal = memoryStore();
  const run = await attachGraph(graph, { run: 'r', config: config as BoundaryConfig, input: {}, journal });
  expect((await run.invoke()).__interrupt__).toMatchObject([{ value: 'Pay 100?' }]);
  const [old] = run.questions();
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Price', entity: 'it', ordinal: 0 }, key: 'price' });
  await expect(run.resume(new Command({ resume: 'yes' }))).rejects.toMatchObject({ code: 'no_question' });
  expect((await run.invoke()).__interrupt__).toMatchObject([{ value: 'Pay 49?' }]);
  expect(run.questions()).toHaveLength(1);
  expect(run.questions()[0]?.id).not.toBe(old?.id);
  expect(await run.resume(new Command({ resume: 'yes' }))).toEqual({ price: 49, said: 'yes to 49' });
  await run.close();
});
