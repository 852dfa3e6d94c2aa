/** Dependencies as a graph: an edge from each instance to every other that read from it or was started by it. */
import { DirectedGraph } from 'graphology';
import { dependencies } from '../../history/dependencies.ts';
import type { History } from '../../history/history.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { printable } from '../terminal/printable.ts';

interface NodeFields extends InstanceId {
  entered: number;
  /** The newest certified commit or exit, or null. */
  committed: number | null;
  /** The intent of the newest effect that no rollback may cross, or null (§9.2). */
  floor: number | null;
}

interface EdgeFields {
  /** The keys that were read, each once; a start has none. */
  keys: string[];
  started: boolean;
  /** The number of dependencies that the edge stands for. */
  count: number;
}

export type DependencyGraph = DirectedGraph<NodeFields, EdgeFields>;

/** Builds the graph of a history. Costs every dependency in it. */
export function dependencyGraph(id: string, history: History): DependencyGraph {
  const graph: DependencyGraph = new DirectedGraph();
  graph.setAttribute('name', id);
  const floors = new Map(history.effects.blocking().map((effect) => [instanceName(effect.instance), effect.at]));
  for (const { id, entry, committed } of history.registry.all()) {
    const name = instanceName(id);
    const entered = entry.at;
    graph.addNode(name, { ...id, entered, committed: committed?.at ?? null, floor: floors.get(name) ?? null });
  }
  const keys = new Map<string, Set<string>>();
  for (const dependence of dependencies(history)) {
    const [from, to] = [instanceName(dependence.producer), instanceName(dependence.consumer)];
    const known = graph.edge(from, to);
    const edge = known ?? graph.addEdgeWithKey(`e${graph.size}`, from, to, { keys: [], started: false, count: 0 });
    if (known === undefined) keys.set(edge, new Set());
    const fields = graph.getEdgeAttributes(edge);
    fields.count += 1;
    if (dependence.kind === 'start') fields.started = true;
    if (dependence.kind === 'read') keys.get(edge)?.add(dependence.key);
  }
  for (const [edge, read] of keys) graph.setEdgeAttribute(edge, 'keys', [...read]);
  return graph;
}

/** The graph in the DOT language. Committed instances have a double border, those with a floor a bold one. */
export function toDot(graph: DependencyGraph): string {
  const names = new Map(graph.nodes().map((name, index) => [name, `n${index}`]));
  const out = [`digraph ${quote([String(graph.getAttribute('name'))])} {`, '  rankdir=LR;', '  node [shape=box];'];
  graph.forEachNode((name, fields) => {
    const notes = [
      ...(fields.committed === null ? [] : [`committed at ${fields.committed}`]),
      ...(fields.floor === null ? [] : [`floor at ${fields.floor}`]),
    ];
    const label = `label=${quote([name, ...notes])}`;
    const border = `${fields.committed === null ? '' : ' peripheries=2'}${fields.floor === null ? '' : ' penwidth=3'}`;
    out.push(`  ${names.get(name)} [${label}${border}];`);
  });
  graph.forEachEdge((_edge, fields, from, to) => {
    const label = [...(fields.started ? ['starts'] : []), ...fields.keys];
    out.push(`  ${names.get(from)} -> ${names.get(to)} [label=${quote(label)}];`);
  });
  return `${out.join('\n')}\n}\n`;
}

/**
 * A DOT string of some lines. Names come from the run and may hold anything: every character with a meaning in DOT is
 * escaped, entities included.
 */
function quote(lines: readonly string[]): string {
  const escaped = lines.map((line) => {
    return printable(line).replaceAll('&', '&amp;').replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  });
  return `"${escaped.join('\\n')}"`;
}
