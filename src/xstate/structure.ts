/**
 * Where the states of a machine are, in the words of a config: paths, regions, what an event entered. xstate tells which
 * transitions a microstep took and which states are active; the rest follows from the tree.
 */
import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { HistoryValue } from '../model/entry.ts';

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

/** The states that a microstep entered, those that it left and entered again included. */
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

/** The state within which a transition leaves and enters; null where it stays put. Its own source, if it moves inside of that. */
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

/** Whether a state lies below another. */
function isBelow(node: AnyStateNode, above: AnyStateNode): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) if (at === above) return true;
  return false;
}

/** What history states remember, by ids, as a journal has it. */
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
