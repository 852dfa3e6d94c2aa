/**
 * The shape of a compiled graph, for a config to be checked against: its nodes as states, each entered from anywhere and left to the end. Reads
 * the structure alone, runs nothing of it but its reducers, and loads nothing of LangGraph.
 */
import { createHash } from 'node:crypto';
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { MachineShape, StateShape } from '../model/machine.ts';
import { BEGIN, END, stateOf } from '../runtime/lanes.ts';
import { appendedChannels } from './appended.ts';
import type { ProjectOptions } from './beside/project.ts';
import type { Graph } from './copy.ts';
import { edgesFor } from './line/edges.ts';
import { stateChannels, whyUnsupported } from './refusals/support.ts';

/** A compiled graph, as a config sees it. */
export interface GraphFacts {
  readonly shape: MachineShape;
  /** The shape as a config sees it: control goes on within its units over several nodes. */
  shapeFor(config: BoundaryConfig): MachineShape;
  /** Tells why the graph cannot be attached; empty where it can. */
  unsupported(config: BoundaryConfig): readonly string[];
  /** Writes the checkpointer of the graph anew from the journal of a thread. @returns how many checkpoints were written. */
  project(options: ProjectOptions): Promise<number>;
}

/** The facts of a value, where it is a compiled graph; null else. */
export function graphFacts(value: unknown): GraphFacts | null {
  if (!isGraph(value)) return null;
  return {
    shape: shapeOf(value, null),
    shapeFor: (config) => shapeOf(value, config),
    unsupported: (config) => whyUnsupported(value, config),
    project: async (options) => (await import('./beside/project.ts')).projectThread(value, options),
  };
}

function shapeOf(graph: Graph, config: BoundaryConfig | null): MachineShape {
  const nodes = Object.keys(graph.nodes).filter((name) => !name.startsWith('__'));
  const states: StateShape[] = [
    state('', 'compound', BEGIN),
    // Control is there before the first node; no work is done in it.
    state(BEGIN, 'compound'),
    ...nodes.map((name) => state(stateOf(name), 'atomic', null, toolsOf(graph.nodes[name]?.bound))),
    state(END, 'final'),
  ];
  const edges = edgesFor(graph, nodes, config);
  const tools = new Set(states.flatMap(({ invokes }) => invokes.flatMap(({ tool }) => tool ?? [])));
  const actors = [...tools].map((name) => ({ name, kind: 'promise', takesKey: true }) as const);
  const digest = createHash('sha256')
    .update(JSON.stringify([states, edges]))
    .digest('hex');
  return {
    id: graph.getName(),
    states,
    edges,
    actors,
    digest,
    channels: stateChannels(graph),
    appended: appendedChannels(graph),
  };
}

function state(
  path: string,
  type: StateShape['type'],
  initial: string | null = null,
  tools: readonly string[] = [],
): StateShape {
  return { path, type, initial, invokes: tools.map((tool) => ({ id: tool, tool })), delayed: false };
}

/** The tools of a `ToolNode`, and of those in a graph within a node; what a function calls cannot be seen. */
function toolsOf(bound: unknown): readonly string[] {
  const { tools, bound: inner, nodes } = (bound ?? {}) as Partial<Record<'tools' | 'bound' | 'nodes', unknown>>;
  const within = isRecord(nodes) ? Object.values(nodes as Graph['nodes']).map((node) => node.bound) : [];
  const own = Array.isArray(tools) ? (tools as { readonly name?: unknown }[]).map(({ name }) => name) : [];
  const named = [...own, ...[...within, inner].filter(isRecord).flatMap(toolsOf)];
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

function isGraph(value: unknown): value is Graph {
  if (typeof value !== 'object' || value === null) return false;
  const { nodes, channels, getName, withConfig } = value as Partial<Graph>;
  const isTold = typeof getName === 'function' && typeof withConfig === 'function';
  return isTold && isRecord(nodes) && isRecord(channels);
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
