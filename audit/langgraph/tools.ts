/** The tools of an agent, as the nodes of a graph call them. */
import { graphTool } from 'belay-sidecar/langgraph';
import type { ToolCalls } from '../substrate.ts';

/** Functions by the names of the tools, with what each takes and answers. */
export type ToolsOf<TTypes> = {
  readonly [Name in keyof TTypes]: TTypes[Name] extends { readonly input: infer TInput; readonly output: infer TOutput }
    ? (input: TInput) => Promise<TOutput>
    : never;
};

/** The tools, by how they are called: under Belay they are guarded, and in a graph that runs by itself they are called as they are. */
export function toolsOf<TTypes>(calls: ToolCalls): ToolsOf<TTypes> {
  const tools = Object.entries(calls).map(([name, call]) => [name, graphTool(name, call)]);
  return Object.fromEntries(tools) as ToolsOf<TTypes>;
}
