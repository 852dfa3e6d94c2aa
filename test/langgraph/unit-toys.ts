/** Small graphs with units over several nodes, which run one node at a time. */
import { interrupt, StateGraph } from '@langchain/langgraph';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { type Act, acting, configOf, State, TOYS, type Toy } from './toys.ts';

/** Does `a` and `b` twice, and then `z`. */
const passing = (name: string, act: Act) => {
  const keeping = (tool: string, more: number) => async (seen: typeof State.State) => {
    const { vals, n } = seen;
    const input = tool === 'a' ? { n } : { n, a: vals[`a${n}`] };
    const is = await graphTool(tool, (call: ToolCall<unknown>) => act(tool, call))(input);
    return { vals: { [`${tool}${n}`]: is }, list: [`${tool}${n} is done`], n: n + more };
  };
  return new StateGraph(State)
    .addNode('a', keeping('a', 0))
    .addNode('b', keeping('b', 1))
    .addNode('z', acting(act, 'z', ['a0', 'b0', 'a1', 'b1']))
    .addEdge('__start__', 'a')
    .addEdge('a', 'b')
    .addConditionalEdges('b', ({ n }) => (n < 2 ? 'a' : 'z'), ['a', 'z'])
    .compile({ name });
};

const passes = (name: string, entity: string, about: string): Toy => {
  const outputs = ['vals', 'list', 'n'];
  return {
    name,
    tools: ['a', 'b', 'z'],
    input: { go: 'now', n: 0 },
    suspect: (tool) =>
      tool === 'z'
        ? { skeleton: 'Z', entity: 'it', key: 'vals/z' }
        : { skeleton: 'A', entity: about, key: `vals/${tool}0` },
    graph: (act) => passing(name, act),
    config: configOf(name, [{ node: 'a', next: ['b'], tools: ['a', 'b'], entity, outputs }, { node: 'z' }]),
  };
};

const asking: Toy = {
  name: 'asking',
  tools: ['a', 'b', 'c'],
  input: { go: 'now', n: 0 },
  suspect: (tool) => ({ skeleton: tool === 'c' ? 'C' : 'A', entity: 'it', key: `vals/${tool}` }),
  graph: (act) =>
    new StateGraph(State)
      .addNode('a', acting(act, 'a'))
      .addNode('b', async (state) => {
        const said = interrupt({ may: state.vals.a }) as string;
        const { vals, list } = await acting(act, 'b', ['a'])(state);
        return { vals: { ...vals, said }, list };
      })
      .addNode('c', acting(act, 'c', ['b', 'said']))
      .addEdge('__start__', 'a')
      .addEdge('a', 'b')
      .addEdge('b', 'c')
      .compile({ name: 'asking' }),
  config: configOf('asking', [
    { node: 'a', next: ['b'], tools: ['a', 'b'], outputs: ['vals/a', 'vals/b', 'vals/said', 'list'] },
    { node: 'c' },
  ]),
};

const tools = TOYS.find(({ name }) => name === 'tools') as Toy;

export const UNIT_TOYS: readonly Toy[] = [
  passes('unit-loop', '"it"', 'it'),
  passes('loop-unit', 'string(memory.n)', '0'),
  asking,
  {
    ...tools,
    name: 'unit-agent',
    suspect: () => ({ skeleton: 'AGENT', entity: 'it', key: 'messages' }),
    config: configOf('tools', [{ node: 'agent', next: ['tools'], tools: ['book', 'mail'], outputs: ['messages'] }]),
  },
];
