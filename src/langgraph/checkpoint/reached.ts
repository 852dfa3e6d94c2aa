/** The checkpoint of LangGraph's at which a run of a graph stands, by its context. */
import type { Checkpoint } from '@langchain/langgraph';
import { laneNamed, stateOf } from '../../runtime/lanes.ts';
import type { Graph } from '../copy.ts';
import { checkpointAt, checkpointBetween, checkpointOf, type Memory, OWN } from './memory.ts';

/** A checkpoint, and the number of its superstep. */
export interface Reached {
  readonly checkpoint: Checkpoint;
  readonly step: number;
}

/** The checkpoint at which a context stands; null before the first superstep. */
export function reachedIn(
  { graph, channels }: { readonly graph: Pick<Graph, 'nodes'>; readonly channels: readonly string[] },
  memory: Memory,
): Reached | null {
  const { at, turn, lanes = {} } = memory[OWN];
  if (turn === undefined) return at === undefined ? null : { checkpoint: checkpointOf(at), step: at.step };
  const values = valuesOf(memory, channels);
  const [lane] = Object.keys(lanes).map(laneNamed);
  if (lane === undefined) return { checkpoint: checkpointBetween(turn, values), step: turn.step };
  const [, node] = Object.entries(graph.nodes).find(([name]) => stateOf(name) === lane.node) ?? [];
  return { checkpoint: checkpointAt(turn, values, node?.triggers[0] ?? ''), step: turn.step };
}

/** The values of channels in a context. */
export function valuesOf(memory: Memory, channels: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(channels.flatMap((name) => (name in memory ? [[name, memory[name]]] : [])));
}
