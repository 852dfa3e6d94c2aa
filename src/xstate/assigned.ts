/**
 * Reads which keys of its context a machine assigns when a tool answers, as far as its structure tells: `assign` with an object. What
 * an `assign` with a function writes cannot be known without running it.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import type { MachineLike } from './shape.ts';

/** The keys of the context that are assigned once a tool has answered, by the name of the tool. Only the outer machine's own tools. */
export function assignedByTool(machine: MachineLike): ReadonlyMap<string, readonly string[]> {
  const { root, implementations } = machine as unknown as AnyStateMachine;
  const assigned = new Map<string, readonly string[]>();
  const waiting: AnyStateNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const { id, src } of node.invoke) {
      if (typeof src !== 'string') continue;
      const done = node.transitions.get(`xstate.done.actor.${id}`) ?? [];
      const keys = done.flatMap(({ actions }) => actions.flatMap((action) => keysOf(action, implementations.actions)));
      assigned.set(src, [...new Set([...(assigned.get(src) ?? []), ...keys])]);
    }
    waiting.push(...Object.values(node.states));
  }
  return assigned;
}

/** The keys that one action assigns; none where it assigns nothing, or by a function. */
function keysOf(action: unknown, named: Readonly<Record<string, unknown>>): readonly string[] {
  const name = typeof action === 'string' ? action : (action as { readonly type?: string }).type;
  const given = typeof action === 'function' ? action : named[name ?? ''];
  if (typeof given !== 'function') return [];
  const { type, assignment } = given as { readonly type?: unknown; readonly assignment?: unknown };
  return type === 'xstate.assign' && typeof assignment === 'object' && assignment !== null
    ? Object.keys(assignment)
    : [];
}
