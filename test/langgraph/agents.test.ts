/** Prebuilt agents under Belay: a model that says which tools it wants, and tools whose replies are lost, throw or are found wrong later. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';

const text = `
belay: 1
agent: clerk
tools:
  book: { reads: [], writes: [], effect: reversible, undo: cancel, reconcile: desk, timeout: 5s }
  mail: { reads: [], writes: [], effect: reversible, undo: cancel, reconcile: desk, timeout: 5s }
skeletons:
  Tools:
    entity: '"it"'
    states: [tools]
    entry: [tools]
    outputs: [messages]
    exit: [{ id: called, at: tools -> end, when: 'true' }]
    rollback: { anchors: [called], resume: tools, compensable: undo, joint: [Tools, Model] }
  Model:
    entity: '"it"'
    states: [agent]
    entry: [agent]
    outputs: [messages]
    exit: [{ id: said, at: agent -> end, when: 'true' }]
    rollback: { anchors: [said], resume: agent, compensable: undo, joint: [Tools, Model] }
`;
const { config, findings } = loadConfig(text, { file: 'clerk.yaml' });
if (config === null) throw new Error(findings.map(({ message }) => message).join('\n'));

/** A model that wants a room booked, then a mail with what it was told, and then says what it knows. */
class Clerk extends FakeListChatModel {
  override bindTools() {
    return this;
  }
  override async invoke(input: unknown): Promise<never> {
    const said = input as BaseMessage[];
    const told = said.filter((message) => message.getType() === 'tool').map((message) => message.text);
    const wants = (name: string, of: string) =>
      new AIMessage({ id: `wants ${name}`, content: '', tool_calls: [{ name, args: { of }, id: `call-${name}` }] });
    const next =
      told[0] === undefined
        ? wants('book', 'room')
        : told[1] === undefined
          ? wants('mail', told[0])
          : new AIMessage({ id: 'said', content: told.join('; ') });
    return next as never;
  }
}

/** An agent whose tools act at a desk, and what stands there. */
async function clerk(does: (name: string, nth: number) => 'answers' | 'throws' | 'loses its reply' | 'is wrong') {
  const desk = new Map<string, string>();
  let acts = 0;
  const calls: string[] = [];
  const make = (name: string) =>
    tool(
      async ({ of }, { configurable }) => {
        const key = String(configurable?.idempotency_key);
        const how = does(name, calls.filter((each) => each === name).length);
        calls.push(name);
        if (how === 'throws') throw new Error('the desk is closed');
        acts += 1;
        desk.set(key, `${name} ${of}`);
        if (how === 'loses its reply') throw new Error('socket hang up');
        return how === 'is wrong' ? `${name} something` : `${name} ${of}`;
      },
      { name, description: name, schema: z.object({ of: z.string() }) },
    );
  const graph = createReactAgent({
    llm: new Clerk({ responses: [] }),
    tools: [make('book'), make('mail')],
    name: 'clerk',
  });
  const run = await attachGraph(graph, {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { messages: [{ role: 'user', content: 'A room, please.' }] },
    undo: { cancel: ({ key }) => void desk.delete(key) },
    reconcilers: {
      desk: ({ key }) => {
        const output = desk.get(key);
        return output === undefined ? { is: 'not_applied' } : { is: 'applied', output };
      },
    },
  });
  const last = (state: Record<string, unknown>) => (state.messages as BaseMessage[]).at(-1)?.text;
  return { run, desk, last, acts: () => acts, calls };
}

const RIGHT = 'book room; mail book room';

test('an agent of LangGraph books and mails once where nothing fails', async () => {
  const { run, desk, last, acts } = await clerk(() => 'answers');
  expect(last(await run.invoke())).toBe(RIGHT);
  expect([[...desk.values()], acts()]).toEqual([['book room', 'mail book room'], 2]);
  await run.close();
});

test('a tool of an agent whose reply is lost has acted once, and the model reads its answer and no error', async () => {
  const { run, desk, last, acts } = await clerk((name, nth) =>
    name === 'book' && nth === 0 ? 'loses its reply' : 'answers',
  );
  expect(last(await run.invoke())).toBe(RIGHT);
  expect([[...desk.values()], acts()]).toEqual([['book room', 'mail book room'], 2]);
  await run.close();
});

test('a tool of an agent that throws is called again, and the model reads no error', async () => {
  const { run, last, calls } = await clerk((name, nth) => (name === 'mail' && nth === 0 ? 'throws' : 'answers'));
  expect(last(await run.invoke())).toBe(RIGHT);
  expect(calls).toEqual(['book', 'mail', 'mail']);
  await run.close();
});

test('an answer to an agent that is found wrong takes the mail that rests on it back, and both are done again', async () => {
  const { run, desk, last, calls } = await clerk((name, nth) =>
    name === 'book' && nth === 0 ? 'is wrong' : 'answers',
  );
  let isTold = false;
  for await (const update of run.stream(null, { streamMode: 'updates' })) {
    const { tools } = update as { readonly tools?: { readonly messages: BaseMessage[] } };
    if (isTold || tools?.messages[0]?.text !== 'mail book something') continue;
    isTold = true;
    const instance = { skeleton: 'Tools', entity: 'it', ordinal: 0 };
    await run.fail('CONTRACT_VIOLATION', { instance, key: 'messages' });
  }
  expect(isTold).toBe(true);
  expect(last(await run.invoke())).toBe(RIGHT);
  expect([...desk.values()]).toEqual(['book room', 'mail book room']);
  expect(calls).toEqual(['book', 'mail', 'book', 'mail']);
  await run.close();
});
