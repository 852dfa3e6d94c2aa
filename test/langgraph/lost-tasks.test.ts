/** Tasks of a superstep that LangGraph leaves behind: with a maxConcurrency of 1 it says that a graph is done after the first of them. */
import { Annotation, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const text = `
belay: 1
agent: calls
keys: { append: [said] }
tools: { ring: { reads: [], writes: [], effect: irreversible } }
skeletons:
  Ring:
    entity: args.of
    states: [ring]
    entry: [ring]
    outputs: [said]
    exit: [{ id: rung, at: ring -> end, when: 'true' }]
    rollback: { anchors: [rung], resume: ring }
`;
const { config } = loadConfig(text, { file: 'calls.yaml' });
const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

/** A graph that rings up three people, each in a task of its own. */
function ringing() {
  const rung: string[] = [];
  const ring = graphTool('ring', async ({ input }: { input: string }) => {
    rung.push(input);
    return `${input} says yes`;
  });
  const graph = new StateGraph(State)
    .addNode('ring', async ({ of }: { of: string }) => ({ said: [await ring(of)] }))
    .addConditionalEdges('__start__', () => ['ann', 'bob', 'eve'].map((of) => new Send('ring', { of })), ['ring'])
    .compile({ name: 'calls' });
  return { graph, rung };
}

const options = (maxConcurrency: number) => ({
  run: 'r',
  config: config as NonNullable<typeof config>,
  journal: memoryStore(),
  input: { said: [] },
  settings: { maxConcurrency },
});

test('a graph that would lose them is not attached', async () => {
  const { graph, rung } = ringing();
  await expect(attachGraph(graph, options(1))).rejects.toMatchObject({ code: 'unsupported_graph' });
  const run = await attachGraph(graph, options(2));
  expect(await run.invoke()).toEqual({ said: ['ann says yes', 'bob says yes', 'eve says yes'] });
  expect(rung).toEqual(['ann', 'bob', 'eve']);
  await run.close();
});

test('a graph that was configured so by itself is parked, and not done without them', async () => {
  const { graph, rung } = ringing();
  const { settings: _, ...own } = options(1);
  const run = await attachGraph(graph.withConfig({ maxConcurrency: 1 }), own);
  await expect(run.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  expect(await run.finished()).toMatchObject({ decision: { refusals: [{ code: 'graph_refused' }] } });
  expect(rung).toEqual(['ann']);
  await run.close();
});
