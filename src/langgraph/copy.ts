/**
 * A copy of a compiled graph whose nodes are watched. The graph that is given is not touched, and neither are its
 * nodes.
 */
import { Runnable, type RunnableConfig } from '@langchain/core/runnables';
import type { BaseChannel, BaseCheckpointSaver, Pregel } from '@langchain/langgraph';
import { stateOf } from '../runtime/lanes.ts';
import { keptChannels } from './checkpoint/untracked.ts';
import { guardTools } from './tools/guard-tools.ts';

/** A node of a compiled graph, as this room uses it. */
interface GraphNode {
  bound: Runnable;
  triggers: string[];
  writers: Runnable[];
  subgraphs?: Runnable[];
  readonly retryPolicy?: unknown;
  readonly cachePolicy?: unknown;
  readonly timeout?: unknown;
  readonly isErrorHandler?: boolean;
  readonly errorHandlerNode?: string;
}

/** A compiled graph, as this room uses it. `test/langgraph/members.test.ts` holds each member. */
export interface Graph {
  nodes: Record<string, GraphNode>;
  channels: Readonly<Record<string, BaseChannel>>;
  checkpointer?: BaseCheckpointSaver | boolean;
  /** The settings that `withConfig` has given it. */
  readonly config?: RunnableConfig;
  readonly builder?: {
    readonly edges: Iterable<readonly [string, string]>;
    readonly waitingEdges?: Iterable<readonly [readonly string[], string]>;
    readonly branches: Readonly<
      Record<string, Readonly<Record<string, { readonly ends?: Readonly<Record<string, string>> }>>>
    >;
    readonly nodes?: Readonly<Record<string, { readonly ends?: readonly string[] }>>;
  };
  readonly store?: unknown;
  readonly cache?: unknown;
  readonly stepTimeout?: number;
  readonly retryPolicy?: unknown;
  readonly interruptBefore?: readonly string[] | '*';
  readonly interruptAfter?: readonly string[] | '*';
  readonly outputChannels: string | readonly string[];
  getName(): string;
  withConfig(config: RunnableConfig): Graph;
  stream(input: unknown, options: object): Promise<AsyncIterable<unknown>>;
  getState: Pregel<never, never>['getState'];
}

/** Runs a node that LangGraph invokes. */
export type Invoke = (node: string, bound: Runnable, input: unknown, config: RunnableConfig) => Promise<unknown>;

/** The node by which a graph takes its input; it runs no code of the user's. */
const START = '__start__';

/** A copy of a graph whose channels are all in its checkpoints. */
export function keptCopy(graph: Graph): Graph {
  const copy = graph.withConfig({});
  copy.channels = keptChannels(graph.channels);
  return copy;
}

/** Gives the edges behind a node a config by which they are seen to read the state. */
export type Lead = (config: RunnableConfig) => RunnableConfig;

/** A watched copy of a graph, with a checkpointer of its own. @param lead watches the edges, too. */
export function watchedCopy(graph: Graph, saver: BaseCheckpointSaver, invoke: Invoke, lead: Lead | null = null): Graph {
  const copy = graph.withConfig({});
  copy.checkpointer = saver;
  copy.nodes = Object.fromEntries(
    Object.entries(graph.nodes).map(([name, node]) => {
      const own = Object.assign(Object.create(Object.getPrototypeOf(node)) as GraphNode, node);
      if (name === START) return [name, own];
      own.subgraphs = node.subgraphs?.length ? node.subgraphs : [node.bound];
      own.bound = new WatchedNode(name, guardTools(node.bound), invoke);
      if (lead !== null) own.writers = node.writers.map((writer) => new WatchedEdge(writer, lead));
      return [name, own];
    }),
  );
  return copy;
}

/**
 * Has edges of a watched copy lead to some nodes alone, so that a superstep which is entered again has its former
 * tasks. LangGraph looks at all channels when it is entered, and at the channels of the step before while it runs: on
 * entering, an overtaken join would start its node once more.
 * @param wanted the states of these nodes.
 * @returns has edges lead to all nodes again.
 */
export function leadingTo({ nodes }: Graph, wanted: ReadonlySet<string>): () => void {
  const others = Object.entries(nodes).flatMap(([name, node]) => (wanted.has(stateOf(name)) ? [] : [node]));
  const triggers = others.map((node) => node.triggers);
  for (const node of others) node.triggers = [];
  return () => {
    for (const [nth, node] of others.entries()) node.triggers = triggers[nth] ?? [];
  };
}

class WatchedNode extends Runnable {
  lc_namespace = ['belay', 'langgraph'];
  readonly #node: string;
  readonly #bound: Runnable;
  readonly #invoke: Invoke;

  constructor(node: string, bound: Runnable, invoke: Invoke) {
    super();
    this.#node = node;
    this.#bound = bound;
    this.#invoke = invoke;
  }

  override invoke(input: unknown, config: RunnableConfig = {}): Promise<unknown> {
    return this.#invoke(this.#node, this.#bound, input, config);
  }
}

/** A writer behind a node, of its output or of where an edge leads, whose reads of the state are seen. */
class WatchedEdge extends Runnable {
  lc_namespace = ['belay', 'langgraph'];
  readonly #writer: Runnable;
  readonly #lead: Lead;

  constructor(writer: Runnable, lead: Lead) {
    super();
    this.#writer = writer;
    this.#lead = lead;
  }

  override invoke(input: unknown, config: RunnableConfig = {}): Promise<unknown> {
    return this.#writer.invoke(input, this.#lead(config));
  }
}
