/**
 * The tools of a `ToolNode`, each called through the run, also where it is a node of a graph within a node, or configured. Copies of the nodes and
 * of their tools do so; those that are given are not touched.
 */
import { Runnable, type RunnableConfig } from '@langchain/core/runnables';
import { caller } from './tool.ts';

/** A LangChain tool, as this room uses it. `test/langgraph/members.test.ts` holds each member. */
interface LangChainTool {
  readonly name: string;
  _call(input: unknown, manager: unknown, config: RunnableConfig | undefined): Promise<unknown>;
}

interface ToolNodeLike extends Runnable {
  tools: LangChainTool[];
  func: (input: unknown, config: RunnableConfig) => unknown;
  run(input: unknown, config: RunnableConfig): unknown;
}

/** A graph within a node, as this room uses it. */
interface GraphLike extends Runnable {
  nodes: Record<string, { bound: Runnable }>;
}

/** A runnable with a configuration around it, which `withConfig` gives. */
interface Configured extends Runnable {
  bound: Runnable;
}

/** The name under which a tool finds its idempotency key in `config.configurable`. */
const KEY = 'idempotency_key';

/** A node whose tools are guarded, where it is a `ToolNode` or has one in it; the node itself else. */
export function guardTools(bound: Runnable): Runnable {
  if (isGraph(bound)) return guardGraph(bound);
  if (isConfigured(bound)) {
    const inner = guardTools(bound.bound);
    return inner === bound.bound ? bound : like(bound, { bound: inner });
  }
  if (!isToolNode(bound)) return bound;
  const copy = Object.assign(made(bound), bound);
  copy.tools = bound.tools.map(guarded);
  copy.func = (input, config) => copy.run(input, config);
  return copy;
}

function guardGraph(graph: GraphLike): Runnable {
  const nodes = Object.entries(graph.nodes).map(([name, node]) => {
    const bound = guardTools(node.bound);
    return [name, bound === node.bound ? node : like(node, { bound })] as const;
  });
  if (nodes.every(([name, node]) => node === graph.nodes[name])) return graph;
  const copy = graph.withConfig({}) as GraphLike;
  copy.nodes = Object.fromEntries(nodes);
  return copy;
}

function like<T extends object>(given: T, more: Partial<T>): T {
  return Object.assign(Object.create(Object.getPrototypeOf(given)) as T, given, more);
}

/** A node of the same class. LangChain's has private methods, which only its constructor gives; that of a subclass may want anything. */
function made(node: ToolNodeLike): ToolNodeLike {
  let base: unknown = node.constructor;
  for (let own = Object.getPrototypeOf(node) as object | null; own !== null; own = Object.getPrototypeOf(own) as object)
    if (Object.hasOwn(own, 'run')) base = own.constructor;
  return Reflect.construct(base as () => void, [node.tools], node.constructor as () => void) as ToolNodeLike;
}

function guarded(tool: LangChainTool): LangChainTool {
  if (isConfigured(tool)) return like(tool, { bound: guardedLast(tool.name, tool.bound) } as object);
  if (typeof tool._call !== 'function') return tool;
  const copy = like(tool, {});
  copy._call = (input, manager, config) =>
    called(tool.name, input, config, (counts, own) => tool._call(counts, manager, own));
  return copy;
}

/** Has a tool act through the run, with its key in its config; as it is, where the graph runs by itself. */
function called<TConfig extends RunnableConfig | undefined>(
  name: string,
  input: unknown,
  config: TConfig,
  act: (input: unknown, config: TConfig | RunnableConfig) => Promise<unknown>,
): Promise<unknown> {
  const node = caller.getStore();
  if (node === undefined) return act(input, config);
  return node.call(name, input, ({ input: counts, key, signal }) => {
    const configurable = { ...config?.configurable, ...(key !== undefined && { [KEY]: key }) };
    return act(counts, { ...config, signal, configurable });
  });
}

/** A runnable that was made a tool by `asTool()` is the last of a sequence, behind what checks its arguments. */
function guardedLast(tool: string, bound: Runnable): Runnable {
  if (isConfigured(bound)) return like(bound, { bound: guardedLast(tool, bound.bound) } as object);
  const { last } = bound as Partial<{ readonly last: Runnable }>;
  if (last === undefined) return new GuardedRunnable(tool, bound);
  return like(bound, { last: new GuardedRunnable(tool, last) } as object);
}

class GuardedRunnable extends Runnable {
  lc_namespace = ['belay', 'langgraph'];
  readonly #tool: string;
  readonly #bound: Runnable;

  constructor(tool: string, bound: Runnable) {
    super();
    this.#tool = tool;
    this.#bound = bound;
  }

  override invoke(input: unknown, config?: RunnableConfig): Promise<unknown> {
    return called(this.#tool, input, config, (counts, own) => this.#bound.invoke(counts, own));
  }
}

function isToolNode(bound: Runnable): bound is ToolNodeLike {
  const { tools, run, func } = bound as Partial<ToolNodeLike>;
  return Array.isArray(tools) && typeof run === 'function' && typeof func === 'function';
}

function isGraph(bound: Runnable): bound is GraphLike {
  const { nodes, channels } = bound as Partial<GraphLike & { readonly channels: unknown }>;
  return typeof nodes === 'object' && nodes !== null && typeof channels === 'object';
}

function isConfigured<T extends object>(given: T): given is T & Configured {
  return typeof (given as Partial<Configured>).bound?.invoke === 'function';
}
