/** A `ToolNode` that is not a node of the outer graph as it is: its tools are guarded all the same. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import { interrupt, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph, type GraphOptions } from '../../src/langgraph/graph.ts';
import { graphFacts } from '../../src/langgraph/shape.ts';

const PAGE = 'belay: 1\nagent: clerk\ntools: { book: { effect: irreversible, timeout: 5s } }\nskeletons: {}\n';
const { config } = loadConfig(PAGE, { file: 'clerk.yaml' });
const schema = z.object({ of: z.string() });
const wants = new AIMessage({
  id: 'wants',
  content: '',
  tool_calls: [{ name: 'book', args: { of: 'room' }, id: 'call' }],
});

/** A tool that books, and the keys that it was called with. */
function booking() {
  const keys: unknown[] = [];
  const act = async ({ of }: { of: string }, { configurable }: { configurable?: Record<string, unknown> }) => {
    keys.push(configurable?.idempotency_key);
    return `${of} is booked`;
  };
  return { keys, book: tool(act, { name: 'book', description: 'book', schema }) };
}

/** A graph whose model wants a room, and whose next node calls the tools. */
function office(tools: ToolNode) {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', () => ({ messages: [wants] }))
    .addNode('tools', tools)
    .addEdge('__start__', 'model')
    .addEdge('model', 'tools');
}

const attachedTo = (graph: object, told: (error: string) => void = () => {}, more: Partial<GraphOptions> = {}) =>
  attachGraph(graph, {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { messages: [] },
    onDecision: ({ error }) => told(error),
    ...more,
  });
const last = (state: Record<string, unknown>) => (state.messages as BaseMessage[]).at(-1)?.text;

test('in a graph within a node its tools are guarded, and the graph that was given is not touched', async () => {
  const { keys, book } = booking();
  const inner = office(new ToolNode([book])).compile();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('inner', inner)
    .addEdge('__start__', 'inner')
    .compile({ name: 'clerk' });
  expect(graphFacts(graph)?.shape.actors.map(({ name }) => name)).toEqual(['book']);
  const run = await attachedTo(graph);
  expect(last(await run.invoke())).toBe('room is booked');
  await run.close();
  expect(last(await graph.invoke({ messages: [] }))).toBe('room is booked');
  expect(keys).toEqual([expect.stringMatching(/^belay-/), undefined]);
});

test('behind withConfig its tools are guarded', async () => {
  const { keys, book } = booking();
  const tools = new ToolNode([book]).withConfig({ tags: ['desk'] }) as unknown as ToolNode;
  const run = await attachedTo(office(tools).compile({ name: 'clerk' }));
  expect(last(await run.invoke())).toBe('room is booked');
  expect(keys).toEqual([expect.stringMatching(/^belay-/)]);
  await run.close();
});

test('a runnable that was made a tool is guarded', async () => {
  const keys: unknown[] = [];
  const act = RunnableLambda.from(({ of }: { of: string }, { configurable }) => {
    keys.push(configurable?.idempotency_key);
    return `${of} is booked`;
  });
  const book = act.asTool({ name: 'book', description: 'book', schema });
  const heard: unknown[] = [];
  const governor = ({ args }: { readonly args: unknown }) => {
    heard.push(args);
    return null;
  };
  const run = await attachedTo(office(new ToolNode([book])).compile({ name: 'clerk' }), undefined, { governor });
  expect(last(await run.invoke())).toBe('room is booked');
  expect([heard, keys]).toEqual([[{ of: 'room' }], [expect.stringMatching(/^belay-/)]]);
  await run.close();
});

test('a tool that asks a person while it acts parks the run, and the reason names the tool and the way out', async () => {
  const asks = tool(async ({ of }) => `${of} ${interrupt('may I?')}`, { name: 'book', description: 'book', schema });
  const told: string[] = [];
  const run = await attachedTo(office(new ToolNode([asks])).compile({ name: 'clerk' }), (error) => told.push(error));
  await expect(run.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  expect(told).toEqual([expect.stringMatching(/"book" asked a question.*interrupt\(\) in a node/)]);
  await run.close();
});
