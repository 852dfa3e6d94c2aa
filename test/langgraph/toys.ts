/** Small graphs whose nodes act in a world by one tool each, with the configs of those. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { Annotation, interrupt, MessagesAnnotation, Overwrite, Send, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';

/** What a tool does in the world. */
export type Act = (tool: string, call: ToolCall<unknown>) => Promise<unknown>;

/** A graph, with its input and the tools that act in it. */
export interface Toy {
  readonly name: string;
  readonly tools: readonly string[];
  readonly input: object;
  /** The work that a tool belongs to, and the key that it writes. */
  suspect(tool: string): { readonly skeleton: string; readonly entity: string; readonly key: string };
  graph(act: Act): object;
  readonly config: BoundaryConfig;
}

type Values = Record<string, unknown>;
const merged = <T extends object>(before: T, more: T): T => ({ ...before, ...more });

/** The state of most of these graphs. */
export const State = Annotation.Root({
  go: Annotation<string>,
  vals: Annotation<Values>({ reducer: merged, default: () => ({}) }),
  n: Annotation<number>,
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
type Seen = typeof State.State;

/** A node that calls one tool, and keeps what it answers. */
export const acting =
  (act: Act, name: string, reads: readonly string[] = []) =>
  async ({ vals, go }: Seen) => {
    const input = reads.length === 0 ? { go } : Object.fromEntries(reads.map((key) => [key, vals[key]]));
    const is = await graphTool(name, (call: ToolCall<unknown>) => act(name, call))(input);
    return { vals: { [name]: is }, list: [`${name} is done`] };
  };

interface Unit {
  readonly node: string;
  /** The nodes of it that follow. */
  readonly next?: readonly string[];
  readonly entity?: string;
  readonly tools?: readonly string[];
  readonly outputs?: readonly string[];
}

/** A config with a skeleton for each node; each tool can be undone, and its counterparty asked. */
export function configOf(agent: string, units: readonly Unit[]): BoundaryConfig {
  const tools = units.flatMap(({ node, tools: named = [node] }) => named);
  const names = units.map(({ node }) => node.toUpperCase()).join(', ');
  const text = `
belay: 1
agent: ${agent}
tools:
${tools.map((name) => `  ${name}: { reads: [], writes: [], effect: reversible, undo: undo, reconcile: world, timeout: 60ms }`).join('\n')}
keys: { append: [list] }
skeletons:
${units
  .map(
    ({ node, next = [], entity = '"it"', outputs = [`vals/${node}`, 'list', 'n'] }) => `  ${node.toUpperCase()}:
    entity: '${entity}'
    states: [${[node, ...next]}]
    entry: [${node}]
    outputs: ['${outputs.join("', '")}']
    exit:
${[node, ...next].map((from) => `      - { id: ${from}-done, at: ${from} -> end, when: 'true', outputs: ['${outputs[0]}'] }`).join('\n')}
    rollback: { anchors: [${[node, ...next].map((from) => `${from}-done`)}], resume: ${node}, compensable: undo, joint: [${names}], tries: 6 }`,
  )
  .join('\n')}
`;
  const { config, findings } = loadConfig(text, { file: `${agent}.yaml` });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return config;
}

const own = (name: string) => ({ skeleton: name.toUpperCase(), entity: 'it', key: `vals/${name}` });
const plain = (name: string, tools: readonly string[], graph: Toy['graph'], units?: readonly Unit[]): Toy => ({
  name,
  tools,
  input: { go: 'now', n: 0 },
  suspect: own,
  graph,
  config: configOf(name, units ?? tools.map((node) => ({ node }))),
});

const line = plain('line', ['a', 'b', 'c'], (act) =>
  new StateGraph(State)
    .addNode('a', acting(act, 'a'))
    .addNode('b', acting(act, 'b'))
    .addNode('c', acting(act, 'c', ['a', 'b']))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b')
    .addEdge('b', 'c')
    .compile({ name: 'line' }),
);

const branch = plain('branch', ['a', 'b', 'c', 'd'], (act) =>
  new StateGraph(State)
    .addNode('a', acting(act, 'a'))
    .addNode('b', acting(act, 'b', ['a']))
    .addNode('c', acting(act, 'c'))
    .addNode('d', acting(act, 'd'))
    .addEdge('__start__', 'a')
    .addConditionalEdges('a', ({ vals }) => (String(vals.a).startsWith('wrong') ? 'c' : 'b'), ['b', 'c'])
    .addEdge('b', 'd')
    .addEdge('c', 'd')
    .compile({ name: 'branch' }),
);

const loop: Toy = {
  ...plain(
    'loop',
    ['a', 'z'],
    (act) =>
      new StateGraph(State)
        .addNode('a', async ({ vals, n }) => {
          const is = await graphTool('a', (call: ToolCall<unknown>) => act('a', call))({ n });
          return { vals: { [`a${n}`]: [is, vals[`a${n - 1}`] ?? null] }, n: n + 1 };
        })
        .addNode('z', acting(act, 'z', ['a0', 'a1', 'a2']))
        .addEdge('__start__', 'a')
        .addConditionalEdges('a', ({ n }) => (n < 3 ? 'a' : 'z'), ['a', 'z'])
        .compile({ name: 'loop' }),
    [{ node: 'a', entity: 'string(memory.n)', outputs: ['vals', 'n'] }, { node: 'z' }],
  ),
  suspect: (name) => (name === 'a' ? { skeleton: 'A', entity: '0', key: 'vals/a0' } : own(name)),
};

const fan = plain('fan', ['a', 'b', 'c', 'd', 'e'], (act) =>
  new StateGraph(State)
    .addNode('a', acting(act, 'a'))
    .addNode('b', acting(act, 'b', ['a']))
    .addNode('c', acting(act, 'c'))
    .addNode('d', acting(act, 'd', ['a']))
    .addNode('e', acting(act, 'e', ['b', 'c', 'd']))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b')
    .addEdge('a', 'c')
    .addEdge('a', 'd')
    .addEdge(['b', 'c', 'd'], 'e')
    .compile({ name: 'fan' }),
);

const sends: Toy = {
  ...plain(
    'sends',
    ['plan', 'work', 'sum'],
    (act) =>
      new StateGraph(State)
        .addNode('plan', acting(act, 'plan'))
        .addNode('work', async ({ item, plan }: { item: string; plan: unknown }) => {
          const is = await graphTool('work', (call: ToolCall<unknown>) => act('work', call))({ item, plan });
          return { vals: { [item]: is }, list: [item] };
        })
        .addNode('sum', acting(act, 'sum', ['x', 'y', 'z']))
        .addEdge('__start__', 'plan')
        .addConditionalEdges('plan', ({ vals }) =>
          // Only what the first is given depends on the plan.
          ['x', 'y', 'z'].map((item) => new Send('work', { item, plan: item === 'x' ? vals.plan : 'as ever' })),
        )
        .addEdge('work', 'sum')
        .compile({ name: 'sends' }),
    [{ node: 'plan' }, { node: 'work', entity: 'args.item', outputs: ['vals/{entity}', 'list'] }, { node: 'sum' }],
  ),
  suspect: (name) => (name === 'work' ? { skeleton: 'WORK', entity: 'x', key: 'vals/x' } : own(name)),
};

const subgraph: Toy = {
  ...plain(
    'subgraph',
    ['a', 'x', 'y', 'b'],
    (act) => {
      const inner = new StateGraph(State)
        .addNode('x', acting(act, 'x', ['a']))
        .addNode('y', acting(act, 'y', ['x']))
        .addEdge('__start__', 'x')
        .addEdge('x', 'y')
        .compile();
      return new StateGraph(State)
        .addNode('a', acting(act, 'a'))
        .addNode('inner', inner)
        .addNode('b', acting(act, 'b', ['y']))
        .addEdge('__start__', 'a')
        .addEdge('a', 'inner')
        .addEdge('inner', 'b')
        .compile({ name: 'subgraph' });
    },
    [{ node: 'a' }, { node: 'inner', tools: ['x', 'y'], outputs: ['vals', 'list', 'go', 'n'] }, { node: 'b' }],
  ),
  suspect: (name) =>
    name === 'x' || name === 'y' ? { skeleton: 'INNER', entity: 'it', key: `vals/${name}` } : own(name),
};

const ask = plain(
  'ask',
  ['a', 'b', 'c'],
  (act) =>
    new StateGraph(State)
      .addNode('a', acting(act, 'a'))
      .addNode('b', async (state) => {
        const booked = await acting(act, 'b', ['a'])(state);
        const said = interrupt({ may: booked.vals.b }) as string;
        return { vals: { ...booked.vals, said } };
      })
      .addNode('c', acting(act, 'c', ['b', 'said']))
      .addEdge('__start__', 'a')
      .addEdge('a', 'b')
      .addEdge('b', 'c')
      .compile({ name: 'ask' }),
  [{ node: 'a' }, { node: 'b', outputs: ['vals/b', 'vals/said'] }, { node: 'c' }],
);

const overwrite = plain('overwrite', ['a', 'b', 'c', 'd'], (act) =>
  new StateGraph(State)
    .addNode('a', acting(act, 'a'))
    .addNode('b', acting(act, 'b', ['a']))
    // What its sibling adds to the list in the same superstep is lost, as LangGraph has it.
    .addNode('c', async (state) => ({ ...(await acting(act, 'c')(state)), list: new Overwrite(['c alone']) }))
    .addNode('d', async (state) => acting(act, 'd', ['list'])({ ...state, vals: { list: state.list } }))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b')
    .addEdge('a', 'c')
    .addEdge(['b', 'c'], 'd')
    .compile({ name: 'overwrite' }),
);

const tools: Toy = {
  name: 'tools',
  tools: ['book', 'mail'],
  input: { messages: [] },
  suspect: () => ({ skeleton: 'TOOLS', entity: 'it', key: 'messages' }),
  graph(act) {
    const schema = z.object({ of: z.string() });
    const made = (name: string) =>
      langchainTool(
        async (input, config) =>
          String(await act(name, { input, key: config.configurable?.idempotency_key, signal: config.signal })),
        { name, description: name, schema },
      );
    const calls = ['book', 'mail', 'mail'].map((name, nth) => ({ name, args: { of: `${nth}` }, id: `call-${nth}` }));
    const agent = ({ messages }: { messages: BaseMessage[] }) => ({
      messages: [
        messages.length === 0
          ? new AIMessage({ id: 'first', content: '', tool_calls: calls })
          : new AIMessage({
              id: 'last',
              content: messages
                .slice(1)
                .map(({ text }) => text)
                .join(),
            }),
      ],
    });
    return new StateGraph(MessagesAnnotation)
      .addNode('agent', agent)
      .addNode('tools', new ToolNode([made('book'), made('mail')]))
      .addEdge('__start__', 'agent')
      .addConditionalEdges('agent', ({ messages }) => (messages.length === 1 ? 'tools' : '__end__'), [
        'tools',
        '__end__',
      ])
      .addEdge('tools', 'agent')
      .compile({ name: 'tools' });
  },
  config: configOf('tools', [{ node: 'tools', tools: ['book', 'mail'], outputs: ['messages'] }]),
};

/** The toys whose units are one node each. */
export const TOYS: readonly Toy[] = [line, branch, loop, fan, sends, subgraph, ask, overwrite, tools];
