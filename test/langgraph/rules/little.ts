/** Little graphs for the rules of docs/semantics.md: nodes that call one tool each, a config with a unit for each node, and a counterparty that counts. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { loadConfig } from '../../../src/boundaries/load.ts';
import type { ReconcileResult } from '../../../src/effects/counterparty.ts';
import { attachGraph, type GraphOptions } from '../../../src/langgraph/graph.ts';
import { graphTool } from '../../../src/langgraph/tools/tool.ts';
import type { Report } from '../../../src/sidecar/report.ts';
import { until } from '../../poll.ts';

type Values = Readonly<Record<string, unknown>>;
type Answer = (nth: number, input: Values) => unknown;

/** A node: the channels that it reads, and what its tool is. It writes `<node>_is`, if it does nothing else. */
export interface LittleNode {
  readonly reads?: readonly string[];
  /** How its tool is declared; class none, if left out. A node without a tool says what it does. */
  readonly tool?: string;
  readonly does?: (state: Values, world: World) => Values | Promise<Values>;
  /** The channels that it writes besides its own. */
  readonly writes?: readonly string[];
  /** False where it is no unit of work, but belongs to what happens between the units. */
  readonly isUnit?: boolean;
  /** The unit that it is a node of, with others; a unit of its own, if left out. */
  readonly unit?: string;
  /** The boundaries of its unit besides the exits, each by its `at`, with the keys that it promises: one in a node certifies once `log` has answered there. */
  readonly commits?: Readonly<Record<string, string>>;
  /** The keys that its exit promises; its own, if left out. */
  readonly promises?: string;
  /** More of its rollback policy. */
  readonly rollback?: string;
}

/** The counterparty: it writes down what was done, and holds the replies that it is told to hold. */
export class World {
  readonly acts: { readonly tool: string; readonly key: string | undefined; readonly input: Values }[] = [];
  readonly undone: string[] = [];
  readonly asked: string[] = [];
  /** The nodes whose code has run, in order. */
  readonly ran: string[] = [];
  readonly #answers: Readonly<Record<string, Answer>>;
  readonly #held: Set<string>;
  readonly #waiting: { readonly tool: string; go(): void }[] = [];

  constructor(answers: Readonly<Record<string, Answer>>, held: readonly string[]) {
    this.#answers = answers;
    this.#held = new Set(held);
  }

  /** The tool of a name. Where its reply is held, it acts when it is let go, and never once it was aborted. */
  tool(name: string) {
    return graphTool(
      name,
      async ({ input, key, signal }: { input: Values; key: string | undefined; signal: AbortSignal }) => {
        if (this.#held.has(name))
          await new Promise<void>((go, drop) => {
            this.#waiting.push({ tool: name, go });
            signal.addEventListener('abort', () => drop(new Error('aborted')), { once: true });
          });
        const nth = this.count(name);
        this.acts.push({ tool: name, key, input });
        return this.#answers[name]?.(nth, input) ?? `${name}${nth}`;
      },
    );
  }

  /** Resolves once a call of a tool is under way whose reply is held. */
  at = (tool: string): Promise<void> => until(() => this.#waiting.some((each) => each.tool === tool));

  /** Lets the calls go on, those under way and those that come. */
  letGo(): void {
    this.#held.clear();
    for (const { go } of this.#waiting.splice(0)) go();
  }

  count = (tool: string): number => this.acts.filter((act) => act.tool === tool).length;
  keys = (tool: string): (string | undefined)[] => this.acts.flatMap((act) => (act.tool === tool ? [act.key] : []));

  readonly find = ({ key }: { readonly key: string }): ReconcileResult => {
    this.asked.push(key);
    const act = this.acts.find((each) => each.key === key);
    return act === undefined ? { is: 'not_applied' } : { is: 'applied', output: `${act.tool}0` };
  };
}

type Leads = (graph: StateGraph<Values, Values, Values, string>) => object;

/** Builds a graph, attaches it and sets it going. @param leads adds the edges. */
export async function graphOf(
  nodes: Readonly<Record<string, LittleNode>>,
  leads: Leads,
  {
    held = [],
    answers = {},
    more = '',
    ...options
  }: Partial<GraphOptions> & {
    readonly held?: readonly string[];
    readonly answers?: Readonly<Record<string, Answer>>;
    readonly more?: string;
  } = {},
) {
  const world = new World(answers, held);
  const names = Object.keys(nodes);
  const builder = new StateGraph(
    Annotation.Root(Object.fromEntries(names.map((name) => [`${name}_is`, Annotation<unknown>]))),
  );
  for (const [name, { reads = [], does }] of Object.entries(nodes)) {
    const tool = world.tool(name);
    const calls = async (state: Values) => ({
      [`${name}_is`]: await tool(Object.fromEntries(reads.map((key) => [key, state[key]]))),
    });
    builder.addNode(name, ((state: Values) => {
      world.ran.push(name);
      return does === undefined ? calls(state) : does(state, world);
    }) as never);
  }
  leads(builder as never);
  const reports: Report[] = [];
  const run = await attachGraph(builder.compile({ name: 'little' }), {
    run: 'r',
    config: configOf(nodes, more),
    input: {},
    undo: { un: ({ key }) => void world.undone.push(key) },
    reconcilers: { find: world.find },
    onDecision: (report) => void reports.push(report),
    ...options,
  });
  const going = run.invoke();
  going.catch(() => {});
  return {
    world,
    run,
    going,
    verdicts: () => reports.map(({ decision }) => decision.verdict),
    /** Finds what a node wrote wrong. */
    wrong: (node: string) =>
      run.fail('CONTRACT_VIOLATION', {
        instance: { skeleton: unitOf(node, nodes[node]), entity: 'it' },
        key: `${node}_is`,
      }),
    /** Lets everything go on. @returns the state at the end, or the error of the run that is parked. */
    async ends(): Promise<Values | Error> {
      world.letGo();
      const ended = await run.invoke().catch((error: Error) => error);
      await run.close();
      return ended;
    },
  };
}

function configOf(nodes: Readonly<Record<string, LittleNode>>, more: string) {
  const entries = Object.entries(nodes);
  const tools = ['log: { reads: [], writes: [], effect: none }']
    .map((line) => `  ${line}`)
    .concat(
      entries.flatMap(([name, { does, tool = 'effect: none' }]) =>
        does === undefined || tool !== 'effect: none' ? [`  ${name}: { reads: [], writes: [], ${tool} }`] : [],
      ),
    );
  const inUnits = entries.filter(([, { isUnit }]) => isUnit !== false);
  const units = new Set(inUnits.map(([name, node]) => unitOf(name, node)));
  const skeletons = [...units].map((unit) =>
    skeletonText(
      unit,
      inUnits.filter(([name, node]) => unitOf(name, node) === unit),
    ),
  );
  const text = `belay: 1\nagent: little\n${more}\ntools:\n${tools.join('\n')}\nskeletons:\n${skeletons.join('\n')}\n`;
  const { config, findings } = loadConfig(text, { file: 'little.yaml' });
  if (config === null)
    throw new Error(`${findings.map(({ line, message }) => `${line}: ${message}`).join('\n')}\n${text}`);
  return config;
}

function unitOf(name: string, node: LittleNode | undefined): string {
  return node?.unit ?? name.toUpperCase();
}

function skeletonText(unit: string, nodes: readonly (readonly [string, LittleNode])[]): string {
  const names = nodes.map(([name]) => name);
  const outputs = nodes.flatMap(([name, { writes = [] }]) => [`${name}_is`, ...writes]);
  const more = nodes.flatMap(([, { rollback }]) => rollback ?? []);
  const commits = nodes.flatMap(([, node]) => Object.entries(node.commits ?? {}));
  const told = commits.map(([at, promises], nth) => {
    const when = at.includes('->') ? 'true' : 'action == "log" && event.type != "graph.call"';
    return `{ id: commit-${nth}, at: ${at}, when: '${when}', outputs: [${promises}] }`;
  });
  const exits = nodes.map(
    ([name, { promises = `${name}_is` }]) =>
      `{ id: ${name}-done, at: ${name} -> end, when: 'true', outputs: [${promises}] }`,
  );
  const anchors = [...told.map((_, nth) => `commit-${nth}`), ...names.map((name) => `${name}-done`)];
  return `  ${unit}:
    entity: '"it"'
    states: [${names}]
    entry: [${names[0]}]
    outputs: ${JSON.stringify(outputs)}${told.length > 0 ? `\n    commit: [${told.join(', ')}]` : ''}
    exit: [${exits.join(', ')}]
    rollback: { anchors: [${anchors}], resume: ${[names[0], ...more].join(', ')} }`;
}

/** Adds edges from one node to the next. */
export const line =
  (...names: string[]): Leads =>
  (graph) => {
    for (const [nth, name] of names.entries()) graph.addEdge((names[nth - 1] ?? '__start__') as never, name as never);
    return graph;
  };

/** Answers wrong the first time, and right from then on. */
export const once: Answer = (nth) => (nth === 0 ? 'bad' : 'good');
