/** The edges of a compiled graph, by the states of its nodes: as far as its structure tells where they lead. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import type { EdgeShape } from '../../model/machine.ts';
import { BEGIN, END, stateOf } from '../../runtime/lanes.ts';
import type { Graph } from '../copy.ts';
import { ofSeveralNodes, Units } from './units.ts';

type Structure = Pick<Graph, 'nodes' | 'builder'>;

/**
 * The edges of a graph to a config. Control comes to a node from between the units, and goes there from it; within a skeleton over several
 * nodes it goes from node to node.
 */
export function edgesFor(graph: Structure, nodes: readonly string[], config: BoundaryConfig | null): EdgeShape[] {
  const states = nodes.map(stateOf);
  const several = config === null ? [] : ofSeveralNodes(config, new Set(states));
  const leads = (from: string, to: string) => waysFrom(graph, from)?.has(to) !== false;
  return nodes.flatMap((name) => {
    const state = stateOf(name);
    const others = several.find((skeleton) => skeleton.states.includes(state))?.states ?? [];
    const isOwn = (other: string) => others.includes(stateOf(other));
    const outside = [...nodes, '__start__'].filter((other) => !isOwn(other));
    const isEntered = others.length === 0 || outside.some((from) => leads(from, state));
    const isLeft = others.length === 0 || [...outside.map(stateOf), END].some((to) => leads(name, to));
    const within = nodes.filter((other) => isOwn(other) && leads(name, stateOf(other)));
    return [
      ...(isEntered ? [edge(BEGIN, state, 'graph.task')] : []),
      ...within.map((to) => edge(state, stateOf(to), 'graph.next')),
      ...(isLeft ? [edge(state, END, 'graph.done')] : []),
    ];
  });
}

function edge(from: string, to: string, event: string): EdgeShape {
  return { from, to, event, guarded: false };
}

/** The states to which the edges from a node lead; null where its structure does not tell: an edge does not say, or nothing but its function decides. */
function waysFrom({ builder }: Structure, node: string): ReadonlySet<string> | null {
  const edges = [...(builder?.edges ?? [])].flatMap(([from, to]) => (from === node ? [to] : []));
  const branches = Object.values(builder?.branches[node] ?? {}).map(({ ends }) => ends);
  const ends = builder?.nodes?.[node]?.ends ?? [];
  if (branches.includes(undefined) || edges.length + branches.length + ends.length === 0) return null;
  const chosen = branches.flatMap((each) => Object.values(each ?? {}));
  return new Set([...edges, ...chosen, ...ends].map((to) => (to === '__end__' ? END : stateOf(to))));
}

/** The units of a config over several nodes of a graph; null where each unit is one node. */
export function unitsOf(config: BoundaryConfig, graph: Structure): Units | null {
  const skeletons = ofSeveralNodes(config, new Set(Object.keys(graph.nodes).map(stateOf)));
  return skeletons.length === 0 ? null : new Units(skeletons, (state) => choicesAt(graph, state));
}

/** The states that the conditional edges behind a node may choose; those of all nodes, where an edge does not say. */
function choicesAt({ nodes, builder }: Structure, state: string): string[] {
  const branches = Object.entries(builder?.branches ?? {}).flatMap(([from, by]) =>
    stateOf(from) === state ? Object.values(by) : [],
  );
  return branches.flatMap(({ ends }) => (ends === undefined ? Object.keys(nodes) : Object.values(ends)).map(stateOf));
}
