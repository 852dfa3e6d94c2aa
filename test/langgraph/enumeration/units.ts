/** The units of a little graph: of one node each, or some of them over several nodes, where one node runs at a time. */
import { type Shape, targetsOf } from './shapes.ts';

/** A unit: the nodes of its skeleton, those at which it begins, and the boundaries within it. */
export interface LittleUnit {
  readonly name: string;
  readonly nodes: readonly number[];
  readonly entry: readonly number[];
  readonly commits: Commits;
}

/** The boundaries within a unit: none, one on each edge between two of its nodes, or one behind the answer in each node but the first. */
export type Commits = 'no' | 'on edges' | 'in nodes';

/** True for the text of a graph whose edges lead to one node at a time. */
export function isLine(text: string): boolean {
  return !/[+&]|2x/.test(text);
}

/** All ways to have units over two or three nodes in a graph, each as the nodes of its units. */
export function groupings(nodes: number): (readonly (readonly number[])[])[] {
  return partitions(nodes).filter((parts) => {
    const sizes = parts.map(({ length }) => length);
    return Math.max(...sizes) > 1 && Math.max(...sizes) < 4;
  });
}

function partitions(nodes: number): number[][][] {
  if (nodes === 0) return [[]];
  const node = nodes - 1;
  return partitions(node).flatMap((parts) => [
    ...parts.map((part, at) => [...parts.slice(0, at), [...part, node], ...parts.slice(at + 1)]),
    [...parts, [node]],
  ]);
}

/** The unit of some nodes: it begins where control comes to it from elsewhere. */
export function unitOf({ start, exits }: Shape, nodes: readonly number[], commits: Commits): LittleUnit {
  const outside = [start, ...exits.filter((_, from) => !nodes.includes(from))];
  const entry = nodes.filter((node) => outside.some((exit) => targetsOf(exit).includes(node)));
  return { name: nodes.map((node) => `N${node}`).join(''), nodes, entry, commits };
}

/** The edges between the nodes of a unit. */
export function edgesWithin({ exits }: Pick<Shape, 'exits'>, { nodes }: LittleUnit): (readonly [number, number])[] {
  return nodes.flatMap((from) => {
    const exit = exits[from];
    const to = exit === undefined ? [] : targetsOf(exit).filter((each) => nodes.includes(each));
    return [...new Set(to)].map((each) => [from, each] as const);
  });
}
