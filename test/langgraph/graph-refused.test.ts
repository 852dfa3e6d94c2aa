/** Graphs that are refused as they run: a question of its own, which a graph that is built otherwise answers (semantics.md TH9). */
import { Annotation, Command, interrupt, Send, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const State = Annotation.Root({
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
type Builder = StateGraph<typeof State.spec, typeof State.State, typeof State.Update, string>;

/** The node `a` books, and a unit goes from it to a second node. */
const config = loadConfig(
  `
belay: 1
agent: small
keys: { append: [list] }
tools: { book: { reads: [], writes: [], effect: irreversible }, look: { reads: [], writes: [], effect: none } }
skeletons:
  Trip:
    entity: '"it"'
    states: [a, b]
    entry: [a]
    outputs: [list]
    commit: [{ id: booked, at: a -> end, when: 'true' }]
    exit: [{ id: over, at: b -> end, when: 'true' }]
    rollback: { anchors: [booked], resume: a }
`,
  { file: 'small.yaml' },
).config;

/** A graph whose node `b` does what is given, and the seats that `a` has booked. @param leads whither `a` leads. */
function built(b: () => unknown, leads: () => unknown = () => 'b', booked: string[] = []) {
  const book = graphTool('book', async ({ input }: { input: string }) => booked.push(input));
  const graph = (new StateGraph(State) as Builder)
    .addNode('a', async () => {
      await book('seat');
      return { list: ['a'] };
    })
    .addNode('b', b as never, { ends: ['c', '__end__'] })
    .addNode('c', () => ({ list: ['c'] }), { ends: ['__end__'] })
    .addEdge('__start__', 'a')
    .addConditionalEdges('a', leads as never, ['b', 'c'])
    .compile({ name: 'small' });
  return { graph, booked };
}

const WELL = () => ({ list: ['b'] });

/** A graph within that does what is given in its one node. */
const within = (does: () => unknown) =>
  new StateGraph(State)
    .addNode('x', does as never)
    .addEdge('__start__', 'x')
    .compile();

const look = graphTool('look', async () => 'seen');

const kinds: readonly (readonly [what: string, says: RegExp, wrong: () => ReturnType<typeof built>])[] = [
  ['several nodes at once', /came to b, c beside each other/, () => built(WELL, () => ['b', 'c'])],
  ['a Send', /came to a Send to c/, () => built(WELL, () => new Send('c', {}))],
  [
    'a tool in an edge',
    /"look" was called between two nodes/,
    () =>
      built(WELL, async () => {
        await look({});
        return 'b';
      }),
  ],
  [
    'a question of a graph within',
    /a question came out of a graph within "b"/,
    () => built(within(() => interrupt('may I?')) as never),
  ],
  [
    'a command of a graph within',
    /a command came out of a graph within "b"/,
    () => built(within(() => new Command({ graph: Command.PARENT, goto: 'c' })) as never),
  ],
];

const asked = (given: object) => ({
  status: 'parked',
  decision: {
    verdict: 'escalate',
    refusals: [{ code: 'graph_refused', ...given }],
    undo: [],
    unblock: { leadsTo: 'ask_again', acts: [{ act: 'change_graph' }] },
  },
});

test.each(kinds)('%s parks the run at once, and a graph without it goes on from there', async (_, says, wrong) => {
  const { graph, booked } = wrong();
  const options = {
    run: 'r',
    config: config as NonNullable<typeof config>,
    input: { list: [] },
    journal: memoryStore(),
  };
  const told: (readonly [string, string])[] = [];
  const first = await attachGraph(graph, {
    ...options,
    onDecision: ({ signal, error }) => void told.push([signal, error]),
  });
  await expect(first.invoke()).rejects.toMatchObject({ code: 'run_parked', message: expect.stringMatching(says) });
  expect(await first.finished()).toMatchObject(asked({ reason: expect.stringMatching(says) }));
  expect(told).toEqual([['CONTRACT_VIOLATION', expect.stringMatching(says)]]);
  await expect(first.retry({ by: 'ann' })).rejects.toMatchObject({ code: 'not_advised' });
  await first.close();

  const same = await resumeGraph(graph, options);
  await expect(same.invoke()).rejects.toMatchObject({ code: 'run_parked' });
  await same.close();

  const second = await resumeGraph(built(WELL, () => 'b', booked).graph, options);
  expect(await second.invoke()).toEqual({ list: ['a', 'b'] });
  expect([await second.finished(), booked]).toMatchObject([{ status: 'done' }, ['seat']]);
  await second.close();
});
