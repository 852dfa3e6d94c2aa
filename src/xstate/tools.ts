/**
 * A copy of a machine with other tools: everything else stays, and the machines that it invokes by name change
 * likewise.
 */
import { type AnyActorLogic, type AnyStateMachine, fromPromise } from 'xstate';
import type { ToolCall } from '../runtime/tool-call.ts';
import { kindOf } from './shape.ts';
import { versionedAs } from './tool.ts';
import { changedTools, toolsIn } from './toolbox.ts';

/** The function of a tool, as its actor calls it. */
export type Act = (call: ToolCall<unknown>) => Promise<unknown>;

/**
 * A copy of a machine in which the function of each tool (a promise with a name) is another one. A machine that invokes itself is
 * copied once.
 */
export function withTools<TMachine extends AnyStateMachine>(
  machine: TMachine,
  change: (tool: string, act: Act) => Act,
): TMachine {
  return copied(machine, new Map(), change) as TMachine;
}

function copied(
  machine: AnyStateMachine,
  known: Map<AnyStateMachine, AnyStateMachine>,
  change: (tool: string, act: Act) => Act,
): AnyStateMachine {
  const before = known.get(machine);
  if (before !== undefined) return before;
  const copy = machine.provide({}) as AnyStateMachine;
  known.set(machine, copy);
  const { actors } = copy.implementations;
  for (const [name, logic] of Object.entries(actors) as [string, AnyActorLogic][]) {
    const kind = kindOf(logic);
    if (kind === 'machine') actors[name] = copied(logic as AnyStateMachine, known, change);
    if (kind !== 'promise') continue;
    const tools = toolsIn(logic);
    if (tools !== null) actors[name] = changedTools(tools, (tool, act) => change(`${name}/${tool}`, act));
    if (tools !== null) continue;
    const { config: act } = logic as unknown as { config: Act };
    const changed = change(name, act);
    if (changed === act) continue;
    const own = fromPromise((call) => changed(call as unknown as ToolCall<unknown>));
    actors[name] = versionedAs(own, logic);
  }
  return copy;
}
