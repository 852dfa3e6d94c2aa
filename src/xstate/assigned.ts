/**
 * Reads which keys of its context a machine assigns when a tool answers, as far as its structure tells: `assign` with an object. What
 * an `assign` with a function writes cannot be known without running it.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { AssignShape } from '../model/machine.ts';
import { type MachineLike, nodesOf } from './shape.ts';
import { toolsIn } from './toolbox.ts';

/** The assignments of one transition: the keys, and those among them that get a value other than a literal null; `all` false where code assigns more. */
interface Assigned {
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly all: boolean;
}

/** The keys of the context that are assigned once tools have answered. */
export interface AnswersAssigned {
  /** The keys that any edge assigns, by the name of the tool. */
  readonly byTool: ReadonlyMap<string, readonly string[]>;
  /**
   * The keys that have a value once an answer has taken an edge, between states by their paths; null where the
   * structure does not tell. If one edge has several transitions, the keys that all transitions assign.
   */
  on(from: string, to: string): readonly string[] | null;
  /** The keys that the actions of some states assign. */
  by(isMeant: (path: string) => boolean): AssignShape;
}

/** The keys that a machine assigns, and the machines that it invokes by name. */
export function answersAssigned(machine: MachineLike): AnswersAssigned {
  const byTool = new Map<string, Set<string>>();
  const byEdge = new Map<string, readonly string[] | null>();
  for (const { tools, edges, assigned } of answersOf(machine)) {
    for (const tool of tools) byTool.set(tool, new Set([...(byTool.get(tool) ?? []), ...assigned.keys]));
    for (const edge of edges) byEdge.set(edge, both(byEdge.get(edge), assigned.all ? assigned.values : null));
  }
  return {
    byTool: new Map([...byTool].map(([tool, keys]) => [tool, [...keys]])),
    on: (from, to) => byEdge.get(nameOf(from, to)) ?? null,
    by: (isMeant) => keysOf(machine, isMeant),
  };
}

/**
 * The keys that any action of a machine assigns, or any action of a machine that it invokes: on transitions, on entry
 * and on exit.
 */
export function keysAssigned(machine: MachineLike): AssignShape {
  return keysOf(machine, () => true);
}

function keysOf(machine: MachineLike, isMeant: (path: string) => boolean): AssignShape {
  const keys = new Set<string>();
  let all = true;
  for (const { node, path } of nodesOf(machine)) {
    if (!isMeant(path)) continue;
    const transitions = [...(node.always ?? []), ...[...node.transitions.values()].flat()];
    const first = node.type === 'compound' ? node.initial.actions : [];
    const actions = [...node.entry, ...node.exit, ...first, ...transitions.flatMap((transition) => transition.actions)];
    const found = assignedBy(actions, node.machine);
    for (const key of found.keys) keys.add(key);
    all &&= found.all;
  }
  return { keys: [...keys], all };
}

/** The transitions that an answer takes: the tools that may have given it, the edges, and what they assign. */
function* answersOf(machine: MachineLike) {
  for (const { node, path, pathOf } of nodesOf(machine)) {
    for (const { id, src } of node.invoke) {
      for (const { actions, target } of node.transitions.get(`xstate.done.actor.${id}`) ?? []) {
        const edges = (target ?? [node]).map((to) => nameOf(path, pathOf(to as AnyStateNode)));
        yield { tools: toolsOf(src, node.machine), edges, assigned: assignedBy(actions, node.machine) };
      }
    }
  }
}

function nameOf(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

/** The keys that two transitions on one edge have both assigned; `undefined` where there was none before. */
function both(before: readonly string[] | null | undefined, now: readonly string[] | null): readonly string[] | null {
  if (before === undefined || now === null) return now;
  return before === null ? null : before.filter((key) => now.includes(key));
}

function toolsOf(src: unknown, machine: AnyStateMachine): readonly string[] {
  if (typeof src !== 'string') return [];
  const tools = toolsIn((machine.implementations.actors as Record<string, never>)[src]);
  return tools === null ? [src] : Object.keys(tools).map((tool) => `${src}/${tool}`);
}

function assignedBy(actions: readonly unknown[], { implementations }: AnyStateMachine): Assigned {
  const found = { keys: [] as string[], values: [] as string[], all: true };
  for (const action of actions) {
    const name = typeof action === 'string' ? action : (action as { readonly type?: string }).type;
    const given =
      typeof action === 'function' ? action : (implementations.actions as Record<string, unknown>)[name ?? ''];
    const { type, assignment } = (given ?? {}) as { readonly type?: unknown; readonly assignment?: unknown };
    if (type === 'xstate.enqueueActions') found.all = false;
    if (type !== 'xstate.assign') continue;
    if (typeof assignment !== 'object' || assignment === null) {
      found.all = false;
      continue;
    }
    for (const [key, value] of Object.entries(assignment)) {
      found.keys.push(key);
      // A later assignment of a transition counts.
      found.values = found.values.filter((other) => other !== key);
      if (value !== null && value !== undefined) found.values.push(key);
    }
  }
  return found;
}
