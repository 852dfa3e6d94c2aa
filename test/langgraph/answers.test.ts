/** An answer belongs to the question that it was given to: by its id, or as the bare answer to what was handed out last. One that a restore took back is none to the question asked anew. */
import { Annotation, Command, interrupt, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { type AttachedGraph, attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const { config } = loadConfig(
  `
belay: 1
agent: agent
keys: { append: [log] }
tools: { refund: { reads: [], writes: [], effect: irreversible } }
skeletons:
  Ask: { entity: args.who, states: [ask], entry: [ask], outputs: [log], exit: [{ id: asked, at: ask -> end, when: 'true', outputs: [log] }], rollback: { anchors: [asked], resume: ask } }
`,
  { file: 'page.yaml' },
);

/** A graph that asks about each of these people at once, and who was refunded. */
function refunds(people: readonly string[]) {
  const refunded: string[] = [];
  const refund = graphTool('refund', async ({ input }: { input: { who: string } }) => {
    refunded.push(input.who);
    return 'ok';
  });
  const graph = new StateGraph(State)
    .addNode('ask', async ({ who }: { who: string }) => {
      const yes: unknown = interrupt(`Refund ${who}?`);
      if (yes === true) await refund({ who });
      return { log: [`${who}: ${JSON.stringify(yes)}`] };
    })
    .addConditionalEdges('__start__', () => people.map((who) => new Send('ask', { who })), ['ask'])
    .compile({ name: 'agent' });
  return { graph, refunded };
}

/** A graph that asks whether to send, and then whether to wipe. */
const inTurn = () =>
  new StateGraph(State)
    .addNode('send', () => ({ log: [`send ${interrupt('Send?')}`] }))
    .addNode('wipe', () => ({ log: [`wipe ${interrupt('Wipe?')}`] }))
    .addEdge('__start__', 'send')
    .addEdge('send', 'wipe')
    .compile({ name: 'agent' });

const options = (journal = memoryStore()) => ({ run: 'r', config: config as BoundaryConfig, input: {}, journal });
const say = (resume: unknown) => new Command({ resume });
const idOf = (run: AttachedGraph, about: string) =>
  run.questions().find(({ value }) => String(value).includes(about))?.id as string;
const strange = 'f'.repeat(32);

test('the same answer by id a second time is refused, also where another question is open', async () => {
  const { graph, refunded } = refunds(['Ann', 'Bob']);
  const run = await attachGraph(graph, options());
  await run.invoke();
  const ann = say({ [idOf(run, 'Ann')]: true });
  await run.resume(ann);
  await expect(run.resume(ann)).rejects.toMatchObject({ code: 'no_question' });
  expect([refunded, run.questions().map(({ value }) => value)]).toEqual([['Ann'], ['Refund Bob?']]);
  const { log } = await run.resume(say({ [idOf(run, 'Bob')]: false }));
  expect([refunded, log]).toEqual([['Ann'], ['Ann: true', 'Bob: false']]);
  await run.close();
});

test('of several answers by id one that names no question moves nothing, and the rest is taken without it', async () => {
  const { graph, refunded } = refunds(['Ann', 'Bob', 'Cid']);
  const run = await attachGraph(graph, options());
  await run.invoke();
  const known = { [idOf(run, 'Ann')]: true, [idOf(run, 'Cid')]: true };
  for (const more of [{ ...known, [strange]: true }, { [strange]: true, ...known }, { [strange]: true }])
    await expect(run.resume(say(more))).rejects.toMatchObject({ code: 'no_question' });
  expect([refunded, run.questions()]).toMatchObject([[], [{}, {}, {}]]);
  const still = await run.resume(say(known));
  expect([refunded.toSorted(), still.__interrupt__]).toMatchObject([['Ann', 'Cid'], [{ value: 'Refund Bob?' }]]);
  await run.close();
});

test('a bare yes that comes twice answers nothing that nobody has looked at, whichever way the graph is run on', async () => {
  const run = await attachGraph(inTurn(), options());
  await run.invoke();
  await run.resume(say('yes'));
  await expect(run.resume(say('yes'))).rejects.toMatchObject({ code: 'no_question' });
  await expect(run.invoke(say('yes'))).rejects.toMatchObject({ code: 'no_question' });
  const streamed = async () => {
    for await (const _ of run.stream(say('yes')));
  };
  await expect(streamed()).rejects.toMatchObject({ code: 'no_question' });
  expect(run.questions()).toMatchObject([{ value: 'Wipe?' }]);
  expect((await run.resume(say('no'))).log).toEqual(['send yes', 'wipe no']);
  await run.close();
});

test('a bare answer is for what was read in the chunks of a stream', async () => {
  const run = await attachGraph(inTurn(), options());
  const asked: unknown[] = [];
  const read = async (command: Command | null) => {
    for await (const chunk of run.stream(command, { streamMode: 'updates' })) {
      const { __interrupt__: questions } = chunk as { readonly __interrupt__?: readonly { readonly value: unknown }[] };
      if (questions !== undefined) asked.push(...questions.map(({ value }) => value));
    }
  };
  await read(null);
  await read(say('yes'));
  expect(asked).toEqual(['Send?', 'Wipe?']);
  expect((await run.resume(say('no'))).log).toEqual(['send yes', 'wipe no']);
  await run.close();
});

test('an answer after a restore is for the question asked anew, and the one from before is refused', async () => {
  const { graph } = refunds(['Ann', 'Bob']);
  const run = await attachGraph(graph, options());
  await run.invoke();
  const [ann, bob] = [idOf(run, 'Ann'), idOf(run, 'Bob')];
  await run.resume(say({ [ann]: 'maybe' }));
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'Ann', ordinal: 0 } });
  await run.invoke();
  expect(run.questions().map(({ value }) => value)).toEqual(['Refund Ann?', 'Refund Bob?']);
  await expect(run.resume(say({ [ann]: 'maybe' }))).rejects.toMatchObject({ code: 'no_question' });
  const { log } = await run.resume(say({ [idOf(run, 'Ann')]: 'no', [bob]: 'no' }));
  expect(log).toEqual(['Ann: "no"', 'Bob: "no"']);
  await run.close();
});

test('the ids of questions are the same in a second process, which takes an answer by one of them and no bare one unseen', async () => {
  const journal = memoryStore();
  const { graph } = refunds(['Ann', 'Bob']);
  const first = await attachGraph(graph, options(journal));
  await first.invoke();
  const [ann, bob] = [idOf(first, 'Ann'), idOf(first, 'Bob')];
  await first.resume(say({ [ann]: true }));
  await first.close();
  const again = refunds(['Ann', 'Bob']);
  const second = await resumeGraph(again.graph, options(journal));
  await second.invoke();
  await expect(second.resume(say({ [ann]: true }))).rejects.toMatchObject({ code: 'no_question' });
  expect((await second.resume(say({ [bob]: true }))).log).toEqual(['Ann: true', 'Bob: true']);
  expect(again.refunded).toEqual(['Bob']);
  await second.close();
});

test.each(['before the graph asks anew', 'after it has asked anew'])(
  'an id answered before a restore is refused in the next process, taken over %s',
  async (when) => {
    const journal = memoryStore();
    const run = await attachGraph(refunds(['Ann', 'Bob']).graph, options(journal));
    await run.invoke();
    const ann = idOf(run, 'Ann');
    await run.resume(say({ [ann]: 'maybe' }));
    await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'Ann', ordinal: 0 } });
    if (when.startsWith('after')) await run.invoke();
    await run.close();
    const again = refunds(['Ann', 'Bob']);
    const second = await resumeGraph(again.graph, options(journal));
    await second.invoke();
    await expect(second.resume(say({ [ann]: true }))).rejects.toMatchObject({ code: 'no_question' });
    expect(again.refunded).toEqual([]);
    await second.close();
  },
);

test('an id is another after each restore, and the one of work that stands stays', async () => {
  const journal = memoryStore();
  const first = await attachGraph(refunds(['Ann', 'Bob']).graph, options(journal));
  await first.invoke();
  const [ann, bob] = [idOf(first, 'Ann'), idOf(first, 'Bob')];
  await first.resume(say({ [ann]: 'maybe' }));
  await first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'Ann', ordinal: 0 } });
  await first.close();
  const second = await resumeGraph(refunds(['Ann', 'Bob']).graph, options(journal));
  await second.invoke();
  const anew = idOf(second, 'Ann');
  expect([anew === ann, idOf(second, 'Bob')]).toEqual([false, bob]);
  await second.resume(say({ [anew]: 'perhaps' }));
  await second.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Ask', entity: 'Ann', ordinal: 0 } });
  await second.close();
  const people = refunds(['Ann', 'Bob']);
  const third = await resumeGraph(people.graph, options(journal));
  await third.invoke();
  for (const old of [ann, anew])
    await expect(third.resume(say({ [old]: true }))).rejects.toMatchObject({ code: 'no_question' });
  await third.resume(say({ [idOf(third, 'Ann')]: true, [bob]: false }));
  expect(people.refunded).toEqual(['Ann']);
  await third.close();
});
