/** A graph that is drained by LangGraph's own `RunControl`: it stops at the end of a superstep, and goes on where it stopped. */
import { Annotation, GraphDrained, RunControl, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const text = `
belay: 1
agent: drained
keys: { append: [list] }
tools: { pay: { reads: [], writes: [], effect: none } }
skeletons:
${[...'abcd'].map((n) => `  ${n.toUpperCase()}: { entity: '"it"', states: [${n}], entry: [${n}], outputs: [list], exit: [{ id: ${n}-done, at: ${n} -> end, when: 'true' }], rollback: { anchors: [${n}-done], resume: ${n} } }`).join('\n')}
`;
const { config } = loadConfig(text, { file: 'drained.yaml' });
const State = Annotation.Root({
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});

/** A graph of a, then b beside c, then d; the first node of some name asks LangGraph to stop. */
function draining(last: string) {
  const control = new RunControl();
  const [runs, payments] = [[] as string[], [] as string[]];
  const pay = graphTool('pay', async ({ input }: { input: string }) => {
    payments.push(input);
    return `${input} is paid`;
  });
  const node = (name: string) => async () => {
    runs.push(name);
    const paid = await pay(name);
    if (name === last) control.requestDrain('the machine goes down');
    return { list: [paid] };
  };
  const inner = new StateGraph(State)
    .addNode('x', node('x'))
    .addNode('y', node('y'))
    .addEdge('__start__', 'x')
    .addEdge('x', 'y')
    .compile();
  const graph = new StateGraph(State)
    .addNode('a', node('a'))
    .addNode('b', node('b'))
    .addNode('c', node('c'))
    .addNode('d', async (_, options) => ({ list: (await inner.invoke({ list: [] }, options)).list.slice() }))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b')
    .addEdge('a', 'c')
    .addEdge(['b', 'c'], 'd')
    .compile({ name: 'drained' });
  const options = {
    run: 'r',
    config: config as NonNullable<typeof config>,
    journal: memoryStore(),
    input: { list: [] },
  };
  return { graph, control, runs, payments, options };
}

const ALL = ['a', 'b', 'c', 'x', 'y'];
const STATE = { list: ALL.map((name) => `${name} is paid`) };

test.each(['a', 'b', 'c', 'x', 'y'])(
  'one that is drained in %s has that superstep behind it, and goes on in another process without a second payment',
  async (last) => {
    const { graph, control, runs, payments, options } = draining(last);
    const first = await attachGraph(graph, { ...options, settings: { control } });
    if (last === 'y') {
      expect(await first.invoke()).toEqual(STATE);
      return first.close();
    }
    await expect(first.invoke()).rejects.toThrow(GraphDrained);
    await expect(first.invoke()).rejects.toThrow('the machine goes down');
    expect([first.status, payments]).toEqual(['running', ALL.slice(0, { a: 1, b: 3, c: 3, x: 4 }[last])]);
    await first.close();
    const ran = [...runs];
    const second = await resumeGraph(graph, options);
    expect(await second.invoke()).toEqual(STATE);
    await second.close();
    expect(payments).toEqual(ALL);
    // The nodes of a superstep that is over are not run again.
    const again = runs.slice(ran.length).filter((name) => 'abc'.includes(name));
    expect(again).toEqual(last === 'a' ? ['b', 'c'] : []);
  },
);

test('one that was drained streams until then, and takes back what is found wrong of it', async () => {
  const { graph, options, control, payments } = draining('c');
  const run = await attachGraph(graph, { ...options, settings: { control } });
  const chunks: object[] = [];
  const streaming = (async () => {
    for await (const chunk of run.stream(null, { streamMode: 'updates' })) chunks.push(chunk as object);
  })();
  await expect(streaming).rejects.toThrow(GraphDrained);
  // What comes together with the error LangGraph itself drops.
  expect(chunks.flatMap(Object.keys)).toContain('a');
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'B', entity: 'it', ordinal: 0 } });
  await run.close();
  const second = await resumeGraph(graph, options);
  expect(await second.invoke()).toEqual(STATE);
  expect([...payments].sort()).toEqual(['a', 'b', 'b', 'c', 'x', 'y']);
  await second.close();
});
