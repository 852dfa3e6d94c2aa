/** The tools that a machine may still call from where it stands: a walk over its states, which costs a constant of each (semantics.md ER2). */
import type { AnyStateMachine, AnyStateNode } from 'xstate';

/** The names of the tools that states to come may call, those of the present ones among them; null where that cannot be told. */
export function toolsAhead(active: Iterable<AnyStateNode>): ReadonlySet<string> | null {
  const tools = new Set<string>();
  const seen = new Set<AnyStateNode>();
  const entered = new Set<AnyStateNode>();
  const next: AnyStateNode[] = [...active];
  const enter = (node: AnyStateNode): void => {
    if (entered.has(node)) return;
    entered.add(node);
    next.push(node);
    for (const first of firstOf(node)) enter(first);
    // What lies around it takes events as well, and with a parallel state all of its regions are entered.
    for (let at = node.parent; at !== undefined; at = at.parent) {
      if (at.type === 'parallel') for (const region of Object.values(at.states)) enter(region);
      next.push(at);
    }
  };
  for (let node = next.pop(); node !== undefined; node = next.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (hidesActors(node)) return null;
    for (const { src } of node.invoke) if (!calls(node.machine, src, tools, enter)) return null;
    for (const target of targetsOf(node)) enter(target);
  }
  return tools;
}

/** Notes what an actor of a state may call. @returns false where that cannot be told. */
function calls(
  machine: AnyStateMachine,
  src: unknown,
  tools: Set<string>,
  enter: (node: AnyStateNode) => void,
): boolean {
  if (typeof src !== 'string') return false;
  const logic = (machine.implementations.actors as Readonly<Record<string, unknown>>)[src];
  const child = (logic as { root?: AnyStateNode; src?: { root?: AnyStateNode } } | undefined) ?? {};
  const root = child.root ?? child.src?.root;
  if (root === undefined) tools.add(src);
  else for (const node of below(root)) enter(node);
  return true;
}

/** The states to which a state may lead. */
function targetsOf(node: AnyStateNode): readonly AnyStateNode[] {
  const transitions = [...node.transitions.values(), node.always ?? []].flat();
  return transitions.flatMap(({ target }) => target ?? []);
}

/** The states that are entered with a state: its first ones, or whatever a history state may remember. */
function firstOf(node: AnyStateNode): readonly AnyStateNode[] {
  if (node.type === 'history')
    return node.parent === undefined ? [] : below(node.parent).filter((each) => each !== node);
  return node.type === 'parallel' ? Object.values(node.states) : (node.initial?.target ?? []);
}

function below(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(below)];
}

/** True where a state has an action that starts an actor of which its structure says nothing. */
function hidesActors(node: AnyStateNode): boolean {
  const transitions = [...node.transitions.values(), node.always ?? []].flat();
  const actions = [...node.entry, ...node.exit, ...transitions.flatMap((each) => each.actions)];
  const given = node.machine.implementations.actions as Readonly<Record<string, { type?: string } | undefined>>;
  return actions.some((action: unknown) => {
    const { type } = action as { type?: string };
    return type === 'xstate.spawnChild' || given[type ?? '']?.type === 'xstate.spawnChild';
  });
}
