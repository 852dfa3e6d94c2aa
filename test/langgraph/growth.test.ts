/** A long conversation costs its last turns no more than its first: what a turn writes and encodes is what is new in it. */
import { AIMessage, BaseMessage, HumanMessage } from '@langchain/core/messages';
import { Command, MessagesAnnotation, Send, StateGraph } from '@langchain/langgraph';
import { expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const TURNS = 100;
/** Ten turns near the beginning, and ten near the end; each has two chunks. */
const MARKS = [20, 40, TURNS * 2 - 30, TURNS * 2 - 10];
const text = `
belay: 1
agent: talk
keys: { append: [messages] }
tools: { look: { reads: [], writes: [], effect: idempotent } }
skeletons:
  Model:
    entity: '"it"'
    states: [model]
    entry: [model]
    outputs: [messages]
    exit: [{ id: said, at: model -> end, when: 'true' }]
    rollback: { anchors: [said], resume: model }
  Tools:
    entity: '"it"'
    states: [tools]
    entry: [tools]
    outputs: [messages]
    exit: [{ id: called, at: tools -> end, when: 'true' }]
    rollback: { anchors: [called], resume: tools }
`;

type State = typeof MessagesAnnotation.State;

const said = (nth: number) => `This is answer ${nth}. ${'It goes on for a while, as such answers do. '.repeat(8)}`;
const says = ({ messages }: State) => ({
  messages: [new AIMessage({ id: `said-${messages.length}`, content: said(messages.length) })],
});
const isOver = ({ messages }: State) => messages.length >= TURNS * 2;
const look = graphTool('look', async ({ input }: { input: number }) => `seen ${input}`);
const looks = async ({ messages }: State) => ({
  messages: [new HumanMessage({ id: `told-${messages.length}`, content: await look(messages.length) })],
});

/** The ways in which the state comes to the tools: along an edge, in a `Send` as agents of `createAgent` have it, in one of a `Command`. */
const WAYS = {
  'along an edge': () =>
    new StateGraph(MessagesAnnotation)
      .addNode('model', says)
      .addNode('tools', looks)
      .addEdge('__start__', 'model')
      .addEdge('model', 'tools')
      .addConditionalEdges('tools', (state) => (isOver(state) ? '__end__' : 'model'), ['model', '__end__']),
  'in a Send': () =>
    new StateGraph(MessagesAnnotation)
      .addNode('model', says)
      .addNode('tools', looks)
      .addEdge('__start__', 'model')
      .addConditionalEdges('model', (state) => [new Send('tools', { ...state })], ['tools'])
      .addConditionalEdges('tools', (state) => (isOver(state) ? '__end__' : 'model'), ['model', '__end__']),
  'in a Command': () =>
    new StateGraph(MessagesAnnotation)
      .addNode(
        'model',
        (state: State) => new Command({ update: says(state), goto: [new Send('tools', { ...state })] }),
        {
          ends: ['tools'],
        },
      )
      .addNode('tools', looks)
      .addEdge('__start__', 'model')
      .addConditionalEdges('tools', (state) => (isOver(state) ? '__end__' : 'model'), ['model', '__end__']),
};

test.for(Object.keys(WAYS) as (keyof typeof WAYS)[])(
  'a turn whose state comes %s costs the same at any time',
  async (way) => {
    const { config } = loadConfig(text, { file: 'talk.yaml' });
    const store = memoryStore();
    const encoded = vi.spyOn(BaseMessage.prototype, 'toDict');
    const counted = () => {
      const rows = [...store.read('r')];
      const length = rows.reduce((sum, { body }) => sum + body.length, 0);
      return { encodes: encoded.mock.calls.length, rows: rows.length, length };
    };
    const run = await attachGraph(WAYS[way]().compile({ name: 'talk' }), {
      run: 'r',
      config: config as never,
      journal: store,
      input: { messages: [new HumanMessage({ id: 'first', content: 'Hello.' })] },
      settings: { recursionLimit: TURNS * 3 },
    });
    const at = new Map<number, ReturnType<typeof counted>>();
    let chunks = 0;
    for await (const _ of run.stream(null, { streamMode: 'updates' })) {
      chunks += 1;
      if (MARKS.includes(chunks)) at.set(chunks, counted());
    }
    await run.close();
    encoded.mockRestore();
    const [a, b, c, d] = MARKS.map((mark) => at.get(mark));
    if (a === undefined || b === undefined || c === undefined || d === undefined)
      throw new Error('the run has fewer turns');
    const between = (from: typeof a, to: typeof a) => ({
      encodes: to.encodes - from.encodes,
      rows: to.rows - from.rows,
      length: to.length - from.length,
    });
    const [first, last] = [between(a, b), between(c, d)];
    expect(last.encodes).toBeLessThanOrEqual(first.encodes + 2);
    expect(last.rows).toBeLessThanOrEqual(first.rows + 10);
    expect(last.length).toBeLessThan(first.length * 1.2);
  },
);
