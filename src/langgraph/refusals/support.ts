/** Refuses graphs that could not be run soundly, each with its reason and a way out. */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { BEGIN, END, stateOf } from '../../runtime/lanes.ts';
import { OWN, SENDS } from '../checkpoint/memory.ts';
import { UNTRACKED } from '../checkpoint/untracked.ts';
import type { Graph } from '../copy.ts';
import { GraphError } from '../graph-error.ts';
import { whyNotInLine } from '../line/refused.ts';
import { withPrivateMembers } from '../tools/tool-node.ts';

/** The kinds of channels whose values follow from what each task writes, one after the other. */
const KINDS = new Set(['LastValue', 'BinaryOperatorAggregate', UNTRACKED]);

/** The names of the channels that hold the state of a graph, as its nodes see it. */
export function stateChannels(graph: Graph): string[] {
  return Object.keys(graph.channels).filter((name) => !/^(?:branch:|join:|__)/.test(name));
}

/** Lists why a graph cannot be run soundly, each with a way out. */
export function whyUnsupported(graph: Graph, config: BoundaryConfig | null): readonly string[] {
  return [...reasons(graph, config)];
}

/** @throws GraphError `unsupported_graph`. */
export function refuseUnsupported(graph: Graph, config: BoundaryConfig | null): void {
  const [why] = whyUnsupported(graph, config);
  if (why !== undefined) throw new GraphError('unsupported_graph', `Belay cannot run this graph: ${why}`);
}

function* reasons(graph: Graph, config: BoundaryConfig | null): Generator<string> {
  yield* ofGraph(graph);
  // What is no graph has no nodes to look at.
  if (typeof graph.nodes !== 'object' || graph.nodes === null) return;
  yield* ofNodes(graph);
  yield* ofChannels(graph);
  if (config === null) return;
  yield* whyNotInLine(graph, config);
  yield* whyNotJudged(config);
}

function* ofGraph(graph: Graph): Generator<string> {
  const { nodes, builder } = graph;
  if (typeof nodes !== 'object' || nodes === null)
    return yield 'it is no compiled StateGraph. Give attachGraph what compile() returned; a RemoteGraph runs elsewhere, where its calls cannot be guarded.';
  if (builder === undefined)
    yield 'it was made with the functional API, whose tasks have no nodes. Write it as a StateGraph, or as a flow (belay-sidecar/flow).';
  if (graph.checkpointer === true)
    yield 'it was compiled with the checkpointer of a graph around it, and is in none. Compile it without one, or with a saver.';
  if (graph.store !== undefined)
    yield 'it was compiled with a store, and what a node puts there is no guarded call. Compile it without one, and write through a tool.';
  if (graph.cache !== undefined)
    yield 'it was compiled with a cache: an answer from there would be no version of this run. Compile it without one.';
  if (graph.stepTimeout !== undefined)
    yield 'it has a step timeout, which would drop calls under way. Give the tools a `timeout` in the config.';
  if ([graph.interruptBefore ?? [], graph.interruptAfter ?? []].flat().length > 0)
    yield 'it was compiled with interruptBefore or interruptAfter. Call interrupt() in the node, which names its question.';
}

/** No enumeration has shown that a barrier waits for a verdict as JU1 says. */
function* whyNotJudged({ skeletons }: BoundaryConfig): Generator<string> {
  const judged = [...skeletons.values()].flatMap(({ boundaries }) => boundaries).find(({ judge }) => judge !== null);
  if (judged !== undefined)
    yield `its boundary "${judged.id}" has a judge, and only xstate machines have judges. Leave it out, and judge in a node.`;
}

function* ofNodes({ nodes }: Graph): Generator<string> {
  for (const [name, node] of Object.entries(nodes)) {
    const of = `its node "${name}"`;
    if (/[/@#|:*%]/.test(name) || name === BEGIN || name === END)
      yield `${of} has a name that a config cannot hold as a state. Leave out / @ # | : * % and the names ${BEGIN} and ${END}.`;
    if (Object.keys(nodes).some((other) => other !== name && stateOf(other) === stateOf(name)))
      yield `${of} is the state ${stateOf(name)} to a config, and so is another node. Rename one of them.`;
    if (node.cachePolicy !== undefined)
      yield `${of} has a cache policy: an answer from a cache would be no version of this run. Leave it out; kept work answers from the journal.`;
    if ((node.bound as unknown as Partial<Graph> | undefined)?.checkpointer)
      yield `${of} is a graph with a checkpointer, whose state would outlive what is taken back. Compile it without one.`;
    const ofClass = withPrivateMembers(node.bound);
    if (ofClass !== null)
      yield `${of} is a ToolNode of the class ${ofClass}, which has private members: no copy of it can be made whose tools are guarded. Make them plain members, or wrap what it does around a ToolNode.`;
    if (node.timeout !== undefined)
      yield `${of} has a timeout, which would drop calls under way. Give its tools a \`timeout\` in the config.`;
    if (node.errorHandlerNode !== undefined || node.isErrorHandler === true)
      yield `${of} has an error handler, which would hide failures from the run. Leave it out; failures are answered by the config.`;
  }
}

function* ofChannels(graph: Graph): Generator<string> {
  if (Object.hasOwn(graph.channels, '__root__'))
    yield 'its state is one value without names. Give it channels: Annotation.Root({ … }).';
  for (const name of stateChannels(graph)) {
    const kind = (graph.channels[name] as { readonly lc_graph_name?: string }).lc_graph_name ?? 'a managed value';
    if (!KINDS.has(kind))
      yield `its channel "${name}" is ${kind}, whose value does not follow from the writes of its tasks one by one. Use a plain channel, or one with a reducer.`;
    if (name === SENDS) yield `its channel "${name}" has a name that Belay needs. Give it another name.`;
  }
  if (Object.hasOwn(graph.channels, OWN)) yield `its channel "${OWN}" has a name that Belay needs.`;
}
