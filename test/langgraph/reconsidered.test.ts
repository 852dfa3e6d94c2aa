/** A node that runs again and calls another tool than before makes no act beside the one that stands (C8). */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const ASKING = 'effect: irreversible, reconcile: { ask: bank, refuses_key: true }';
const { config } = loadConfig(
  `
belay: 1
agent: agent
tools: { pay: { ${ASKING} }, refund: { ${ASKING} }, look: { effect: none } }
skeletons:
  Do: { entity: '"it"', states: [node], entry: [node], outputs: [out], exit: [{ id: over, at: node -> end, when: 'true' }], rollback: { anchors: [over], resume: node } }
`,
  { file: 'page.yaml' },
);

type Call = (input: object) => Promise<unknown>;
type Tools = Readonly<Record<'pay' | 'refund' | 'look', Call>>;

/** A process that runs the node until it is done, parked, or still after a while in the middle of it. */
async function process(
  journal: ReturnType<typeof memoryStore>,
  acts: string[],
  bank: ReconcileResult,
  thinks: (tools: Tools) => Promise<unknown>,
  hangs: readonly string[] = [],
) {
  let reached = () => {};
  const isHanging = new Promise<'hangs'>((resolve) => {
    reached = () => resolve('hangs');
  });
  const tool = (name: string): Call =>
    graphTool(name, async () => {
      acts.push(name);
      if (!hangs.includes(name)) return `${name} done`;
      reached();
      return new Promise(() => {});
    });
  const tools = { pay: tool('pay'), refund: tool('refund'), look: tool('look') };
  const node = async () => {
    const out = await thinks(tools);
    if (out !== 'stops') return { out };
    reached();
    return new Promise<never>(() => {});
  };
  const graph = new StateGraph(Annotation.Root({ out: Annotation<unknown> }))
    .addNode('node', node)
    .addEdge('__start__', 'node')
    .compile({ name: 'agent' });
  const options = { run: 'r', config: config as BoundaryConfig, journal, input: {}, reconcilers: { bank: () => bank } };
  const run = await (acts.length === 0 ? attachGraph : resumeGraph)(graph, options);
  const done = run.invoke().then(
    ({ out }) => out,
    ({ code }: { code: string }) => code,
  );
  const ending = await Promise.race([done, isHanging]);
  await run.close();
  return ending;
}

const applied = { is: 'applied', output: 'pay done' } as const;

test('a payment whose answer is journaled stands alone: the refund of the second run does not leave', async () => {
  const [journal, acts] = [memoryStore(), [] as string[]];
  const first = await process(journal, acts, applied, async ({ pay }) => {
    await pay({ cents: 100 });
    return 'stops';
  });
  const second = await process(journal, acts, applied, ({ refund }) => refund({ cents: 100 }));
  expect([first, second, acts]).toEqual(['hangs', 'run_parked', ['pay']]);
});

test('a payment under way of which the bank says that it has happened stands alone', async () => {
  const [journal, acts] = [memoryStore(), [] as string[]];
  await process(journal, acts, applied, ({ pay }) => pay({ cents: 100 }), ['pay']);
  expect([await process(journal, acts, applied, ({ refund }) => refund({ cents: 100 })), acts]).toEqual([
    'run_parked',
    ['pay'],
  ]);
});

test('a payment of which the bank knows that it did not happen gives way to the refund, and the run is done', async () => {
  const [journal, acts] = [memoryStore(), [] as string[]];
  const never = { is: 'not_applied' } as const;
  await process(journal, acts, never, ({ pay }) => pay({ cents: 100 }), ['pay']);
  expect([await process(journal, acts, never, ({ refund }) => refund({ cents: 100 })), acts]).toEqual([
    'refund done',
    ['pay', 'refund'],
  ]);
});

test('a node that claims its payment first goes on to another act, and looks in between as it likes', async () => {
  const [journal, acts] = [memoryStore(), [] as string[]];
  await process(journal, acts, applied, async ({ pay }) => {
    await pay({ cents: 100 });
    return 'stops';
  });
  const ending = await process(journal, acts, applied, async ({ pay, refund, look }) => {
    await look({});
    await pay({ cents: 100 });
    return refund({ cents: 100 });
  });
  expect([ending, acts]).toEqual(['refund done', ['pay', 'look', 'refund']]);
});

test('two acts that a node makes beside each other may come in another order when it runs again', async () => {
  const [journal, acts] = [memoryStore(), [] as string[]];
  await process(journal, acts, applied, async ({ pay }) => {
    await pay({ cents: 100 });
    return 'stops';
  });
  const ending = await process(journal, acts, applied, async ({ pay, refund }) =>
    (await Promise.all([refund({ cents: 1 }), pay({ cents: 100 })])).join(' and '),
  );
  expect([ending, acts]).toEqual(['refund done and pay done', ['pay', 'refund']]);
});
