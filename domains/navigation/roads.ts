/** The roads: a weighted graph of one district. A road has two weights, the minutes and the kilometres that it takes. */
import { UndirectedGraph } from 'graphology';
import { dijkstra } from 'graphology-shortest-path';
import { there } from '../there.ts';

/** The criteria of a route. */
export type Weight = 'minutes' | 'km';

/** A way from one node to another. */
export interface Way {
  readonly nodes: readonly string[];
  readonly minutes: number;
  readonly km: number;
}

/** By road from the lake to the bridge it is shorter past the abbey, and faster over the junction. */
const ROADS: readonly (readonly [from: string, to: string, minutes: number, km: number])[] = [
  ['harbour', 'market', 6, 3],
  ['harbour', 'lighthouse', 12, 8],
  ['market', 'station', 5, 2],
  ['market', 'mill', 10, 9],
  ['station', 'bridge', 9, 8],
  ['mill', 'bridge', 7, 4],
  ['mill', 'orchard', 14, 12],
  ['bridge', 'abbey', 8, 6],
  ['bridge', 'junction', 4, 5],
  ['abbey', 'lake', 15, 9],
  ['junction', 'lake', 8, 14],
  ['junction', 'quarry', 11, 10],
  ['lake', 'castle', 12, 8],
  ['lake', 'vineyard', 10, 9],
  ['orchard', 'vineyard', 9, 7],
  ['quarry', 'castle', 16, 13],
  ['vineyard', 'castle', 13, 11],
];

/** A node that no road leads to. */
const ISLAND = 'island';

const graph = new UndirectedGraph<object, Record<Weight, number>>();
for (const [from, to, minutes, km] of ROADS) {
  graph.mergeNode(from);
  graph.mergeNode(to);
  graph.addEdge(from, to, { minutes, km });
}
graph.addNode(ISLAND);

/** Every node there is. */
export const NODES: readonly string[] = graph.nodes();

/** The best way by a weight; null where no road leads there. */
export function wayFrom(from: string, to: string, by: Weight): Way | null {
  // A path of nodes; the library types it as possibly absent only in words.
  const nodes: string[] | null = dijkstra.bidirectional(graph, from, to, by);
  if (nodes === null) return null;
  const sum = (weight: Weight) =>
    nodes.slice(1).reduce((total, node, index) => {
      return total + graph.getEdgeAttribute(there(graph.edge(nodes[index], node), 'road'), weight);
    }, 0);
  return { nodes, minutes: sum('minutes'), km: sum('km') };
}

/** The distance of every reachable node, in minutes. */
export function minutesFrom(node: string): ReadonlyMap<string, number> {
  const ways: Record<string, string[]> = dijkstra.singleSource(graph, node, 'minutes');
  return new Map(Object.keys(ways).map((to) => [to, wayFrom(node, to, 'minutes')?.minutes ?? 0]));
}
