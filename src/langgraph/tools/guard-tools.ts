/**
 * The tools of a `ToolNode`, each called through the run, also where it is a node of a graph within a node, or configured. Copies of the nodes and
 * of their tools do so; those that are given are not touched.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Runnable, type RunnableConfig } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';
import { caller } from './tool.ts';
import {
  baseOf,
  type GraphLike,
  isConfigured,
  isGraph,
  isToolNode,
  type LangChainTool,
  type ToolNodeLike,
} from './tool-node.ts';

/** True in the call of a guarded tool until the tool acts: the guard does not cover the tools that this tool calls. */
export const guarding = new AsyncLocalStorage<boolean>();

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
  return Reflect.construct(baseOf(node) as () => void, [node.tools], node.constructor as () => void) as ToolNodeLike;
}

function guarded(tool: LangChainTool): LangChainTool {
  if (isConfigured(tool)) return like(tool, { bound: guardedLast(tool.name, tool.bound) } as object);
  if (typeof tool._call !== 'function') return tool;
  const copy = like(tool, {});
  copy.call = (...given) => guarding.run(true, () => tool.call.apply(copy, given));
  copy._call = (input, manager, config) =>
    called(tool.name, input, config, manager?.runId ?? null, (counts, own) => tool._call(counts, manager, own));
  return copy;
}

/**
 * Has a tool act through the run, with its key in its config; as it is, where the graph runs by itself.
 * @param runId LangChain's id of the call, where it has one.
 */
function called<TConfig extends RunnableConfig | undefined>(
  name: string,
  input: unknown,
  config: TConfig,
  runId: string | null,
  act: (input: unknown, config: TConfig | RunnableConfig) => Promise<unknown>,
): Promise<unknown> {
  const node = caller.getStore();
  if (node === undefined) return act(input, config);
  return node.call(name, input, ({ input: counts, key, signal }) => {
    const configurable = key === undefined ? config?.configurable : keyed(config?.configurable, key, runId);
    return guarding.run(false, () =>
      act(counts, { ...config, signal, ...(configurable !== undefined && { configurable }) }),
    );
  });
}

/**
 * The settings of a call with its key, which its tool alone can read: LangChain hands settings down to all that a tool calls, copied or as they are. A copy
 * has no member that is not enumerable, and what runs in another call than this one reads nothing.
 */
function keyed(configurable: object | undefined, key: string, runId: string | null) {
  const around = runningIn();
  const get = () => {
    const now = runningIn();
    return runId === null || now === runId || now === around ? key : undefined;
  };
  return Object.defineProperty({ ...configurable }, KEY, { get, configurable: true, enumerable: false });
}

/** LangChain's id of the call in which the code runs. */
function runningIn(): string | undefined {
  const config = AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
  return (config?.callbacks as { readonly _parentRunId?: string } | undefined)?._parentRunId;
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
    return called(this.#tool, input, config, null, (counts, own) => this.#bound.invoke(counts, own));
  }
}
