/** Skeletons over several nodes: the graphs that take them, and those that are refused, before a run or before the superstep that would need more. */
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { Annotation, Command, GraphDrained, RunControl, Send, StateGraph } from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const configOf = (skeletons: string, agent = 'small', tools = 'look: { reads: [], writes: [], effect: none }') => {
  const { config, findings } = loadConfig(`belay: 1\nagent: ${agent}\ntools:\n  ${tools}\nskeletons:\n${skeletons}`, {
    file: 'small.yaml',
  });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
};
const skeleton = (name: string, states: string, outputs = 'list') =>
  `  ${name}: { entity: '"it"', states: [${states}], entry: [${states.split(',', 1)}], outputs: [${outputs}], exit: [${states
    .split(', ')
    .map((state) => `{ id: ${state}-over, at: ${state} -> end, when: 'true' }`)}], rollback: { anchors: [${states
    .split(', ')
    .map((state) => `${state}-over`)}], resume: ${states.split(',', 1)} } }\n`;
const BOTH = configOf(skeleton('Both', 'a, b'));

const State = Annotation.Root({
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
type Builder = StateGraph<typeof State.spec, typeof State.State, typeof State.Update, string>;

/** A graph of nodes that each look once, and what they looked at. */
function looking(leads: (graph: Builder) => Builder, then: (name: string) => unknown = () => ({}), more = {}) {
  const looked: string[] = [];
  const look = graphTool('look', async ({ input }: { input: string }) => looked.push(input));
  const builder = new StateGraph(State) as Builder;
  for (const name of 'abc') {
    const node = async () => {
      await look(name);
      const led = then(name);
      return led instanceof Command ? led : { list: [name] };
    };
    builder.addNode(name, node as never, { ends: [...'abc'], ...more });
  }
  return { graph: leads(builder).compile({ name: 'small' }), looked };
}

const line = (graph: Builder) => graph.addEdge('__start__', 'a').addEdge('a', 'b').addEdge('b', 'c');
const options = (config = BOTH) => ({ run: 'r', config, input: { list: [] }, journal: memoryStore() });

describe('a graph whose structure leads to several nodes at once', () => {
  const refused: readonly (readonly [string, RegExp, (graph: Builder) => Builder])[] = [
    ['two edges from a node', /2 edges lead from "a", so that/, (graph) => line(graph).addEdge('a', 'c')],
    ['two edges from the start', /2 edges lead from "__start__"/, (graph) => line(graph).addEdge('__start__', 'c')],
    ['an edge and a choice', /2 edges lead from "b"/, (graph) => line(graph).addConditionalEdges('b', () => 'a')],
    [
      'a join',
      /"c" waits for a and b/,
      (graph) => graph.addEdge('__start__', 'a').addEdge('a', 'b').addEdge(['a', 'b'], 'c'),
    ],
  ];

  test.each(refused)('is refused for %s, where a skeleton has several nodes', async (_, says, leads) => {
    await expect(attachGraph(looking(leads).graph, options())).rejects.toMatchObject({
      code: 'unsupported_graph',
      message: expect.stringMatching(says),
    });
  });

  test.each(refused)('is taken for %s, where each skeleton has one', async (_, __, leads) => {
    const { graph, looked } = looking(leads, (name) => (name === 'b' ? new Command({ goto: '__end__' }) : {}));
    const run = await attachGraph(graph, options(configOf(skeleton('One', 'a'))));
    await run.invoke().catch(() => {});
    expect(looked).toContain('a');
    await run.close();
  });

  test('is refused for a node that is deferred', async () => {
    const graph = new StateGraph(State)
      .addNode('a', () => ({}))
      .addNode('b', () => ({}), { defer: true })
      .addEdge('__start__', 'a')
      .addEdge('a', 'b')
      .compile({ name: 'small' });
    await expect(attachGraph(graph, options())).rejects.toThrow(/"b" is deferred/);
  });
});

test.each([
  ['a node of two skeletons', /the node b is both of the skeleton Both, which has several nodes, and of Other/, 'b'],
  ['the state between nodes', /the skeleton Other has the state end beside nodes/, 'c, end'],
])('a config is refused for %s', async (_, says, states) => {
  const config = configOf(`${skeleton('Both', 'a, b')}${skeleton('Other', states)}`);
  await expect(attachGraph(looking(line).graph, options(config))).rejects.toThrow(says);
});

describe('a graph that comes to several nodes at once as it runs', () => {
  const ways: readonly (readonly [string, RegExp, () => unknown])[] = [
    ['by a choice of several', /came to a, c beside each other/, () => ['a', 'c']],
    ['by a Send', /came to a Send to c/, () => new Send('c', {})],
  ];

  test.each(ways)('%s is parked before any of them begins, and again when it is taken up', async (_, says, leads) => {
    const { graph, looked } = looking((builder) =>
      builder
        .addEdge('__start__', 'a')
        .addEdge('a', 'b')
        .addConditionalEdges('b', leads as never, ['a', 'c']),
    );
    const given = options();
    const first = await attachGraph(graph, given);
    await expect(first.invoke()).rejects.toMatchObject({ code: 'run_parked', message: expect.stringMatching(says) });
    await first.close();
    const errors: string[] = [];
    const second = await resumeGraph(graph, { ...given, onDecision: ({ error }) => void errors.push(error) });
    await expect(second.invoke()).rejects.toMatchObject({ code: 'run_parked' });
    await second.reconcile();
    await expect(second.invoke()).rejects.toMatchObject({ code: 'run_parked' });
    expect([errors, looked]).toEqual([[expect.stringMatching(says)], ['a', 'b']]);
    await second.close();
  });
});

test('a run is taken up with skeletons of the kind that it was begun with', async () => {
  const given = options();
  const first = await attachGraph(looking(line).graph, given);
  await first.close();
  const other = { ...given, config: configOf(skeleton('One', 'a')) };
  await expect(resumeGraph(looking(line).graph, other)).rejects.toMatchObject({ code: 'machine_changed' });
});

test('a node goes on by a Command, and leads the same way where its process ends behind it', async () => {
  const { graph, looked } = looking(
    (builder) => builder.addEdge('__start__', 'a'),
    (name) => (name === 'c' ? {} : new Command({ goto: name === 'a' ? 'c' : '__end__', update: { list: [name] } })),
  );
  const run = await attachGraph(graph, options(configOf(skeleton('Both', 'a, c'))));
  expect(await run.invoke()).toEqual({ list: ['a', 'c'] });
  expect(looked).toEqual(['a', 'c']);
  await run.close();
});

test.each(['a', 'b'])('one that is drained in %s goes on behind that node in another process', async (last) => {
  const control = new RunControl();
  const { graph, looked } = looking(line, (name) => {
    if (name === last) control.requestDrain('the machine goes down');
    return {};
  });
  const given = options();
  const first = await attachGraph(graph, { ...given, settings: { control } });
  await expect(first.invoke()).rejects.toThrow(GraphDrained);
  await first.close();
  const second = await resumeGraph(graph, given);
  expect(await second.invoke()).toEqual({ list: ['a', 'b', 'c'] });
  expect(looked).toEqual(['a', 'b', 'c']);
  await second.close();
});

test('a unit that LangGraph tries again in its second node has that node once', async () => {
  let tries = 0;
  const policy = { retryPolicy: { maxAttempts: 2, initialInterval: 1, logWarning: false } };
  const { graph, looked } = looking(
    line,
    (name) => {
      if (name === 'b') tries += 1;
      if (tries === 1) throw new Error('the printer is out of paper');
      return {};
    },
    policy,
  );
  const run = await attachGraph(graph, options());
  expect(await run.invoke()).toEqual({ list: ['a', 'b', 'c'] });
  expect([tries, looked]).toEqual([2, ['a', 'b', 'c']]);
  await run.close();
});

test('an agent of createReactAgent is one unit: a mail whose reply is lost is sent again under its key, from the commit before it on', async () => {
  class Model extends FakeListChatModel {
    override async invoke(input: unknown): Promise<never> {
      const told = (input as BaseMessage[]).filter((message) => message.getType() === 'tool').map(({ text }) => text);
      const call = ['look', 'mail'][told.length];
      const tool_calls = call === undefined ? [] : [{ name: call, args: { of: told.join() }, id: `call-${call}` }];
      return new AIMessage({ id: `says-${told.length}`, content: told.join('; '), tool_calls }) as never;
    }
    override bindTools = () => this as never;
  }
  const sent: (string | undefined)[] = [];
  const looks: string[] = [];
  const schema = z.object({ of: z.string() });
  const agent = createReactAgent({
    name: 'clerk',
    llm: new Model({ responses: [] }),
    tools: [
      tool(async () => `room ${looks.push('look')}`, { name: 'look', description: 'looks', schema }),
      tool(
        async (_, config) => {
          sent.push(config.configurable?.idempotency_key);
          if (sent.length === 1) throw new Error('socket hang up');
          return 'sent';
        },
        { name: 'mail', description: 'mails', schema },
      ),
    ],
  });
  const config = configOf(
    skeleton('Answer', 'agent, tools', 'messages')
      .replace('exit:', "commit: [{ id: told, at: tools -> agent, when: 'true' }], exit:")
      .replace('anchors: [', 'anchors: [told, '),
    'clerk',
    'look: { reads: [], writes: [], effect: none }\n  mail: { reads: [], writes: [], effect: idempotent }',
  );
  const run = await attachGraph(agent, { run: 'r', config, input: { messages: [new HumanMessage('A room?')] } });
  const { messages } = (await run.invoke()) as { messages: BaseMessage[] };
  expect(messages.at(-1)?.text).toBe('room 1; sent');
  expect(sent).toEqual([expect.any(String), sent[0]]);
  await run.close();
});
