import { Annotation, Command, interrupt, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const { config } = loadConfig('belay: 1\nagent: asking\ntools:\n  look: { effect: none }\nskeletons: {}\n', {
  file: 'a.yaml',
});
const State = Annotation.Root({
  said: Annotation<Record<string, unknown>>({ reducer: (a, b) => ({ ...a, ...b }), default: () => ({}) }),
});

/** A graph in which two tasks ask, side by side, after each has looked. */
function asking() {
  const looks: string[] = [];
  const look = graphTool('look', async ({ input }: { input: string }) => {
    looks.push(input);
    return input;
  });
  const graph = new StateGraph(State)
    .addNode('ask', async ({ of }: { of: string }) => {
      const seen = await look(of);
      const first = interrupt(`first of ${seen}`) as string;
      return { said: { [of]: [first, of === 'y' ? interrupt('and then?') : null] } };
    })
    .addConditionalEdges('__start__', () => ['x', 'y'].map((of) => new Send('ask', { of })), ['ask'])
    .compile({ name: 'asking' });
  return { graph, looks };
}

const options = (journal = memoryStore()) => ({
  run: 'r',
  config: config as NonNullable<typeof config>,
  input: { said: {} },
  journal,
});

test('questions are asked together, answered by their ids, and each only once', async () => {
  const { graph, looks } = asking();
  const run = await attachGraph(graph, options());
  const state = await run.invoke();
  expect(state.__interrupt__).toMatchObject([{ value: 'first of x' }, { value: 'first of y' }]);
  const [x, y] = run.questions();
  await expect(run.resume(new Command({ resume: 'both' }))).rejects.toMatchObject({ code: 'no_question' });
  const then = await run.resume(new Command({ resume: { [x?.id as string]: 1, [y?.id as string]: 2 } }));
  expect(then.__interrupt__).toMatchObject([{ value: 'and then?' }]);
  expect(await run.resume(new Command({ resume: 3 }))).toEqual({ said: { x: [1, null], y: [2, 3] } });
  await expect(run.resume(new Command({ resume: 3 }))).rejects.toMatchObject({ code: 'no_question' });
  // A node that has asked runs again; what it has looked at is not looked at again.
  expect(looks).toEqual(['x', 'y']);
  await run.close();
});

test('an answer is not lost with the process that took it', async () => {
  const journal = memoryStore();
  const first = await attachGraph(asking().graph, options(journal));
  await first.invoke();
  const [x, y] = first.questions();
  await first.resume(new Command({ resume: { [x?.id as string]: 1, [y?.id as string]: 2 } }));
  await first.close();
  const { graph, looks } = asking();
  const second = await resumeGraph(graph, options(journal));
  expect((await second.invoke()).__interrupt__).toMatchObject([{ value: 'and then?' }]);
  expect(await second.resume(new Command({ resume: 3 }))).toEqual({ said: { x: [1, null], y: [2, 3] } });
  expect(looks).toEqual([]);
  await second.close();
});

test('a Command that writes or goes elsewhere is refused, and so is one without an answer', async () => {
  const run = await attachGraph(asking().graph, options());
  await run.invoke();
  for (const command of [new Command({ resume: 1, update: { said: {} } }), new Command({ resume: 1, goto: 'ask' })])
    await expect(run.resume(command)).rejects.toMatchObject({ code: 'unsupported_graph' });
  await expect(run.resume(new Command({}))).rejects.toMatchObject({ code: 'no_question' });
  expect(run.questions()).toHaveLength(2);
  await run.close();
});

test('the state of a graph is read where it stands', async () => {
  const run = await attachGraph(asking().graph, options());
  await expect(run.getState()).rejects.toMatchObject({ code: 'graph_running' });
  await run.invoke();
  const { tasks, values } = await run.getState();
  expect(values).toEqual({ said: {} });
  expect(tasks.map(({ name, interrupts }) => [name, interrupts.length])).toEqual([
    ['ask', 1],
    ['ask', 1],
  ]);
  await run.close();
});
