/**
 * Calls the tools of a `ToolNode` through the run, also if the `ToolNode` is configured or lies in a graph within a
 * node. It makes copies of nodes and tools, and leaves the given ones unchanged.
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

/** A copy of a node with guarded tools, if it is or contains a `ToolNode`; else the node itself. */
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

/**
 * A node of the same class. It runs LangChain's own constructor, which alone gives the private methods: the constructor
 * of a subclass may need other arguments.
 */
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
 * Calls a tool through the run, with its idempotency key in its config; without a run, calls it directly.
 * @param runId LangChain's id of the call; null if it has none.
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
 * The settings of a call with its idempotency key, which only the tool itself can read. LangChain hands settings on to
 * everything that a tool calls, as a copy or as the same object. A copy lacks the key, which is not enumerable; in the
 * same object, code of another call reads undefined.
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

/** Guards a runnable that `asTool()` made a tool: the last of a sequence, behind the check of its arguments. */
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
