/** Every message that a graph may hold is written so that it can be read again: one that cannot would take its whole run with it. */
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  type MessageType,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { Annotation, Command, MessagesAnnotation, Overwrite, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { EntryEncoder } from '../../src/journal/entry-codec.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { CODECS } from '../../src/langgraph/codecs.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const codec = CODECS.find(({ name }) => name === 'langchain.message') as (typeof CODECS)[number];
const MESSAGES: readonly BaseMessage[] = [
  new HumanMessage({ id: '1', content: 'hello', name: 'you' }),
  new AIMessage({ id: '2', content: '', tool_calls: [{ name: 'look', args: { at: 1 }, id: 'c', type: 'tool_call' }] }),
  new AIMessageChunk({ id: '3', content: 'in pieces' }),
  new SystemMessage({ id: '4', content: 'be kind' }),
  new ToolMessage({ id: '5', content: 'no', tool_call_id: 'c', status: 'error', artifact: { of: 'it' } }),
  new FunctionMessage({ id: '6', content: 'old', name: 'f' }),
  new ChatMessage({ id: '7', content: 'as a critic', role: 'critic' }),
  new RemoveMessage({ id: '8' }),
];

test.for(MESSAGES.map((message) => ({ kind: message.constructor.name, message })))(
  '$kind is read as it was written',
  ({ message }) => {
    expect(codec.is(message)).toBe(true);
    const back = codec.decode(codec.encode(message as never) as never) as BaseMessage;
    expect([back.getType(), back.toDict()]).toEqual([message.getType(), message.toDict()]);
  },
);

test('a message of a kind that LangChain does not know is left to a codec of its own', () => {
  class Whisper extends BaseMessage {
    readonly type = 'whisper' as MessageType;
  }
  expect(codec.is(new Whisper({ content: 'psst' }))).toBe(false);
});

test('a message that was changed in place is written as it is now', () => {
  const encoder = new EntryEncoder(undefined, CODECS);
  const message = new AIMessage({ id: '1', content: 'first', additional_kwargs: { seen: { by: ['you'] } } });
  const written = () => {
    const entry = { do: 'outcome', key: 'k', status: 'confirmed', output: [message, message] } as const;
    return encoder
      .rows(entry, () => {})
      .map(({ body }) => body)
      .join();
  };
  expect(written()).toContain('"content":"first"');
  message.content = 'second';
  expect(written()).toContain('"content":"second"');
  (message.additional_kwargs.seen as { by: string[] }).by.push('me');
  expect(written()).toContain('["you","me"]');
});

const { config } = loadConfig('belay: 1\nagent: brief\ntools: { sum: { effect: idempotent } }\nskeletons: {}\n', {
  file: 'brief.yaml',
});

test('a run whose node takes messages out of the list is taken up by another process', async () => {
  const State = Annotation.Root({ ...MessagesAnnotation.spec, title: Annotation<string> });
  const summed: number[] = [];
  const sum = graphTool('sum', async ({ input }: { input: number }) => {
    summed.push(input);
    return `${input} messages`;
  });
  const graphWith = (title: () => Promise<string>) =>
    new StateGraph(State)
      .addNode('forget', async ({ messages }) => {
        const text = await sum(messages.length);
        const gone = messages.map(({ id }) => new RemoveMessage({ id: id as string }));
        return { messages: [...gone, new HumanMessage({ id: 'sum', content: text })] };
      })
      .addNode('name', async () => ({ title: await title() }))
      .addEdge('__start__', 'forget')
      .addEdge('forget', 'name')
      .compile({ name: 'brief' });
  const messages = ['a', 'b', 'c'].map((id) => new HumanMessage({ id, content: id }));
  const options = {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { messages },
    journal: memoryStore(),
  };
  let entered = () => {};
  const named = new Promise<void>((resolve) => {
    entered = resolve;
  });
  const waits = () => {
    entered();
    return new Promise<never>(() => {});
  };
  const first = await attachGraph(graphWith(waits), options);
  void first.invoke();
  await named;
  await first.close();
  const second = await resumeGraph(
    graphWith(async () => 'a title'),
    options,
  );
  const { messages: left, title } = await second.invoke();
  await second.close();
  expect([(left as BaseMessage[]).map(({ text }) => text), title, summed]).toEqual([['3 messages'], 'a title', [3]]);
});

test('a node that takes the place of a list, by itself or in a Command, does so in the process that takes the run up', async () => {
  const State = Annotation.Root({
    list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  });
  const { config } = loadConfig('belay: 1\nagent: anew\ntools: {}\nskeletons: {}\n', { file: 'anew.yaml' });
  let isReady = false;
  const graph = new StateGraph(State)
    .addNode('add', () => ({ list: ['added'] }))
    .addNode('anew', () => ({ list: new Overwrite(['anew']) }))
    .addNode('again', () => new Command({ update: { list: new Overwrite(['again']) } }))
    .addNode('last', () => {
      if (!isReady) throw new Error('not yet');
      return { list: ['last'] };
    })
    .addEdge('__start__', 'add')
    .addEdge('__start__', 'anew')
    .addEdge(['add', 'anew'], 'again')
    .addEdge(['add', 'anew'], 'last')
    .compile({ name: 'anew' });
  const options = { run: 'r', config: config as NonNullable<typeof config>, input: {}, journal: memoryStore() };
  const first = await attachGraph(graph, options);
  await expect(first.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  await first.close();
  isReady = true;
  const second = await resumeGraph(graph, options);
  await second.rerun();
  expect(await second.invoke()).toEqual(await graph.invoke({}));
  await second.close();
});
