/**
 * Lints of loops in which a machine calls a tool again by itself: the outcome of the first call must be known by then
 * (E2).
 */
import type { EdgeShape, StateShape } from '../../model/machine.ts';
import { errorEvent, isDelay } from '../../model/reply-event.ts';
import type { BoundaryConfig } from '../config.ts';
import { entriesOf, field, type Item } from '../page/document.ts';
import type { Findings } from '../page/finding.ts';
import { isWithin } from '../sections/skeleton.ts';
import type { Reach } from './reach.ts';

/** Reports the states to which a machine returns by itself after an error of a tool that changes the world. */
export function lintRetries(config: BoundaryConfig, root: Item, reach: Reach, findings: Findings): void {
  const declared = new Map(entriesOf(field(root, 'tools')));
  for (const state of reach.shape.states) {
    for (const { id, tool: name } of state.invokes) {
      const tool = config.tools.get(name ?? '');
      const at = declared.get(name ?? '')?.at;
      if (tool === undefined || at === undefined || tool.effect === 'none' || tool.effect === 'idempotent') continue;
      if (tool.buffer || !comesBack(reach, state, id)) continue;
      const message = `"${state.path}" is entered again by itself after an error of "${name}", which is ${tool.effect}`;
      if (tool.reconcile === null) {
        const mend =
          'Name a reconciler: without one, the second call waits until a person says what became of the first.';
        findings.report('own_retry', 'warning', at, message, mend);
      } else {
        const mend =
          'Its reconciler is asked before the machine receives the error. "retry" in the config saves the machine the loop.';
        findings.report('own_retry', 'note', at, message, mend);
      }
    }
  }
}

/**
 * True if control can return to a state after its call failed, or was left by a delay, without an event from outside.
 */
function comesBack({ shape, states }: Reach, { path }: StateShape, id: string): boolean {
  const leaves = ({ from, event }: EdgeShape) => {
    return isWithin(path, from) && (event === errorEvent(id) || isDelay(event));
  };
  const waiting = shape.edges.filter(leaves).map(({ to }) => to);
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === path || (isWithin(path, next) && startsIn(states, next, path))) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    for (const { from, to, event } of shape.edges) if (isWithin(next, from) && isOwn(event)) waiting.push(to);
  }
  return false;
}

/** True if entering a state begins with another one within it. */
function startsIn(states: Reach['states'], outer: string, path: string): boolean {
  for (let at = states.get(outer)?.initial ?? null; at !== null; at = states.get(at)?.initial ?? null)
    if (at === path) return true;
  return false;
}

/** True if a machine takes a transition by itself: eventless, or after a delay. */
function isOwn(event: string): boolean {
  return event === '' || isDelay(event);
}
