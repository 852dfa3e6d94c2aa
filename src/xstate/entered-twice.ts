/**
 * A machine that enters one of its states a second time each time it has been there: a model that plans anew asks for the same act again in
 * this way. Nothing else of the machine is changed.
 */
import { type AnyActorLogic, type AnyStateMachine, type AnyStateNode, assign } from 'xstate';
import { isMachine, kindOf } from './shape.ts';

/** The key of the context that counts the entries of the state. */
const ENTRIES = 'belay entries';

interface NodeConfig {
  readonly states?: Readonly<Record<string, NodeConfig>>;
  readonly entry?: unknown;
  readonly invoke?: unknown;
}
type Invocation = { readonly onDone?: unknown } & Readonly<Record<string, unknown>>;

/**
 * A copy of a machine that enters a state again as soon as the one call of that state is answered. The first answer is dropped: the second
 * one takes the machine on.
 * @param path the state, named as `machineShape` names it: those of a machine that is invoked by name have that name in front.
 * @param again told each time that the state is entered again.
 * @returns null where the machine has no such state, or where the state makes no call or several side by side.
 */
export function enteredTwice(machine: AnyStateMachine, path: string, again: () => void): AnyStateMachine | null {
  const own = everyNode(machine.root).find((node) => node.path.join('.') === path);
  if (own !== undefined)
    return own.parent === undefined || own.invoke.length !== 1 ? null : changed(machine, own, again);
  for (const [name, logic] of Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)) {
    if (kindOf(logic) !== 'machine' || !isMachine(logic) || !path.startsWith(`${name}/`)) continue;
    const inner = enteredTwice(logic as AnyStateMachine, path.slice(name.length + 1), again);
    if (inner !== null) return machine.provide({ actors: { [name]: inner } } as never) as AnyStateMachine;
  }
  return null;
}

function everyNode(node: AnyStateNode): readonly AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(everyNode)];
}

/** Made by the class of the machine itself, which may be that of another copy of xstate. */
function changed(machine: AnyStateMachine, node: AnyStateNode, again: () => void): AnyStateMachine {
  const config = edited(machine.config as unknown as NodeConfig, node.path, (state) => twice(state, node.key, again));
  return Reflect.construct(machine.constructor, [config, machine.implementations]) as AnyStateMachine;
}

function edited(config: NodeConfig, path: readonly string[], edit: (state: NodeConfig) => NodeConfig): NodeConfig {
  const [first, ...rest] = path;
  if (first === undefined) return edit(config);
  const { states = {} } = config;
  return { ...config, states: { ...states, [first]: edited(states[first] as NodeConfig, rest, edit) } };
}

/** The count is odd on the first visit and even on the second, also where a loop comes back to the state. */
function twice(state: NodeConfig, key: string, again: () => void): NodeConfig {
  const count = assign({ [ENTRIES]: ({ context }) => entries(context) + 1 });
  const guard = ({ context }: { readonly context: unknown }) => entries(context) % 2 === 1;
  const back = { target: key.replaceAll('.', '\\.'), reenter: true, guard, actions: again };
  const [invoked] = list(state.invoke) as Invocation[];
  return {
    ...state,
    entry: [count, ...list(state.entry)],
    invoke: [{ ...invoked, onDone: [back, ...list(invoked?.onDone)] }],
  };
}

function entries(context: unknown): number {
  return (context as { readonly [ENTRIES]?: number })[ENTRIES] ?? 0;
}

function list(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
