/** Joins of a graph that is entered again: a superstep has the tasks that it had, and no others. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const text = `
belay: 1
agent: join
tools: { look: { effect: none } }
skeletons:
  D:
    entity: '"it"'
    states: [d]
    entry: [d]
    outputs: [log]
    exit: [{ id: looked, at: d -> end, when: 'true' }]
    rollback: { anchors: [looked], resume: d }
`;
const { config } = loadConfig(text, { file: 'join.yaml' });
const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

test('a node to which a join and an edge led at once does not run again when what comes behind it fails and is done again', async () => {
  let tries = 0;
  const look = graphTool('look', async () => {
    tries += 1;
    if (tries === 1) throw new Error('connection refused');
    return 'seen';
  });
  const graph = new StateGraph(State)
    .addNode('a', () => ({ log: ['a'] }))
    .addNode('b', () => ({ log: ['b'] }))
    .addNode('c', () => ({ log: ['c'] }))
    .addNode('d', async () => ({ log: [`d has ${await look({})}`] }))
    .addEdge('__start__', 'a')
    .addEdge('__start__', 'b')
    .addEdge('a', 'c')
    .addEdge(['a', 'b'], 'c')
    .addEdge('c', 'd')
    .compile({ name: 'join' });
  const run = await attachGraph(graph, { run: 'r', config: config as NonNullable<typeof config>, input: {} });
  expect(await run.invoke()).toEqual({ log: ['a', 'b', 'c', 'd has seen'] });
  expect(tries).toBe(2);
  await run.close();
});
