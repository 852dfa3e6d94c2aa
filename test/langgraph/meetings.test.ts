/** Where features of graphs meet: questions and fan-outs, sums and complaints, calls at once and errors, unknown outcomes and siblings. */
import { Annotation, Command, interrupt, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';
import { AT_ONCE, MEETINGS } from './meetings.ts';
import type { Toy } from './toys.ts';
import { course } from './trial.ts';

const text = `
belay: 1
agent: shop
keys: { append: [list] }
tools: { pay: { reads: [], writes: [], effect: irreversible } }
skeletons:
  Buy:
    entity: args.of
    states: [buy]
    entry: [buy]
    outputs: ['vals/{entity}', list]
    exit: [{ id: bought, at: buy -> end, when: 'true' }]
    rollback: { anchors: [bought], resume: buy }
`;
const { config } = loadConfig(text, { file: 'shop.yaml' });
const State = Annotation.Root({
  vals: Annotation<Record<string, string>>({ reducer: (a, b) => ({ ...a, ...b }), default: () => ({}) }),
  list: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

/** Three tasks that pay, side by side. @param asks asks before it pays, once it holds. @param loses the task whose reply is lost. */
function shop({ asks = false, loses = '' } = {}, paid: string[] = []) {
  const pay = graphTool('pay', async ({ input }: { input: string }) => {
    paid.push(input);
    if (input === loses) throw new Error('socket hang up');
    return `paid ${input}`;
  });
  const graph = new StateGraph(State)
    .addNode('buy', async ({ of }: { of: string }) => {
      if (!asks) return { vals: { [of]: await pay(of) }, list: [of] };
      const held = await pay(`hold ${of}`);
      const may = interrupt(of) as string;
      return { vals: { [of]: await pay(`${held} ${may}`) }, list: [of] };
    })
    .addNode('sum', ({ list, vals }) => ({ vals: { sum: list.map((of) => vals[of]).join() } }))
    .addConditionalEdges('__start__', () => ['x', 'y', 'z'].map((of) => new Send('buy', { of })), ['buy'])
    .addEdge('buy', 'sum')
    .compile({ name: 'shop' });
  return { graph, paid };
}

const options = (journal = memoryStore()) => ({
  run: 'r',
  config: config as NonNullable<typeof config>,
  input: { vals: {}, list: [] },
  journal,
});

test('one of three questions is answered, the process ends, and the others are asked again by the next', async () => {
  const given = options();
  const paid: string[] = [];
  const first = await attachGraph(shop({ asks: true }, paid).graph, given);
  await first.invoke();
  const y = first.questions().find(({ value }) => value === 'y');
  await first.resume(new Command({ resume: { [y?.id as string]: 'yes' } }));
  expect(first.questions().map(({ value }) => value)).toEqual(['x', 'z']);
  await first.close();
  const second = await resumeGraph(shop({ asks: true }, paid).graph, given);
  await second.invoke();
  const left = second.questions();
  expect(left.map(({ value }) => value)).toEqual(['x', 'z']);
  const { vals } = await second.resume(new Command({ resume: Object.fromEntries(left.map(({ id }) => [id, 'no'])) }));
  expect(vals).toMatchObject({ x: 'paid paid hold x no', y: 'paid paid hold y yes', z: 'paid paid hold z no' });
  expect(paid.toSorted()).toEqual(
    ['hold x', 'hold y', 'hold z', 'paid hold x no', 'paid hold y yes', 'paid hold z no'].toSorted(),
  );
  await second.close();
});

test('a payment of which nothing is known waits for a person, and the siblings that were paid are not paid again', async () => {
  const given = options();
  const { graph, paid } = shop({ loses: 'y' });
  const first = await attachGraph(graph, given);
  await expect(first.invoke()).rejects.toThrow('effect_outcome_unknown');
  await first.close();
  const second = await resumeGraph(graph, given);
  await expect(second.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  const ended = await second.finished();
  const acts = ended.status === 'parked' && 'unblock' in ended.decision ? ended.decision.unblock?.acts : [];
  const [key] = (acts ?? []).flatMap((act) => ('effect' in act ? [act.effect.id] : []));
  await second.settle(key as string, 'confirmed', 'paid y by phone');
  expect(await second.invoke()).toMatchObject({ vals: { sum: 'paid x,paid y by phone,paid z' } });
  expect(paid.toSorted()).toEqual(['x', 'y', 'z']);
  await second.close();
});

test('a node that throws behind the first of two calls at once has each of them done once', async () => {
  const { state, world, why } = await course(AT_ONCE, null, null);
  expect([why, world.length, state?.includes('wrong')]).toEqual([null, 3, false]);
  expect(world.some((act) => act.includes('twice'))).toBe(false);
});

test('a value that a reducer has folded into a sum is taken out of it when it is found wrong, by its own key or by that of the sum', async () => {
  const asks = MEETINGS.find(({ name }) => name === 'asks') as Toy;
  const right = await course(asks, null, null);
  for (const key of ['vals/x', 'total'])
    for (const tool of ['hold', 'pay'])
      for (const after of [1, 3]) {
        const toy = { ...asks, suspect: () => ({ skeleton: 'BUY', entity: 'x', key }) };
        const found = await course(toy, { is: 'found wrong', tool, after }, null);
        expect({ key, tool, after, ...found }).toMatchObject({ state: right.state, world: right.world });
      }
});

test('a tool that changes what it is handed has acted once, also where the process ends behind it', async () => {
  const given = options();
  const paid: string[] = [];
  const pay = graphTool('pay', async ({ input }: { input: { of: string[] } }) => {
    paid.push(input.of.join());
    input.of.push('and a tip');
    return 'paid';
  });
  const graphWith = (behind: () => Promise<string>) =>
    new StateGraph(State)
      .addNode('buy', async ({ of }: { of: string }) => ({
        vals: { [of]: `${await pay({ of: [of] })} ${await behind()}` },
      }))
      .addConditionalEdges('__start__', () => [new Send('buy', { of: 'x' })], ['buy'])
      .compile({ name: 'shop' });
  let came = () => {};
  const isBehind = new Promise<void>((resolve) => {
    came = resolve;
  });
  const waits = () => {
    came();
    return new Promise<never>(() => {});
  };
  const first = await attachGraph(graphWith(waits), given);
  void first.invoke();
  await isBehind;
  await first.close();
  const second = await resumeGraph(
    graphWith(async () => 'in full'),
    given,
  );
  expect(await second.invoke()).toMatchObject({ vals: { x: 'paid in full' } });
  expect(paid).toEqual(['x']);
  await second.close();
});
