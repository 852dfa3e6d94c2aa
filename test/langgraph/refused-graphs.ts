/** Graphs that are refused as they run, each of another kind, and one that is built well. */
import { Annotation, Command, interrupt, Send, StateGraph } from '@langchain/langgraph';
import { loadConfig } from '../../src/boundaries/load.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const State = Annotation.Root({
  list: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
});
type Builder = StateGraph<typeof State.spec, typeof State.State, typeof State.Update, string>;

/** The node `a` books, and a unit goes from it to a second node. */
export const config = loadConfig(
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
export function built(b: () => unknown, leads: () => unknown = () => 'b', booked: string[] = []) {
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

export const WELL = () => ({ list: ['b'] });

/** A graph within that does what is given in its one node. */
const within = (does: () => unknown) =>
  new StateGraph(State)
    .addNode('x', does as never)
    .addEdge('__start__', 'x')
    .compile();

const look = graphTool('look', async () => 'seen');

export const kinds: readonly (readonly [what: string, says: RegExp, wrong: () => ReturnType<typeof built>])[] = [
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
