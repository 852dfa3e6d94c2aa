/** The tools of an agent, as the nodes of a graph call them. */
import type { OpenAgent } from 'belay-sidecar';
import { graphTool } from 'belay-sidecar/langgraph';
import { callsOf } from '../substrate.ts';

/** Functions by the names of the tools, with what each takes and answers. */
export type ToolsOf<TTypes> = {
  readonly [Name in keyof TTypes]: TTypes[Name] extends { readonly input: infer TInput; readonly output: infer TOutput }
    ? (input: TInput) => Promise<TOutput>
    : never;
};

/** The tools of a machine: under Belay they are guarded, and in a graph that runs by itself they are called as they are. */
export function toolsOf<TTypes>(machine: OpenAgent['machine']): ToolsOf<TTypes> {
  const tools = Object.entries(callsOf(machine)).map(([name, call]) => [name, graphTool(name, call)]);
  return Object.fromEntries(tools) as ToolsOf<TTypes>;
}
