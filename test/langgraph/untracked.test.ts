/** Channels that LangGraph does not track: what a task writes to one is told of that task, also beside other tasks. */
import { StateGraph, StateSchema, UntrackedValue } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const unit = (node: string, output: string) => `  ${node}:
    entity: '"it"'
    states: [${node}]
    entry: [${node}]
    outputs: [${output}]
    exit: [{ id: ${node}-over, at: ${node} -> end, when: 'true', outputs: [${output}] }]
    rollback: { anchors: [${node}-over], resume: ${node}, joint: [aim, note, go] }
`;
const { config } = loadConfig(
  `
belay: 1
agent: aims
tools: { pick: { effect: none }, fly: { effect: none }, tell: { effect: none } }
skeletons:
${unit('aim', 'goal')}${unit('note', 'noted')}${unit('go', 'went')}`,
  { file: 'aims.yaml' },
);

test('a value of a node that runs beside another one is found wrong, and what rests on it is done again', async () => {
  const flown: string[] = [];
  let picks = 0;
  const pick = graphTool('pick', async () => {
    picks += 1;
    return picks === 1 ? 'the sun' : 'the moon';
  });
  const fly = graphTool('fly', async ({ input }: { input: string }) => {
    flown.push(input);
    return `to ${input}`;
  });
  const tell = graphTool('tell', async () => 'told');
  const State = new StateSchema({ goal: new UntrackedValue<string>(), noted: z.string(), went: z.string() });
  const graph = new StateGraph(State)
    .addNode('aim', async () => ({ goal: await pick('any') }))
    .addNode('note', () => ({ noted: 'yes' }))
    .addNode('go', async ({ goal }) => ({ went: await fly(String(goal)) }))
    .addNode('talk', async () => void (await tell('all')))
    .addEdge('__start__', 'aim')
    .addEdge('__start__', 'note')
    .addEdge(['aim', 'note'], 'go')
    .addEdge('go', 'talk')
    .compile({ name: 'aims' });
  let hasComplained = false;
  const run = await attachGraph(graph, {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { noted: '', went: '' },
    governor: async ({ tool }) => {
      if (tool !== 'tell' || hasComplained) return null;
      hasComplained = true;
      await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'aim', entity: 'it' }, key: 'goal' });
      return null;
    },
  });
  expect(await run.invoke()).toMatchObject({ went: 'to the moon' });
  expect(flown).toEqual(['the sun', 'the moon']);
  await run.close();
});
