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
