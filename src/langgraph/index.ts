/** Graphs of LangGraph under the sidecar (`belay-sidecar/langgraph`). */

export type { TurnOptions } from '../runtime/turns.ts';
export { type BelayedGraph, type BelayedOptions, belayed, type ThreadConfig } from './belayed.ts';
export { type ProjectOptions, projectThread } from './beside/project.ts';
export {
  type AttachedGraph,
  attachGraph,
  type EnteredProgram,
  type GraphOptions,
  graphThreads,
  resumeGraph,
  type StreamOptions,
} from './graph.ts';
export { GraphError, type GraphErrorCode } from './graph-error.ts';
export { graphTool } from './tools/tool.ts';
