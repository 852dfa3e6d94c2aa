/** A small thread as a graph of LangGraph's, and its config. */
import { Annotation, interrupt, StateGraph } from '@langchain/langgraph';
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import { graphTool } from '../../../src/langgraph/tools/tool.ts';
import type { ToolCall } from '../../../src/runtime/tool-call.ts';
import type { Case } from './cases.ts';
import type { Args } from './world.ts';

type Act = (tool: string, call: ToolCall<Args>) => Promise<string>;
type Values = Readonly<Record<string, unknown>>;

/** The graph: each turn leads to one node, which may read what the first one wrote. */
export function graphOf({ thread: { nodes }, act: turnAct }: Pick<Case, 'thread' | 'act'>, act: Act): object {
  const keys = nodes.map((_, nth) => [`k${nth}`, Annotation<string>]);
  const State = Annotation.Root({
    go: Annotation<string>,
    note: Annotation<string>,
    other: Annotation<string>,
    heard: Annotation<string>,
    log: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
    ...Object.fromEntries(keys),
  });
  const builder = new StateGraph(State) as unknown as {
    addNode(name: string, node: (state: Values) => Promise<Values | undefined>): void;
    addEdge(from: string, to: string): void;
    addConditionalEdges(from: string, by: (state: Values) => string, to: string[]): void;
    compile(options: object): object;
  };
  for (const [nth, { reads, asks }] of nodes.entries()) {
    const tool = graphTool(`n${nth}`, (call: ToolCall<Args>) => act(`n${nth}`, call));
    builder.addNode(`n${nth}`, async (state) => {
      const price = reads ? ((state.k0 as string | undefined) ?? null) : null;
      const may = asks === 'before' ? (interrupt(`may n${nth}?`) as string) : undefined;
      const said = turnAct === undefined ? {} : { note: state.note as string, ...(may !== undefined && { may }) };
      const answer = await tool({ price, ...said });
      return { [`k${nth}`]: answer, log: [answer] };
    });
  }
  const names = nodes.map((_, nth) => `n${nth}`);
  if (nodes.some(({ asks }) => asks === 'behind')) builder.addNode('q', async () => ({ heard: interrupt('well?') }));
  for (const [nth, { asks }] of nodes.entries()) builder.addEdge(`n${nth}`, asks === 'behind' ? 'q' : '__end__');
  builder.addConditionalEdges('__start__', ({ go }) => go as string, names);
  return builder.compile({ name: 'thread' });
}

/** Configs are read once. */
const configs = new Map<string, BoundaryConfig>();

/** The config of a thread. */
export function configOf({ thread, setting }: Pick<Case, 'thread' | 'setting'>): BoundaryConfig {
  const joint = setting === 'rewritten jointly' ? `, joint: [${thread.nodes.map((_, nth) => `N${nth}`)}]` : '';
  const text = [
    'belay: 1\nagent: thread\ntries: 50\nkeys: { append: [log] }\ntools:',
    ...thread.nodes.map(({ class: effect }, nth) => {
      const undo = effect === 'reversible' ? ', undo: undo' : '';
      const ask = effect === 'none' ? '' : ', reconcile: { ask: find, tries: 3, wait: 1ms }';
      return `  n${nth}: { reads: [], writes: [], effect: ${effect}${undo}${ask} }`;
    }),
    'skeletons:',
    ...thread.nodes.map(
      (_, nth) => `  N${nth}:
    entity: '"it"'
    states: [n${nth}]
    entry: [n${nth}]
    outputs: [k${nth}, log]
    exit: [{ id: over${nth}, at: n${nth} -> end, when: 'true', outputs: [k${nth}] }]
    rollback: { anchors: [over${nth}], resume: n${nth}, compensable: undo, tries: 20${joint} }`,
    ),
    '',
  ].join('\n');
  const known = configs.get(text);
  if (known !== undefined) return known;
  const { config, findings } = loadConfig(text, { file: 'thread.yaml' });
  if (config === null) throw new Error(`${findings.map(({ message }) => message)}\n${text}`);
  configs.set(text, config);
  return config;
}
