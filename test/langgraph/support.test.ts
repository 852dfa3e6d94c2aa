import {
  Annotation,
  DeltaChannel,
  entrypoint,
  InMemoryStore,
  MemorySaver,
  Send,
  StateGraph,
} from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const text = `
belay: 1
agent: small
tools:
  look: { effect: none }
skeletons: {}
`;
const { config } = loadConfig(text, { file: 'small.yaml' });
const options = (graph = config) => ({ run: 'r', config: graph as NonNullable<typeof config>, input: { n: 0 } });
const State = Annotation.Root({ n: Annotation<number>, list: Annotation<string[]> });
const two = () =>
  new StateGraph(State)
    .addNode('a', () => ({ n: 1 }))
    .addNode('b', () => ({ n: 2 }))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b');
const named = { name: 'small' };

const refused: readonly (readonly [why: string, says: RegExp, graph: () => object])[] = [
  ['the functional API', /functional API/, () => entrypoint({ name: 'small' }, async () => 1)],
  ['a RemoteGraph', /RemoteGraph/, () => new RemoteGraph({ graphId: 'small', url: 'http://localhost:1' })],
  ['a checkpointer', /checkpointer/, () => two().compile({ ...named, checkpointer: new MemorySaver() })],
  ['a store', /store/, () => two().compile({ ...named, store: new InMemoryStore() })],
  ['questions before nodes', /interruptBefore/, () => two().compile({ ...named, interruptBefore: ['b'] })],
  ['questions behind nodes', /interruptAfter/, () => two().compile({ ...named, interruptAfter: ['b'] })],
  [
    'a node cache',
    /cache policy/,
    () =>
      new StateGraph(State)
        .addNode('a', () => ({ n: 1 }), { cachePolicy: true })
        .addEdge('__start__', 'a')
        .compile(named),
  ],
  [
    'a node timeout',
    /timeout/,
    () =>
      new StateGraph(State)
        .addNode('a', () => ({ n: 1 }), { timeout: 1000 } as object)
        .addEdge('__start__', 'a')
        .compile(named),
  ],
  [
    'an error handler',
    /error handler/,
    () =>
      new StateGraph(State)
        .addNode('a', () => ({ n: 1 }), { errorHandler: () => ({ n: 2 }) } as object)
        .addEdge('__start__', 'a')
        .compile(named),
  ],
  [
    'a name that no config holds',
    /has a name/,
    () =>
      new StateGraph(State)
        .addNode('a@b', () => ({ n: 1 }))
        .addEdge('__start__', 'a@b')
        .compile(named),
  ],
  [
    'two nodes that are one state to a config',
    /the state a_b/,
    () =>
      new StateGraph(State)
        .addNode('a.b', () => ({ n: 1 }))
        .addNode('a_b', () => ({ n: 1 }))
        .addEdge('__start__', 'a.b')
        .addEdge('a.b', 'a_b')
        .compile(named),
  ],
  [
    'a channel with the name of ours',
    /"sends"/,
    () =>
      new StateGraph(Annotation.Root({ sends: Annotation<number> }))
        .addNode('a', () => ({ sends: 1 }))
        .addEdge('__start__', 'a')
        .compile(named),
  ],
  [
    'a channel that keeps changes alone',
    /DeltaChannel, whose value/,
    () =>
      new StateGraph(Annotation.Root({ list: (() => new DeltaChannel((all: unknown) => all)) as never }))
        .addNode('a', () => ({}))
        .addEdge('__start__', 'a')
        .compile(named),
  ],
  [
    'a subgraph with a state of its own',
    /graph with a checkpointer/,
    () =>
      new StateGraph(State)
        .addNode('a', two().compile({ checkpointer: true }))
        .addEdge('__start__', 'a')
        .compile(named),
  ],
];

test.each(refused)('refuses %s, with the reason and a way out', async (_, says, graph) => {
  const attaching = attachGraph(graph(), options());
  await expect(attaching).rejects.toMatchObject({ code: 'unsupported_graph', message: expect.stringMatching(says) });
});

/** Why a run of a graph is parked. */
async function reasonOf(graph: object): Promise<unknown> {
  const errors: string[] = [];
  const run = await attachGraph(graph, { ...options(), onDecision: ({ error }) => void errors.push(error) });
  await expect(run.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  await run.close();
  return errors.at(-1);
}

test('parks a graph that calls a tool in an edge, before the tool acts', async () => {
  let acts = 0;
  const look = graphTool('look', async () => (acts += 1));
  const graph = two()
    .addConditionalEdges('b', async () => {
      await look({});
      return '__end__';
    })
    .compile(named);
  expect(await reasonOf(graph)).toMatch(/called between two nodes/);
  expect(acts).toBe(0);
});

test('parks a graph whose node ends beside a call of its own', async () => {
  const look = graphTool('look', () => new Promise<number>(() => {}));
  const graph = new StateGraph(State)
    .addNode('a', async () => {
      void look({});
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { n: 1 };
    })
    .addEdge('__start__', 'a')
    .compile(named);
  expect(await reasonOf(graph)).toMatch(/ended beside its call of look/);
});

test('parks a graph that asks within a subgraph', async () => {
  const { interrupt } = await import('@langchain/langgraph');
  const inner = new StateGraph(State)
    .addNode('x', () => ({ n: interrupt('may I?') as number }))
    .addEdge('__start__', 'x')
    .compile();
  const graph = new StateGraph(State).addNode('a', inner).addEdge('__start__', 'a').compile(named);
  expect(await reasonOf(graph)).toMatch(/came out of a graph within "a"/);
});

test('runs a graph that has no skeletons, two tasks of one node about the same side by side', async () => {
  const graph = new StateGraph(
    Annotation.Root({ list: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) }),
  )
    .addNode('work', ({ of }: { of: string }) => ({ list: [of] }))
    .addConditionalEdges('__start__', () => [new Send('work', { of: 'x' }), new Send('work', { of: 'x' })])
    .compile(named);
  const run = await attachGraph(graph, { ...options(), input: { list: [] } });
  expect(await run.invoke()).toEqual({ list: ['x', 'x'] });
  await run.close();
});
