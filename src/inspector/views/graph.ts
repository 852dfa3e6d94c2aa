/** The dependencies around a decision as a graph, with the part of each instance in the decision: the line, drawn. */
import { dependencies } from '../../history/dependencies.ts';
import type { History } from '../../history/history.ts';
import type { Decision } from '../../model/decision.ts';
import { type InstanceId, instanceName, ROOT } from '../../model/instance.ts';
import type { Dependence } from '../../model/veto.ts';
import type { PlaceText } from '../../recovery/explain.ts';
import { vetoes } from '../../recovery/vetoes.ts';
import type { WireGraph, WirePart } from '../page-data.ts';

/** Instances that are drawn, and dependencies that are looked at for them. */
const MOST_NODES = 40;
const MOST_LOOKS = 200_000;
/** The keys that one edge names. */
const KEYS = 3;

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly keys: Set<string>;
}

/** The graph around a decision. */
export function graphOf(history: History, decision: Decision, place: PlaceText): WireGraph {
  const parts = partsOf(decision, place);
  const carrying = carriersOf(decision);
  const core = new Set([
    ...parts.keys(),
    ...carrying.flatMap(({ producer, consumer }) => [instanceName(producer), instanceName(consumer)]),
  ]);
  const edges = edgesOf(history, carrying);
  const shown = around(core, edges, history);
  const carries = new Set(
    carrying.map(({ producer, consumer }) => `${instanceName(producer)} ${instanceName(consumer)}`),
  );
  const ids = new Map([...shown].map((name, index) => [name, `n${index}`]));
  return {
    nodes: [...shown].flatMap((name) => {
      const record = history.registry.named(name);
      if (record === undefined) return [];
      const { part, note } = parts.get(name) ?? { part: 'kept' as const, note: 'stays as it is' };
      return [
        { id: ids.get(name) as string, name: nodeName(record.id), part, note, committed: record.committed !== null },
      ];
    }),
    edges: edges.flatMap(({ from, to, keys }) => {
      const [source, target] = [ids.get(from), ids.get(to)];
      if (source === undefined || target === undefined) return [];
      const named = [...keys];
      const more = named.length > KEYS ? ` and ${named.length - KEYS} more` : '';
      const label = `${named.slice(0, KEYS).join(', ')}${more}`;
      return [{ from: source, to: target, label, carries: carries.has(`${from} ${to}`) }];
    }),
    left: [...history.registry.all()].filter(({ id }) => id.skeleton !== ROOT && !shown.has(instanceName(id))).length,
  };
}

/** The part of each instance that a decision names; all others are kept. */
function partsOf(
  decision: Decision,
  place: PlaceText,
): Map<string, { readonly part: WirePart; readonly note: string }> {
  const parts = new Map<string, { part: WirePart; note: string }>();
  const isDone = decision.verdict === 'restore' || decision.verdict === 'restore_joint';
  const would = isDone ? '' : 'would ';
  for (const { instance, keep } of decision.line?.moves ?? []) {
    const note =
      keep === 'none'
        ? `${would}${isDone ? 'is' : 'be'} undone: before its start`
        : `${would}${isDone ? 'goes' : 'go'} back to its ${keep.kind} at ${place(keep.at)}`;
    parts.set(instanceName(instance), { part: keep === 'none' ? 'undone' : 'back', note });
  }
  for (const { instance } of decision.aside ?? [])
    parts.set(instanceName(instance), {
      part: 'aside',
      note: `${would}${isDone ? 'is' : 'be'} set aside, until its replay claims it`,
    });
  if (decision.failed === null) return parts;
  const name = instanceName(decision.failed);
  const own = parts.get(name)?.note;
  parts.set(name, { part: 'failed', note: own === undefined ? 'failed; it does not move' : `failed; ${own}` });
  return parts;
}

/** The dependencies that the line follows, or that stand in its way. */
function carriersOf(decision: Decision): Dependence[] {
  const moved = (decision.line?.moves ?? []).flatMap(({ cause }) => cause ?? []);
  const aside = (decision.aside ?? []).map(({ cause }) => cause);
  const against: Dependence[] = [];
  for (const veto of vetoes(decision)) {
    if (veto.code === 'committed_consumers_present') against.push(veto.dependence);
    if (against.length >= MOST_NODES) break;
  }
  return [...moved, ...aside, ...against];
}

/** Control is no key of the history: of its dependencies, those are drawn that the decision names. */
function edgesOf(history: History, carrying: readonly Dependence[]): Edge[] {
  const edges = new Map<string, Edge>();
  let looks = 0;
  for (const dependence of dependencies(history)) {
    looks += 1;
    if (looks > MOST_LOOKS) break;
    const [from, to] = [instanceName(dependence.producer), instanceName(dependence.consumer)];
    const edge = edges.get(`${from} ${to}`) ?? { from, to, keys: new Set<string>() };
    edges.set(`${from} ${to}`, edge);
    edge.keys.add(dependence.kind === 'read' ? dependence.key : 'starts');
  }
  for (const { kind, producer, consumer } of carrying) {
    const [from, to] = [instanceName(producer), instanceName(consumer)];
    if (kind === 'control' && from !== to && !edges.has(`${from} ${to}`))
      edges.set(`${from} ${to}`, { from, to, keys: new Set(['control']) });
  }
  return [...edges.values()];
}

/** The instances that a decision names, and those next to them, as many as can be drawn. */
function around(core: ReadonlySet<string>, edges: readonly Edge[], history: History): Set<string> {
  const shown = new Set([...core].filter((name) => history.registry.named(name) !== undefined).slice(0, MOST_NODES));
  for (const { from, to } of edges) {
    for (const [near, far] of [
      [from, to],
      [to, from],
    ] as const) {
      if (shown.size >= MOST_NODES) return shown;
      const isRoot = history.registry.named(far)?.id.skeleton === ROOT;
      if (core.has(near) && !isRoot) shown.add(far);
    }
  }
  return shown;
}

function nodeName(id: InstanceId): string {
  return id.skeleton === ROOT ? `work outside every skeleton (${id.entity})` : instanceName(id);
}
