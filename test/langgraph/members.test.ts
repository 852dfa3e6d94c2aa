/** Each member of LangGraph that src/langgraph uses and that is public by its type only: a release that changes one is found here. */
import { AIMessage } from '@langchain/core/messages';
import { Runnable, type RunnableConfig } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import {
  Annotation,
  Command,
  GraphInterrupt,
  interrupt,
  isCommand,
  isGraphBubbleUp,
  isGraphInterrupt,
  MemorySaver,
  Send,
  StateGraph,
  UntrackedValueChannel,
} from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Graph as Structure } from '../../src/langgraph/copy.ts';

/** A compiled graph, as src/langgraph keeps a copy of it. */
interface Kept {
  nodes: Record<string, { writers: Runnable[] }>;
  checkpointer: MemorySaver;
  invoke(input: unknown, config?: RunnableConfig): Promise<object>;
}

const State = Annotation.Root({
  n: Annotation<number>,
  sum: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
});

/** Compiles a graph whose node notes what it is invoked with. */
function noting() {
  const configs: RunnableConfig[] = [];
  const graph = new StateGraph(State)
    .addNode('a', ({ n }, config) => {
      configs.push(config);
      return { n: n + 1, sum: 1 };
    })
    .addNode('b', (_, config) => {
      configs.push(config);
      return { sum: 2 };
    })
    .addConditionalEdges('a', ({ n }) => (n === 1 ? [new Send('b', { n: 7 })] : '__end__'), ['b', '__end__'])
    .addEdge('__start__', 'a')
    .compile({ name: 'noting' });
  return { graph, configs };
}

describe('a compiled graph', () => {
  test('has nodes of which a copy may have others, and the graph keeps its own', async () => {
    const { graph } = noting();
    const copy = graph.withConfig({});
    expect(copy).not.toBe(graph);
    expect(Object.keys(copy.nodes)).toEqual(['__start__', 'a', 'b']);
    const a = copy.nodes.a as unknown as { bound: Runnable; writers: unknown[]; triggers: string[] };
    expect([a.bound instanceof Runnable, Array.isArray(a.writers)]).toEqual([true, true]);
    expect(a.triggers).toEqual(['branch:to:a']);
    const own = Object.assign(Object.create(Object.getPrototypeOf(a)) as typeof a, a);
    class Other extends Runnable {
      lc_namespace = ['test'];
      override invoke = async () => ({ n: 5, sum: 5 });
    }
    own.bound = new Other();
    copy.nodes = { ...copy.nodes, a: own } as never;
    expect(await copy.invoke({ n: 0 })).toEqual({ n: 5, sum: 5 });
    expect(await graph.invoke({ n: 0 })).toEqual({ n: 1, sum: 3 });
  });

  test('has its name, builder, channels and outputs', () => {
    const { graph } = noting();
    expect(graph.getName()).toBe('noting');
    expect([...graph.builder.edges]).toEqual([['__start__', 'a']]);
    expect(Object.keys(graph.builder.branches)).toEqual(['a']);
    expect(graph.outputChannels).toEqual(['n', 'sum']);
    const { n, sum } = graph.channels as unknown as Record<string, Record<string, unknown>>;
    expect([n?.lc_graph_name, sum?.lc_graph_name]).toEqual(['LastValue', 'BinaryOperatorAggregate']);
    const channel = graph.channels.sum?.fromCheckpoint(3 as never) as unknown as {
      update(values: number[]): boolean;
      get(): number;
    };
    channel.update([4]);
    expect(channel.get()).toBe(7);
  });

  test('hands a node its task, its scratchpad and what reads the state', async () => {
    const { graph, configs } = noting();
    await graph.invoke({ n: 0 });
    const { configurable = {} } = configs[0] as RunnableConfig;
    expect(configurable.__pregel_task_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(configurable.__pregel_scratchpad).toMatchObject({ interruptCounter: -1, currentTaskInput: { n: 0 } });
    expect(typeof configurable.__pregel_read).toBe('function');
  });

  test('announces all tasks of a superstep before any of them ends, a Send by its trigger', async () => {
    const { graph } = noting();
    const chunks: [string, { id: string; name: string; input: unknown; triggers: string[]; result?: unknown }][] = [];
    for await (const chunk of await graph.stream({ n: 0 }, { streamMode: ['tasks'] })) chunks.push(chunk as never);
    const starts = chunks.flatMap(([, task]) => ('result' in task ? [] : [task]));
    expect(starts.map(({ name, input, triggers }) => [name, input, triggers])).toEqual([
      ['a', { n: 0, sum: 0 }, ['branch:to:a']],
      ['b', { n: 7 }, ['__pregel_push']],
    ]);
  });

  test('tells its checkpointer each superstep, and names the task of an error', async () => {
    const puts: [string, number][] = [];
    class Saver extends MemorySaver {
      override async put(...given: Parameters<MemorySaver['put']>) {
        const [, checkpoint, { source, step }] = given;
        puts.push([source, step]);
        expect(Object.keys(checkpoint).sort()).toEqual(
          ['channel_values', 'channel_versions', 'id', 'ts', 'v', 'versions_seen'].sort(),
        );
        expect(checkpoint.v).toBe(4);
        return super.put(...given);
      }
    }
    const { graph } = noting();
    const copy = graph.withConfig({});
    copy.checkpointer = new Saver();
    await copy.invoke({ n: 0 }, { configurable: { thread_id: 't' }, durability: 'sync' });
    expect(puts).toEqual([
      ['input', -1],
      ['loop', 0],
      ['loop', 1],
      ['loop', 2],
    ]);
    const failing = new StateGraph(State)
      .addNode('a', () => {
        throw new Error('no');
      })
      .addEdge('__start__', 'a')
      .compile();
    await expect(failing.invoke({ n: 0 })).rejects.toMatchObject({ pregelTaskId: expect.any(String) });
  });

  test('goes on from a checkpoint with an answer that was written for a task', async () => {
    const saver = new MemorySaver();
    const graph = new StateGraph(State)
      .addNode('a', () => ({ n: interrupt('how many?') as number }))
      .addEdge('__start__', 'a')
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: 't' } };
    const asked = await graph.invoke({ n: 0 }, config);
    expect(asked).toMatchObject({ __interrupt__: [{ value: 'how many?' }] });
    const { tasks, config: head } = await graph.getState(config);
    await saver.putWrites(head, [['__resume__', [42]]], tasks[0]?.id as string);
    expect(await graph.invoke(null, config)).toMatchObject({ n: 42 });
  });
});

describe('a graph that runs one node at a time', () => {
  test('goes on from a checkpoint that has the state and the channel of one edge, and runs the node behind it', async () => {
    const { graph } = noting();
    const copy = graph.withConfig({}) as unknown as Kept;
    const saver = new MemorySaver();
    copy.checkpointer = saver;
    await saver.put(
      { configurable: { thread_id: 't', checkpoint_ns: '' } },
      {
        v: 4,
        id: '1ef00000-0000-6000-8000-000000000000',
        ts: new Date(0).toISOString(),
        channel_values: { n: 3, sum: 4, 'branch:to:b': null },
        channel_versions: { n: 1, sum: 1, 'branch:to:b': 2 },
        versions_seen: {},
      },
      { source: 'loop', step: 7, parents: {} },
    );
    // The reducer adds what b writes to the sum of the checkpoint, and a does not run.
    expect(await copy.invoke(null, { configurable: { thread_id: 't' } })).toEqual({ n: 3, sum: 6 });
  });

  test('has writers behind each node, and its edges read the state by the config that those are handed', async () => {
    const { graph } = noting();
    const copy = graph.withConfig({}) as unknown as Kept;
    const seen: unknown[] = [];
    const a = copy.nodes.a as Kept['nodes'][string];
    const own = Object.assign(Object.create(Object.getPrototypeOf(a)) as typeof a, a);
    class Watched extends Runnable {
      lc_namespace = ['test'];
      readonly #writer: Runnable;
      constructor(writer: Runnable) {
        super();
        this.#writer = writer;
      }
      override invoke(input: unknown, config: RunnableConfig = {}) {
        const read = config.configurable?.__pregel_read as (...given: unknown[]) => unknown;
        const watched = (...given: unknown[]) => {
          const state = read(...given);
          seen.push(state);
          return state;
        };
        return this.#writer.invoke(input, {
          ...config,
          configurable: { ...config.configurable, __pregel_read: watched },
        });
      }
    }
    own.writers = a.writers.map((writer) => new Watched(writer));
    copy.nodes = { ...copy.nodes, a: own };
    expect(await copy.invoke({ n: 0 })).toEqual({ n: 1, sum: 3 });
    expect(seen).toEqual([{ n: 1, sum: 1 }]);
  });

  test('tells its edges, choices, joins, and nodes that are deferred', () => {
    const builder = new StateGraph(State)
      .addNode('a', () => ({}), { ends: ['c'] })
      .addNode('b', () => ({}), { defer: true })
      .addNode('c', () => ({}))
      .addEdge('__start__', 'a')
      .addEdge(['a', 'c'], 'b')
      .addConditionalEdges('c', () => 'x', { x: 'a', y: '__end__' })
      .addConditionalEdges('b', () => 'a');
    const graph = builder.compile() as unknown as Pick<Structure, 'builder' | 'nodes' | 'channels'>;
    const { edges, waitingEdges, branches, nodes } = graph.builder as NonNullable<Structure['builder']>;
    expect([[...edges], [...(waitingEdges ?? [])]]).toEqual([[['__start__', 'a']], [[['a', 'c'], 'b']]]);
    const ends = (of: string) => Object.values(branches[of] ?? {}).map((branch) => branch.ends);
    expect([ends('c'), ends('b'), nodes?.a?.ends]).toEqual([[{ x: 'a', y: '__end__' }], [undefined], ['c']]);
    const kinds = (of: string) =>
      graph.nodes[of]?.triggers.map((channel) => (graph.channels[channel] as { lc_graph_name?: string }).lc_graph_name);
    expect([kinds('a'), kinds('b')]).toEqual([
      ['EphemeralValue'],
      ['LastValueAfterFinish', 'NamedBarrierValueAfterFinish'],
    ]);
  });
});

test('a ToolNode runs its own tools by its function, and a tool is called by _call', async () => {
  const calls: unknown[] = [];
  const told = tool(async ({ of }) => of, { name: 'tell', description: '', schema: z.object({ of: z.string() }) });
  const node = new ToolNode([told]);
  expect(node.tools).toEqual([told]);
  const copy = Object.assign(Object.create(Object.getPrototypeOf(node)) as typeof node, node);
  const own = Object.assign(Object.create(Object.getPrototypeOf(told)) as typeof told, told);
  (own as unknown as { _call: unknown })._call = async (input: unknown) => {
    calls.push(input);
    return 'guarded';
  };
  copy.tools = [own];
  const open = copy as unknown as { func: unknown; run(input: unknown, config: unknown): unknown };
  open.func = (input: unknown, config: unknown) => open.run(input, config);
  const messages = [new AIMessage({ content: '', tool_calls: [{ name: 'tell', args: { of: 'x' }, id: '1' }] })];
  const ours = (await copy.invoke({ messages })) as { messages: { text: string }[] };
  const theirs = (await node.invoke({ messages })) as { messages: { text: string }[] };
  expect([ours.messages[0]?.text, theirs.messages[0]?.text, calls]).toEqual(['guarded', 'x', [{ of: 'x' }]]);
});

test('the ToolNode of createAgent runs its own tools where its constructor has made it, and only there', async () => {
  const told = tool(async ({ of }) => of, { name: 'tell', description: '', schema: z.object({ of: z.string() }) });
  const agent = createAgent({ model: new FakeListChatModel({ responses: [] }), tools: [told] });
  const node = (agent.graph as unknown as { nodes: Record<string, { bound: ToolNode }> }).nodes.tools
    ?.bound as ToolNode;
  const made = Reflect.construct(node.constructor, [node.tools]) as ToolNode;
  const copied = Object.assign(Object.create(Object.getPrototypeOf(node)) as ToolNode, node);
  const messages = [new AIMessage({ content: '', tool_calls: [{ name: 'tell', args: { of: 1 }, id: '1' }] })];
  for (const each of [made, copied])
    Object.assign(each, {
      func: (input: unknown, config: object) =>
        (each as never as { run: (...of: unknown[]) => unknown }).run(input, config),
    });
  expect(await made.invoke({ messages })).toMatchObject({ messages: [{ status: 'error' }] });
  await expect(copied.invoke({ messages })).rejects.toThrow(TypeError);
});

test('an untracked channel has no value after a checkpoint, and tells whether several may write it', () => {
  const channel = new UntrackedValueChannel<string>({ guard: false });
  channel.update(['a', 'b']);
  expect([channel.lc_graph_name, channel.guard, channel.get(), channel.checkpoint()]).toEqual([
    'UntrackedValue',
    false,
    'b',
    undefined,
  ]);
  expect(channel.fromCheckpoint().isAvailable()).toBe(false);
});

test('errors and commands are told from others', () => {
  const asked = new GraphInterrupt([{ id: 'i', value: 1 }]);
  expect([isGraphInterrupt(asked), isGraphBubbleUp(asked), asked.interrupts.length]).toEqual([true, true, 1]);
  expect(isGraphBubbleUp(new Error('no'))).toBe(false);
  expect(new Command({ resume: 1, goto: 'a', update: { n: 1 } })).toMatchObject({
    resume: 1,
    goto: ['a'],
    update: { n: 1 },
  });
  expect(isCommand(new Command({ resume: 1 }))).toBe(true);
  expect(new Send('a', { n: 1 })).toMatchObject({ node: 'a', args: { n: 1 } });
});
