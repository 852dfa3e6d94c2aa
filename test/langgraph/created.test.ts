/** Agents of `createAgent` with middleware: its nodes are units, its questions are asked once, and where it jumps to outlives a process. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { Command, StateGraph, StateSchema, UntrackedValue } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createMiddleware, humanInTheLoopMiddleware } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphFacts } from '../../src/langgraph/shape.ts';
import { Clerk, created, RIGHT } from './clerk.ts';

/** The skeleton of a node that middleware adds. */
const unit = (state: string) => `  ${state}:
    entity: '"it"'
    states: [${state}]
    entry: [${state}]
    outputs: [messages, jumpTo]
    exit: [{ id: ${state}-over, at: ${state} -> end, when: 'true' }]
    rollback: { anchors: [${state}-over], resume: ${state}, compensable: undo, joint: [Tools, Model, ${state}] }
`;

test('a person is asked before the mail by the middleware of LangChain, and a second yes finds no question', async () => {
  const asks = humanInTheLoopMiddleware({ interruptOn: { mail: true } } as never);
  const { run, desk, last } = await created(() => 'answers', [asks], unit('HumanInTheLoopMiddleware_after_model')).run;
  const asked = await run.invoke();
  expect(asked.__interrupt__).toMatchObject([
    { value: { actionRequests: [{ name: 'mail', args: { of: 'book room' } }] } },
  ]);
  expect(run.questions()).toMatchObject([{ node: 'HumanInTheLoopMiddleware_after_model' }]);
  expect([...desk.values()]).toEqual(['book room']);
  const yes = new Command({ resume: { decisions: [{ type: 'approve' }] } });
  expect(last(await run.resume(yes))).toBe(RIGHT);
  expect([...desk.values()]).toEqual(['book room', 'mail book room']);
  await expect(run.resume(yes)).rejects.toMatchObject({ code: 'no_question' });
  await run.close();
});

test('of three calls that the model wants at once, the one that throws is made again, and no other', async () => {
  class Three extends Clerk {
    override async invoke(input: unknown): Promise<never> {
      const told = (input as BaseMessage[]).filter((message) => message.getType() === 'tool').map(({ text }) => text);
      const call = (name: string, nth: number) => ({ name, args: { of: String(nth) }, id: `call-${nth}` });
      const tool_calls = ['book', 'mail', 'book'].map(call);
      return (
        told.length > 0
          ? new AIMessage({ id: 'said', content: told.join('; ') })
          : new AIMessage({ id: 'wants', content: '', tool_calls })
      ) as never;
    }
  }
  const more = { model: new Three({ responses: [] }), entity: 'args.lg_tool_call.id' };
  const does = (name: string, nth: number) => (name === 'mail' && nth === 0 ? 'throws' : 'answers');
  const { run, last, calls, desk } = await created(does, [], '', more).run;
  expect(last(await run.invoke())).toBe('book 0; mail 1; book 2');
  expect([calls.toSorted(), [...desk.values()].toSorted()]).toEqual([
    ['book', 'book', 'mail', 'mail'],
    ['book 0', 'book 2', 'mail 1'],
  ]);
  await run.close();
});

test('a middleware that jumps to the end is followed, and the tools are not called', async () => {
  const stops = createMiddleware({
    name: 'Stops',
    beforeModel: {
      canJumpTo: ['end'],
      hook: () => ({ jumpTo: 'end' as const, messages: [new AIMessage({ id: 'no', content: 'We are closed.' })] }),
    },
  });
  const { run, last, calls } = await created(() => 'answers', [stops], unit('Stops_before_model')).run;
  expect([last(await run.invoke()), calls]).toEqual(['We are closed.', []]);
  await run.close();
});

test('a reply that is lost behind two middlewares is found, and the agent that was given runs by itself afterwards', async () => {
  const seen: string[] = [];
  const notes = createMiddleware({
    name: 'Notes',
    beforeModel: ({ messages }) => void seen.push(`before ${messages.length}`),
    wrapToolCall: (request, handler) => {
      seen.push(`calls ${request.toolCall.name}`);
      return handler(request);
    },
  });
  const { run, agent, at } = created(
    (name, nth) => (name === 'book' && nth === 0 ? 'loses its reply' : 'answers'),
    [notes],
    unit('Notes_before_model'),
  );
  const { run: attached, last, acts, desk } = await run;
  expect(last(await attached.invoke())).toBe(RIGHT);
  expect([acts(), [...desk.values()]]).toEqual([2, ['book room', 'mail book room']]);
  expect(new Set(seen)).toEqual(new Set(['before 1', 'before 3', 'before 5', 'calls book', 'calls mail']));
  await attached.close();
  const alone = await agent.invoke({ messages: [{ role: 'user', content: 'A room, please.' }] });
  expect([alone.messages.at(-1)?.text, at.desk.has('undefined')]).toEqual([RIGHT, true]);
});

test('an untracked channel keeps its value when the process ends in the middle of a superstep', async () => {
  const { config } = loadConfig('belay: 1\nagent: jumper\ntools: {}\nskeletons: {}\n', { file: 'jumper.yaml' });
  if (config === null) throw new Error('no config');
  const State = new StateSchema({ said: z.string(), goal: new UntrackedValue<string>() });
  let isSilent = true;
  let said = () => {};
  const isSaid = new Promise<void>((resolve) => {
    said = resolve;
  });
  const graph = new StateGraph(State)
    .addNode('aim', () => ({ goal: 'the moon' }))
    .addNode('say', async ({ goal }) => {
      said();
      if (isSilent) await new Promise(() => {});
      return { said: `to ${goal}` };
    })
    .addEdge('__start__', 'aim')
    .addEdge('aim', 'say')
    .compile({ name: 'jumper' });
  const options = { run: 'r', config, journal: memoryStore(), input: { said: '' } };
  const first = await attachGraph(graph, options);
  void first.invoke();
  await isSaid;
  await first.close();
  isSilent = false;
  const second = await resumeGraph(graph, options);
  expect(await second.invoke()).toMatchObject({ said: 'to the moon' });
  await second.close();
});

test('a config sees the nodes of middleware under names without dots', () => {
  const notes = createMiddleware({ name: 'Notes', afterModel: () => undefined });
  const { agent } = created(() => 'answers', [notes], unit('Notes_after_model'));
  const facts = graphFacts(agent.graph);
  expect(facts?.shape.states.map(({ path }) => path)).toEqual([
    '',
    'begin',
    'Notes_after_model',
    'model_request',
    'tools',
    'end',
  ]);
});

test('a subclass of a ToolNode that takes other arguments is guarded, too', async () => {
  class Named extends ToolNode {
    readonly owner: string;
    constructor({ owner }: { owner: string }) {
      super([], { name: 'mine' });
      this.owner = owner;
    }
  }
  const { guardTools } = await import('../../src/langgraph/tools/guard-tools.ts');
  const node = new Named({ owner: 'ann' });
  const copy = guardTools(node as never) as unknown as Named;
  expect([copy === (node as never), copy.owner, copy instanceof Named]).toEqual([false, 'ann', true]);
  expect(
    await copy.invoke({ messages: [new AIMessage({ content: '', tool_calls: [{ name: 'x', args: {}, id: '1' }] })] }),
  ).toMatchObject({
    messages: [{ content: expect.stringContaining('"x" not found') }],
  });
});
