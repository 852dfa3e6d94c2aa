/** The errors of an attached graph: what cannot be run under Belay, or cannot be asked of a run. */
import { CodedError } from '../model/coded-error.ts';

/** The reasons why a graph is not attached, or a command to it is refused. */
export type GraphErrorCode =
  /** The graph has something that Belay could not take back or do again. */
  | 'unsupported_graph'
  /** The graph goes on, and takes a command only where it stands still. */
  | 'graph_running'
  /** An answer to a question that the graph does not ask, or not any more. */
  | 'no_question'
  /** A thread has a turn open, and was handed the input of another one. */
  | 'turn_open'
  /** A turn of the thread has that id, and another input. */
  | 'turn_differs'
  /** The turn of that id is over, and others came behind it. */
  | 'turn_over'
  /** The turn of that id was retracted. */
  | 'turn_retracted'
  /** The run stands still until a person acts. */
  | 'run_parked'
  /** A person has paused the run: it goes on once a person says so. */
  | 'paused'
  /** A person has ended the run. */
  | 'run_cancelled';

/** The graph, or a command to it, is refused. */
export class GraphError extends CodedError<GraphErrorCode> {
  override readonly name = 'GraphError';
}

/** True where LangGraph says that a graph has taken as many supersteps as it may. */
export function isGraphRecursionError(error: unknown): boolean {
  return (error as { readonly lc_error_code?: unknown } | null)?.lc_error_code === 'GRAPH_RECURSION_LIMIT';
}
