/** Small graphs in which features meet: sends and questions, commands and loops, sums and retries, subgraphs that go round. */
import { AIMessage, HumanMessage, RemoveMessage } from '@langchain/core/messages';
import { Annotation, Command, interrupt, MessagesAnnotation, Send, StateGraph } from '@langchain/langgraph';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { configOf, type Toy } from './toys.ts';

type Act = Parameters<Toy['graph']>[0];
type Values = Record<string, unknown>;

const State = Annotation.Root({
  vals: Annotation<Values>({ reducer: (before, more) => ({ ...before, ...more }), default: () => ({}) }),
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  total: Annotation<number>({ reducer: (before, more) => before + more, default: () => 0 }),
});
type Seen = typeof State.State;

/** Calls a tool in the world. */
const called = (act: Act, name: string, input: object) =>
  graphTool(name, (call: ToolCall<unknown>) => act(name, call))(input) as Promise<string>;

const worth = (text: string) => (text.startsWith('wrong') ? 1_000 : 1);
const own = (name: string) => ({ skeleton: name.toUpperCase(), entity: 'it', key: `vals/${name}` });
const input = { vals: {}, list: [] };

/** Each of three tasks holds, asks, and pays; what they paid is summed up by the reducer. */
const asks: Toy = {
  name: 'asks',
  tools: ['hold', 'pay', 'post'],
  input,
  suspect: (tool) => (tool === 'post' ? own('post') : { skeleton: 'BUY', entity: 'x', key: 'vals/x' }),
  graph: (act) =>
    new StateGraph(State)
      .addNode('buy', async ({ of }: { of: string }) => {
        const held = await called(act, 'hold', { of });
        const may = of === 'z' ? 'no need' : (interrupt(`buy ${of}?`) as string);
        const paid = await called(act, 'pay', { of, held, may });
        return { vals: { [of]: paid }, total: worth(held) + worth(paid), list: [of] };
      })
      .addNode('post', async ({ vals, total }: Seen) => ({
        vals: { post: await called(act, 'post', { vals, total }) },
      }))
      .addConditionalEdges('__start__', () => ['x', 'y', 'z'].map((of) => new Send('buy', { of })), ['buy'])
      .addEdge('buy', 'post')
      .compile({ name: 'asks' }),
  config: configOf('asks', [
    { node: 'buy', entity: 'args.of', tools: ['hold', 'pay'], outputs: ['vals/{entity}', 'list', 'total'] },
    { node: 'post' },
  ]),
};

/** A supervisor sends work around by commands until there is none left, two pieces at a time. */
const commands: Toy = {
  name: 'commands',
  tools: ['plan', 'work', 'close'],
  input,
  suspect: (tool) =>
    tool === 'work'
      ? { skeleton: 'WORK', entity: '0', key: 'vals/0' }
      : tool === 'plan'
        ? { skeleton: 'PLAN', entity: '0', key: 'vals/plan0' }
        : own('close'),
  graph: (act) =>
    new StateGraph(State)
      .addNode(
        'plan',
        async ({ list, vals }: Seen) => {
          const n = list.length;
          if (n >= 4) return new Command({ goto: 'close' });
          const plan = await called(act, 'plan', { n });
          return new Command({
            update: { vals: { [`plan${n}`]: plan } },
            goto: [n, n + 1].map((piece) => new Send('work', { piece, plan: piece === n ? plan : 'any', vals })),
          });
        },
        { ends: ['work', 'close'] },
      )
      .addNode('work', async ({ piece, plan }: { piece: number; plan: string }) => {
        const done = await called(act, 'work', { piece, plan });
        return { vals: { [piece]: done }, list: [`${piece}`], total: worth(done) };
      })
      .addNode('close', async ({ vals, total }: Seen) => ({
        vals: { close: await called(act, 'close', { vals, total }) },
      }))
      .addEdge('__start__', 'plan')
      .addEdge('work', 'plan')
      .compile({ name: 'commands' }),
  config: configOf('commands', [
    { node: 'plan', entity: 'string(size(memory.list))', outputs: ['vals', 'list'] },
    { node: 'work', entity: 'string(args.piece)', outputs: ['vals/{entity}', 'list', 'total'] },
    { node: 'close' },
  ]),
};

/** A subgraph goes round by itself, and a node beside it acts meanwhile. */
const rounds: Toy = {
  name: 'rounds',
  tools: ['turn', 'beside', 'last'],
  input,
  suspect: (tool) => (tool === 'turn' ? { skeleton: 'INNER', entity: 'it', key: 'vals/turn' } : own(tool)),
  graph(act) {
    const inner = new StateGraph(State)
      .addNode('turn', async ({ list, vals }: Seen) => {
        const is = await called(act, 'turn', { nth: list.length, before: vals.turn ?? null });
        return { vals: { turn: is }, list: [`${list.length}`], total: worth(is) };
      })
      .addEdge('__start__', 'turn')
      .addConditionalEdges('turn', ({ list }) => (list.length < 3 ? 'turn' : '__end__'), ['turn', '__end__'])
      .compile();
    return new StateGraph(State)
      .addNode('inner', async (state: Seen) => {
        const { vals, list } = await inner.invoke({ ...state, list: [] });
        return { vals: { turn: vals.turn }, list };
      })
      .addNode('beside', async () => ({ vals: { beside: await called(act, 'beside', {}) } }))
      .addNode('last', async ({ vals }: Seen) => ({ vals: { last: await called(act, 'last', { vals }) } }))
      .addEdge('__start__', 'inner')
      .addEdge('__start__', 'beside')
      .addEdge(['inner', 'beside'], 'last')
      .compile({ name: 'rounds' });
  },
  config: configOf('rounds', [
    { node: 'inner', tools: ['turn'], outputs: ['vals/turn', 'list'] },
    { node: 'beside' },
    { node: 'last' },
  ]),
};

/** A node that is tried again throws behind the first of its two tools, then behind both. */
const retries: Toy = {
  name: 'retries',
  tools: ['first', 'second', 'next'],
  input,
  suspect: (tool) => (tool === 'next' ? own('next') : { skeleton: 'TWO', entity: 'it', key: 'vals/two' }),
  graph(act) {
    let tries = 0;
    return new StateGraph(State)
      .addNode(
        'two',
        async () => {
          tries += 1;
          const first = await called(act, 'first', {});
          if (tries === 1) throw new Error('between the two');
          const second = await called(act, 'second', { first });
          if (tries === 2) throw new Error('behind both');
          return { vals: { two: [first, second] }, total: worth(first) + worth(second) };
        },
        { retryPolicy: { maxAttempts: 3, initialInterval: 1, maxInterval: 2, jitter: false, logWarning: false } },
      )
      .addNode('next', async ({ vals, total }: Seen) => ({
        vals: { next: await called(act, 'next', { vals, total }) },
      }))
      .addEdge('__start__', 'two')
      .addEdge('two', 'next')
      .compile({ name: 'retries' });
  },
  config: configOf('retries', [
    { node: 'two', tools: ['first', 'second'], outputs: ['vals/two', 'total'] },
    { node: 'next' },
  ]),
};

/** Two calls of a node at once; once in a process, the node throws behind the one that is answered first. */
export const AT_ONCE: Toy = {
  name: 'at-once',
  tools: ['left', 'right', 'next'],
  input,
  suspect: (tool) => (tool === 'next' ? own('next') : { skeleton: 'BOTH', entity: 'it', key: 'vals/both' }),
  graph(act) {
    let throws = true;
    return new StateGraph(State)
      .addNode('both', async () => {
        const both = await Promise.all([
          called(act, 'left', {}).then((is) => {
            if (!throws) return is;
            throws = false;
            throw new Error('the left one cannot be read');
          }),
          called(act, 'right', {}),
        ]);
        return { vals: { both } };
      })
      .addNode('next', async ({ vals }: Seen) => ({ vals: { next: await called(act, 'next', { vals }) } }))
      .addEdge('__start__', 'both')
      .addEdge('both', 'next')
      .compile({ name: 'at-once' });
  },
  config: configOf('at-once', [{ node: 'both', tools: ['left', 'right'], outputs: ['vals/both'] }, { node: 'next' }]),
};

/** A node asks twice, and acts before, between and behind its questions; a command leads on from it. */
const twice: Toy = {
  name: 'twice',
  tools: ['hold', 'book', 'pay', 'next'],
  input,
  suspect: (tool) => (tool === 'next' ? own('next') : { skeleton: 'ASK', entity: 'it', key: 'vals/ask' }),
  graph: (act) =>
    new StateGraph(State)
      .addNode(
        'ask',
        async () => {
          const held = await called(act, 'hold', {});
          const booked = await called(act, 'book', { held, may: interrupt('book it?') });
          const paid = await called(act, 'pay', { booked, may: interrupt('pay it?') });
          return new Command({ update: { vals: { ask: [held, booked, paid] } }, goto: 'next' });
        },
        { ends: ['next'] },
      )
      .addNode('next', async ({ vals }: Seen) => ({ vals: { next: await called(act, 'next', { vals }) } }))
      .addEdge('__start__', 'ask')
      .compile({ name: 'twice' }),
  config: configOf('twice', [{ node: 'ask', tools: ['hold', 'book', 'pay'], outputs: ['vals/ask'] }, { node: 'next' }]),
};

const Talk = Annotation.Root({ ...MessagesAnnotation.spec, n: Annotation<number> });

/** A talk that is summed up when it gets long: what was said before is taken out of the list. */
const forgets: Toy = {
  name: 'forgets',
  tools: ['talk', 'sum'],
  input: { messages: [new HumanMessage({ id: 'first', content: 'hello' })], n: 0 },
  suspect: (tool) => ({ skeleton: tool.toUpperCase(), entity: tool === 'talk' ? '0' : 'it', key: 'messages' }),
  graph: (act) =>
    new StateGraph(Talk)
      .addNode('talk', async ({ messages, n }) => {
        const content = await called(act, 'talk', { n, of: messages.map(({ text }) => text.slice(0, 20)) });
        return { n: n + 1, messages: [new AIMessage({ id: `said-${n}`, content })] };
      })
      .addNode('sum', async ({ messages }) => {
        const content = await called(act, 'sum', { of: messages.map(({ text }) => text.slice(0, 20)) });
        const gone = messages.map(({ id }) => new RemoveMessage({ id: id as string }));
        return { messages: [...gone, new HumanMessage({ id: `sum-of-${messages.length}`, content })] };
      })
      .addEdge('__start__', 'talk')
      .addConditionalEdges('talk', ({ n }) => (n === 2 ? 'sum' : n < 4 ? 'talk' : '__end__'), [
        'sum',
        'talk',
        '__end__',
      ])
      .addEdge('sum', 'talk')
      .compile({ name: 'forgets' }),
  config: configOf('forgets', [
    { node: 'talk', entity: 'string(memory.n)', outputs: ['messages', 'n'] },
    { node: 'sum', outputs: ['messages'] },
  ]),
};

export const MEETINGS: readonly Toy[] = [asks, commands, rounds, retries, twice, forgets];
