/**
 * Where the states of a machine are, in the words of a config: paths, regions, what an event entered. xstate tells which
 * transitions a microstep took and which states are active; the rest follows from the tree.
 */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { HistoryValue } from '../model/step-entry.ts';

/** The path of a state within its machine, `A.a1`; `''` for the root. */
export function pathOf(node: AnyStateNode): string {
  return node.path.join('.');
}

/** The path of the region that a state lies in: the nearest state, itself included, whose parent is parallel; `''` if none. */
export function regionOf(node: AnyStateNode): string {
  for (let at: AnyStateNode | undefined = node; at?.parent !== undefined; at = at.parent) {
    if (at.parent.type === 'parallel') return pathOf(at);
  }
  return '';
}

/** The active states of a snapshot. */
export function activeNodes(snapshot: AnyMachineSnapshot): readonly AnyStateNode[] {
  return snapshot._nodes;
}

/** The states that a microstep entered, states left and entered again included. */
export function enteredBy(
  before: AnyMachineSnapshot | null,
  after: AnyMachineSnapshot,
  transitions: readonly AnyTransitionDefinition[],
): ReadonlySet<AnyStateNode> {
  if (before === null) return new Set(activeNodes(after));
  const entered = new Set<AnyStateNode>();
  if (before._nodes !== after._nodes) {
    const old = new Set(before._nodes);
    for (const node of after._nodes) if (!old.has(node)) entered.add(node);
  }
  for (const transition of transitions) {
    const domain = domainOf(transition);
    if (domain === null) continue;
    for (const node of after._nodes) if (isBelow(node, domain)) entered.add(node);
  }
  return entered;
}

/**
 * The state within which a transition leaves and enters; null if it stays put. Its own source, if the transition moves
 * inside its source.
 */
function domainOf({ source, target, reenter }: AnyTransitionDefinition): AnyStateNode | null {
  if (target === undefined || target.length === 0) return null;
  const inside = target.every((node) => node === source || isBelow(node, source));
  if (inside && !reenter) return source;
  for (let at = source.parent; at !== undefined; at = at.parent) {
    const common = at;
    if (target.every((node) => isBelow(node, common))) return common;
  }
  return source.machine.root;
}

/** True where a state lies below another. */
export function isBelow(node: AnyStateNode, above: AnyStateNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === above) return true;
  return false;
}

/** The states that history states remember, by ids, as a journal has them. */
export function remembered(snapshot: AnyMachineSnapshot): HistoryValue {
  const value: Record<string, string[]> = {};
  for (const [id, nodes] of Object.entries(snapshot.historyValue)) value[id] = nodes.map((node) => node.id);
  return value;
}

/** The state of a machine at a path, or undefined. */
export function nodeAt(machine: AnyStateMachine, path: string): AnyStateNode | undefined {
  let node: AnyStateNode | undefined = machine.root;
  for (const key of path === '' ? [] : path.split('.')) node = node?.states[key];
  return node;
}

/** True if any transition of a state asks for the active states: then it reads their control (C1a). */
export function readsStates(node: AnyStateNode): boolean {
  const known = asking.get(node);
  if (known !== undefined) return known;
  const transitions = [...node.transitions.values(), node.always ?? []].flat();
  const { guards } = node.machine.implementations;
  const answer = transitions.some(({ guard }) => asksStates(guard, guards));
  asking.set(node, answer);
  return answer;
}

const asking = new WeakMap<AnyStateNode, boolean>();

/** True where a guard is xstate's `stateIn`, or made of one, itself or by its name. */
function asksStates(guard: unknown, named: Readonly<Record<string, unknown>>): boolean {
  if (typeof guard === 'string') return named[guard] !== undefined && asksStates(named[guard], {});
  if (typeof guard === 'object' && guard !== null) return asksStates((guard as { type?: unknown }).type, named);
  if (typeof guard !== 'function') return false;
  if ('stateValue' in guard) return true;
  const parts = (guard as { guards?: unknown }).guards;
  return Array.isArray(parts) && parts.some((part) => asksStates(part, named));
}

/** True where a microstep ran an action of a kind. */
export function runs(
  isOfKind: (type: string | undefined) => boolean,
  before: AnyMachineSnapshot | null,
  after: AnyMachineSnapshot,
  transitions: readonly AnyTransitionDefinition[],
): boolean {
  const entered = enteredBy(before, after, transitions);
  const stays = (node: AnyStateNode) => after._nodes.includes(node) && !entered.has(node);
  const left = (before?._nodes ?? []).filter((node) => !stays(node));
  // A machine that comes to its end leaves all of its states.
  if (after.status === 'done') left.push(...after._nodes);
  const { actions } = after.machine.implementations;
  const ran = [
    ...left.flatMap(({ exit }) => exit),
    ...transitions.flatMap((transition) => transition.actions),
    ...[...entered].flatMap(({ entry }) => entry),
  ];
  return ran.some((action: unknown) => {
    const { type } = action as { type?: string };
    const given = typeof action === 'function' ? undefined : actions[type ?? ''];
    return isOfKind((given as { type?: string } | undefined)?.type ?? type);
  });
}
