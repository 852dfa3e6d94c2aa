/** An answer that a restore took back is none to the same question asked anew, in whichever process that asks it. */
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

const options = (journal = memoryStore()) => ({ run: 'r', config: config as BoundaryConfig, input: {}, journal });
const say = (resume: unknown) => new Command({ resume });
const idOf = (run: AttachedGraph, about: string) =>
  run.questions().find(({ value }) => String(value).includes(about))?.id as string;
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
