/** Refuses units over several nodes where nodes may run beside each other: nothing would tell a unit's own work from what runs beside it. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { BEGIN, END, stateOf } from '../../runtime/lanes.ts';
import type { Graph } from '../copy.ts';
import type { Task } from '../tasks.ts';
import { ofSeveralNodes } from './units.ts';

const INSTEAD = 'Give each node a skeleton of its own, or make them one node by a subgraph.';

/** Lists why the units of a config over several nodes are refused in a graph; nothing where each is one node. */
export function* whyNotInLine(graph: Graph, config: BoundaryConfig): Generator<string> {
  const nodes = new Set(Object.keys(graph.nodes).map(stateOf));
  const [several] = ofSeveralNodes(config, nodes);
  if (several === undefined) return;
  const owned = several.states.filter((state) => nodes.has(state)).join(', ');
  for (const why of forks(graph))
    yield `the skeleton ${several.name} has the states ${owned}, and ${why}, so that nodes run beside each other. ${INSTEAD}`;
  for (const { name, states } of config.skeletons.values()) {
    const strange = [BEGIN, END].find((state) => states.includes(state));
    if (strange !== undefined)
      yield `the skeleton ${name} has the state ${strange} beside nodes, and no work is done there. Leave it out.`;
  }
  for (const { name, states } of ofSeveralNodes(config, nodes)) {
    for (const other of config.skeletons.values()) {
      const shared = other.name === name ? undefined : states.find((state) => other.states.includes(state));
      if (shared !== undefined)
        yield `the node ${shared} is both of the skeleton ${name}, which has several nodes, and of ${other.name}. Leave it to one of them.`;
    }
  }
}

/** Says why the tasks of a superstep are refused in a graph that has to run one node at a time; null where there is but one. */
export function besideEachOther(tasks: readonly Task[]): string | null {
  const [one, ...others] = tasks;
  if (one === undefined || (others.length === 0 && one.sent === undefined)) return null;
  const names = tasks.map(({ lane }) => lane.node).join(', ');
  const what = others.length === 0 ? `a Send to ${names}` : `${names} beside each other`;
  return `The graph came to ${what}, and a skeleton of its config has several nodes, which is sound only where one node runs at a time. ${INSTEAD}`;
}

/** Lists the places of a graph that lead to several nodes at once, as its edges tell. */
function* forks({ builder, channels, nodes }: Graph): Generator<string> {
  if (builder === undefined) return;
  const ways = new Map<string, number>();
  for (const [from] of builder.edges) ways.set(from, (ways.get(from) ?? 0) + 1);
  for (const [from, branches] of Object.entries(builder.branches))
    ways.set(from, (ways.get(from) ?? 0) + Object.keys(branches).length);
  for (const [from, many] of ways) if (many > 1) yield `${many} edges lead from "${from}"`;
  for (const [from, to] of builder.waitingEdges ?? []) yield `"${to}" waits for ${from.join(' and ')}`;
  for (const [name, { triggers }] of Object.entries(nodes))
    if (triggers.some((channel) => isDeferred(channels[channel])))
      yield `"${name}" is deferred until other nodes are over`;
}

function isDeferred(channel: unknown): boolean {
  const { lc_graph_name: kind } = (channel ?? {}) as { readonly lc_graph_name?: string };
  return kind === 'LastValueAfterFinish';
}
