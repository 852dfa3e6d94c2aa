/** The forms of LangChain's tools and of the nodes that hold them, told by their members: nothing of LangChain is loaded for that. */
import type { Runnable, RunnableConfig } from '@langchain/core/runnables';

/** A LangChain tool, as this room uses it. `test/langgraph/members.test.ts` holds each member. */
export interface LangChainTool {
  readonly name: string;
  call(...given: unknown[]): Promise<unknown>;
  _call(
    input: unknown,
    manager: { readonly runId: string } | undefined,
    config: RunnableConfig | undefined,
  ): Promise<unknown>;
}

export interface ToolNodeLike extends Runnable {
  tools: LangChainTool[];
  func: (input: unknown, config: RunnableConfig) => unknown;
  run(input: unknown, config: RunnableConfig): unknown;
}

/** A graph within a node, as this room uses it. */
export interface GraphLike extends Runnable {
  nodes: Record<string, { bound: Runnable }>;
}

/** A runnable with a configuration around it, which `withConfig` gives. */
interface Configured extends Runnable {
  bound: Runnable;
}

export function isToolNode(bound: Runnable): bound is ToolNodeLike {
  const { tools, run, func } = bound as Partial<ToolNodeLike>;
  return Array.isArray(tools) && typeof run === 'function' && typeof func === 'function';
}

export function isGraph(bound: Runnable): bound is GraphLike {
  const { nodes, channels } = bound as Partial<GraphLike & { readonly channels: unknown }>;
  return typeof nodes === 'object' && nodes !== null && typeof channels === 'object';
}

export function isConfigured<T extends object>(given: T): given is T & Configured {
  return typeof (given as Partial<Configured>).bound?.invoke === 'function';
}

/** The class of the library's that the class of a `ToolNode` extends, or is: the topmost one that runs tools. */
export function baseOf(node: ToolNodeLike): unknown {
  let base: unknown = node.constructor;
  for (let own = Object.getPrototypeOf(node) as object | null; own !== null; own = Object.getPrototypeOf(own) as object)
    if (Object.hasOwn(own, 'run')) base = own.constructor;
  return base;
}

/** A private member in the text of a class, as JavaScript or as compilers write it. */
const PRIVATE = /\.\s*#[\w$]|#[\w$]+\s+in\s|__classPrivateField|__private(?:Get|Set|Method)\b/;

/**
 * Finds a `ToolNode` of which no guarded copy can be made: its own class has private members, which a copy would not have.
 * @returns the name of that class; null where there is none.
 */
export function withPrivateMembers(bound: Runnable | undefined): string | null {
  if (bound === undefined || bound === null) return null;
  if (isGraph(bound)) {
    for (const { bound: inner } of Object.values(bound.nodes)) {
      const found = withPrivateMembers(inner);
      if (found !== null) return found;
    }
    return null;
  }
  if (isConfigured(bound)) return withPrivateMembers(bound.bound);
  if (!isToolNode(bound)) return null;
  const base = baseOf(bound);
  for (
    let own: unknown = bound.constructor;
    typeof own === 'function' && own !== base;
    own = Object.getPrototypeOf(own)
  )
    if (PRIVATE.test(Function.prototype.toString.call(own))) return own.name || 'its class';
  return null;
}
