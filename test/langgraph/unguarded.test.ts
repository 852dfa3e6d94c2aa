/** The key of a call is its tool's alone, and a declared tool that no guard is around is told of, or is not called. */
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';

const schema = z.object({ of: z.string() });
const call = (name: string, of: string) => ({ id: `${name} ${of}`, name, args: { of } });
const wants = (name: string, of: string) => new AIMessage({ content: '', tool_calls: [call(name, of)] });

/** A tool that books, and the keys that it was called with. */
function booking() {
  const keys: unknown[] = [];
  const book = tool(
    async ({ of }, { configurable }) => {
      keys.push(configurable?.idempotency_key);
      return `seat to ${of}`;
    },
    { name: 'book', description: 'books', schema },
  );
  return { keys, book };
}

/** A model that wants each of these calls in turn, and then says what it was told. */
class Scripted extends FakeListChatModel {
  readonly script: readonly AIMessage[];
  constructor(script: readonly AIMessage[]) {
    super({ responses: [] });
    this.script = script;
  }
  override bindTools() {
    return this;
  }
  override async invoke(input: unknown): Promise<never> {
    const told = (input as BaseMessage[]).filter((message) => message.getType() === 'tool').map(({ text }) => text);
    return (this.script[told.length] ?? new AIMessage(told.join(' and '))) as never;
  }
}

/** A graph that calls one tool. */
const calling = (name: string, tools: ToolNode) =>
  new StateGraph(MessagesAnnotation)
    .addNode('think', () => ({ messages: [wants(name, 'Rome')] }))
    .addNode('act', tools)
    .addEdge('__start__', 'think')
    .addEdge('think', 'act')
    .compile({ name: 'agent' });

/** Runs a graph to its end. @param tools the tools of its config. */
async function through(graph: object, tools: string) {
  const { config } = loadConfig(`belay: 1\nagent: agent\ntools: ${tools}\nskeletons: {}\n`, { file: 'page.yaml' });
  const told: string[] = [];
  const asked: string[] = [];
  const run = await attachGraph(graph, {
    run: 'r',
    config: config as BoundaryConfig,
    input: { messages: [new HumanMessage('go')] },
    onFinding: ({ code, text }) => void (code === 'unguarded_tool' && told.push(text)),
    onDecision: ({ decision }) =>
      void ('unblock' in decision && asked.push(...decision.unblock.acts.map(({ act }) => act))),
  });
  const end = await run.invoke().then(
    ({ messages }) => (messages as BaseMessage[]).at(-1)?.text,
    ({ code }: { code: string }) => code,
  );
  await run.close();
  return { end, told, asked };
}

const FREE = '{ effect: irreversible }';
const GATED = '{ effect: irreversible, gate: true }';

test('the tools of an agent within a tool read no key of the outer call, and a finding names each once', async () => {
  const { keys, book } = booking();
  const worker = createAgent({
    name: 'worker',
    tools: [book],
    model: new Scripted([wants('book', 'Rome'), wants('book', 'Oslo')]),
  });
  const outer: unknown[] = [];
  const flights = tool(
    async ({ of }, { configurable }) => {
      outer.push(configurable?.idempotency_key);
      const { messages } = await worker.invoke({ messages: [new HumanMessage(of)] });
      return messages.at(-1)?.text ?? '';
    },
    { name: 'flights', description: 'asks', schema },
  );
  const agent = createAgent({ name: 'agent', tools: [flights], model: new Scripted([wants('flights', 'both')]) });
  const { end, told } = await through(agent.graph, `{ book: ${FREE}, flights: ${FREE} }`);
  expect([end, keys]).toEqual(['seat to Rome and seat to Oslo', [undefined, undefined]]);
  expect(outer).toEqual([expect.stringMatching(/^belay-/)]);
  expect(told).toEqual([expect.stringMatching(/^The tool "book" .*made twice/)]);
});

/** A tool that has another one act, and hands its config on. */
const handingOn = (to: StructuredToolInterface) =>
  tool(async ({ of }, config) => ((await to.invoke({ of }, config)) as { readonly text: string }).text, {
    name: 'outer',
    description: 'asks',
    schema,
  });

test('a tool that is called inside another one with its config reads no key, and is told of where it is declared', async () => {
  const { keys, book } = booking();
  const declared = await through(
    calling('outer', new ToolNode([handingOn(book)])),
    `{ book: ${FREE}, outer: ${FREE} }`,
  );
  const other = await through(calling('outer', new ToolNode([handingOn(book)])), `{ outer: ${FREE} }`);
  expect([declared.end, declared.told, other]).toEqual([
    'seat to Rome',
    [expect.stringContaining('"book"')],
    { end: 'seat to Rome', told: [], asked: [] },
  ]);
  expect(keys).toEqual([undefined, undefined]);
});

test('a tool with a gate is not called inside another one, where nobody would be asked', async () => {
  const { keys, book } = booking();
  const { told } = await through(
    calling('outer', new ToolNode([handingOn(book)])),
    `{ book: ${GATED}, outer: ${FREE} }`,
  );
  expect([told, keys]).toEqual([[expect.stringMatching(/"book" .*The call was refused/)], []]);
});

class OwnList extends ToolNode {
  readonly mine: readonly StructuredToolInterface[];
  constructor(tools: readonly StructuredToolInterface[]) {
    super([...tools]);
    this.mine = tools;
  }
  override async run(input: unknown): Promise<never> {
    const { messages } = input as { readonly messages: readonly AIMessage[] };
    const [wanted] = messages.at(-1)?.tool_calls ?? [];
    const said = await this.mine.find(({ name }) => name === wanted?.name)?.invoke(wanted?.args as never);
    return { messages: [new ToolMessage({ content: String(said), tool_call_id: wanted?.id ?? '' })] } as never;
  }
}

test('a ToolNode that calls the tools of a list of its own is told of, and makes no call that has to be asked for', async () => {
  const { keys, book } = booking();
  const gated = await through(calling('book', new OwnList([book])), `{ book: ${GATED} }`);
  expect([gated.end, gated.told, keys]).toEqual(['run_parked', [expect.stringContaining('was refused')], []]);
  expect(gated.asked).toEqual(['change_graph']);
  const free = await through(calling('book', new OwnList([book])), `{ book: ${FREE} }`);
  expect([free.end, free.told, keys]).toEqual(['seat to Rome', [expect.stringContaining('made twice')], [undefined]]);
});

class PrivateList extends ToolNode {
  readonly #mine: readonly StructuredToolInterface[];
  constructor(tools: readonly StructuredToolInterface[]) {
    super([...tools]);
    this.#mine = tools;
  }
  override async run(): Promise<never> {
    return { messages: [String(this.#mine.length)] } as never;
  }
}

test('a ToolNode whose class has private members is refused at attach, also in a subgraph', async () => {
  const { book } = booking();
  const inner = calling('book', new PrivateList([book]));
  const outer = new StateGraph(MessagesAnnotation)
    .addNode('inner', inner)
    .addEdge('__start__', 'inner')
    .compile({ name: 'agent' });
  for (const graph of [inner, outer])
    await expect(through(graph, `{ book: ${FREE} }`)).rejects.toMatchObject({
      code: 'unsupported_graph',
      message: expect.stringContaining('PrivateList'),
    });
});

test('a plain ToolNode is guarded, and nothing is told of its tools', async () => {
  const { keys, book } = booking();
  expect(await through(calling('book', new ToolNode([book])), `{ book: ${FREE} }`)).toEqual({
    end: 'seat to Rome',
    told: [],
    asked: [],
  });
  expect(keys).toEqual([expect.stringMatching(/^belay-/)]);
});
