/** The tools of a `ToolNode`, each called through the run. Copies of the node and of its tools do so; those that are given are not touched. */
import type { Runnable, RunnableConfig } from '@langchain/core/runnables';
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

/** The name under which a tool finds its idempotency key in `config.configurable`. */
const KEY = 'idempotency_key';

/** A node whose tools are guarded, where it is a `ToolNode`; the node itself else. */
export function guardTools(bound: Runnable): Runnable {
  if (!isToolNode(bound)) return bound;
  const copy = Object.assign(made(bound), bound);
  copy.tools = bound.tools.map(guarded);
  copy.func = (input, config) => copy.run(input, config);
  return copy;
}

/** A node of the same class. LangChain's has private methods, which only its constructor gives; that of a subclass may want anything. */
function made(node: ToolNodeLike): ToolNodeLike {
  let base: unknown = node.constructor;
  for (let own = Object.getPrototypeOf(node) as object | null; own !== null; own = Object.getPrototypeOf(own) as object)
    if (Object.hasOwn(own, 'run')) base = own.constructor;
  return Reflect.construct(base as () => void, [node.tools], node.constructor as () => void) as ToolNodeLike;
}

function guarded(tool: LangChainTool): LangChainTool {
  if (typeof tool._call !== 'function') return tool;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(tool)) as LangChainTool, tool);
  copy._call = (input, manager, config) => {
    const node = caller.getStore();
    if (node === undefined) return tool._call(input, manager, config);
    return node.call(tool.name, input, ({ input: counts, key, signal }) => {
      const keyed = { ...config?.configurable, ...(key !== undefined && { [KEY]: key }) };
      return tool._call(counts, manager, { ...config, signal, configurable: keyed });
    });
  };
  return copy;
}

function isToolNode(bound: Runnable): bound is ToolNodeLike {
  const { tools, run, func } = bound as Partial<ToolNodeLike>;
  return Array.isArray(tools) && typeof run === 'function' && typeof func === 'function';
}
