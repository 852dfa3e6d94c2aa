/** Tools of a graph: functions that a node calls, guarded where the graph runs under Belay (semantics.md E1, E3). */

import { AsyncLocalStorage } from 'node:async_hooks';
import { CODE, NAME, refuseOther } from '../../model/argument.ts';
import type { Act, ToolCall } from '../../runtime/tool-call.ts';
import { GraphError } from '../graph-error.ts';

/** A node that is running, as the tools in it see it. */
export interface Caller {
  call(tool: string, input: unknown, act: Act): Promise<unknown>;
}

/** The node in which the code runs. */
export const caller = new AsyncLocalStorage<Caller>();

/** The graph around its nodes: an edge that calls a tool has no unit whose act that is. */
export const BETWEEN_NODES: Caller = {
  async call(tool) {
    const text = `The tool "${tool}" was called between two nodes, in an edge say, where no unit acts. Call it in a node.`;
    throw new GraphError('unsupported_graph', text);
  },
};

/**
 * Makes a tool of a function, to be called in a node. Under Belay its calls are guarded under its name in the config.
 * In a graph without Belay the function is called directly, without a key.
 * @example
 * import { graphTool } from 'belay-sidecar/langgraph';
 *
 * const greet = graphTool('greet', async ({ input }: { input: string }) => `hello ${input}`);
 * assert.equal(await greet('you'), 'hello you');
 */
export function graphTool<TInput, TOutput>(
  name: string,
  act: (call: ToolCall<TInput>) => Promise<TOutput>,
): (input: TInput) => Promise<TOutput> {
  refuseOther('graphTool', { name: [name, NAME], act: [act, CODE] });
  return async (input) => {
    const node = caller.getStore();
    if (node === undefined) return act({ input, key: undefined, signal: new AbortController().signal });
    return (await node.call(name, input, act as Act)) as TOutput;
  };
}
