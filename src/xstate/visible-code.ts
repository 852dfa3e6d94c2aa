/**
 * Reads the parts of a machine's code that show without running it: actions without a name, and the inputs that states
 * pass to invoked actors. The functions `input` are called on a context of blanks, which stand for any value of a run;
 * no other user code is called.
 */
import type { AnyActorLogic, AnyStateMachine, AnyStateNode } from 'xstate';
import type { CodeShape } from '../model/machine.ts';
import { isInline } from './events.ts';
import { type MachineLike, nodesOf } from './shape.ts';
import { toolsIn } from './toolbox.ts';

/** Finds the part of a value that no journal holds, and its place; null if a journal holds all of it. */
export type Holds = (value: unknown) => { readonly path: readonly string[]; readonly reason: string } | null;

/**
 * The field names by which an input surely says which tool is meant, and the names that say so only beside the
 * arguments of a tool.
 */
const NAMES_TOOL = ['tool', 'toolName', 'tool_name'];
const MAY_NAME_TOOL = ['name', 'function', 'action', 'op'];
const ARGUMENTS = ['args', 'arguments', 'input', 'params', 'parameters'];

/** The code of a machine and of the machines that it invokes by name. */
export function codeIn(machine: MachineLike, holds: Holds): CodeShape {
  const actions: string[] = [];
  const inputs: CodeShape['inputs'][number][] = [];
  for (const { node, path } of nodesOf(machine)) {
    for (const event of inlineIn(node)) actions.push(event === null ? path : `${path} (${event})`);
    for (const invoked of node.invoke) inputs.push(...troubleIn(invoked, path, node.machine, holds));
  }
  return { actions, inputs };
}

/** The trouble with the input of an actor that a state invokes by its name. */
function troubleIn(
  { src, input }: AnyStateNode['invoke'][number],
  path: string,
  machine: AnyStateMachine,
  holds: Holds,
): CodeShape['inputs'] {
  const shown = typeof src !== 'string' || isInline(src) ? null : shownBy(input, machine);
  if (typeof src !== 'string' || shown === null) return [];
  const copy = withoutBlanks(shown.is, new Set());
  const trouble = holds(copy);
  const logic = (machine.implementations.actors as Record<string, AnyActorLogic>)[src];
  const names = toolsIn(logic) === null ? toolNamedIn(copy) : null;
  if (trouble === null && names === null) return [];
  return [{ path, actor: src, lost: trouble && { ...trouble, path: trouble.path.join('/') }, names }];
}

/** The transitions, by their events, and entries and exits (null) of a state that run an action which is code without a name. */
function* inlineIn(node: AnyStateNode): Generator<string | null> {
  if ([...node.entry, ...node.exit].some(isBare)) yield null;
  const always = (node.always ?? []).map((transition) => ['always', transition] as const);
  const others = [...node.transitions].flatMap(([event, list]) => list.map((each) => [event, each] as const));
  for (const [event, { actions }] of [...always, ...others]) if (actions.some(isBare)) yield event;
}

/** True for a function of the user's own that is an action: those of xstate have a type. */
function isBare(action: unknown): boolean {
  return typeof action === 'function' && !String((action as { type?: unknown }).type ?? '').startsWith('xstate.');
}

/** The input of an invoked actor, as far as its function shows it on blanks; null where it shows nothing. */
function shownBy(input: unknown, { config }: AnyStateMachine): { readonly is: unknown } | null {
  if (typeof input !== 'function') return input === undefined ? null : { is: input };
  const context = typeof config.context === 'object' ? config.context : blank();
  try {
    return { is: input({ context, event: blank(), self: blank() }) };
  } catch {
    return null;
  }
}

/** The name of the field by which an input says which tool is meant; null if no field does. */
function toolNamedIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null) return null;
  const has = (name: string) => Object.hasOwn(input, name);
  const isText = (name: string) => ['string', 'object'].includes(typeof Reflect.get(input, name));
  const surely = NAMES_TOOL.find((name) => has(name) && isText(name));
  return surely ?? (ARGUMENTS.some(has) ? (MAY_NAME_TOOL.find((name) => has(name) && isText(name)) ?? null) : null);
}

const BLANKS = new WeakSet<object>();

/** An unknown value: each of its properties and results is another unknown value. */
function blank(): never {
  const ask: ProxyHandler<() => void> = {
    get: (_, name) => {
      if (name === Symbol.toPrimitive) return () => '';
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      return name === 'then' ? undefined : blank();
    },
    apply: () => blank(),
    construct: () => blank(),
  };
  // An arrow function has no fields that a proxy would have to show.
  const made = new Proxy(() => {}, ask);
  BLANKS.add(made);
  return made as never;
}

/** A copy of plain data with null for each blank; everything that is no plain data is itself. */
function withoutBlanks(value: unknown, around: ReadonlySet<object>): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  if (BLANKS.has(value)) return null;
  if (around.has(value)) return value;
  const within = new Set([...around, value]);
  if (Array.isArray(value)) return value.map((each) => withoutBlanks(each, within));
  const proto = Object.getPrototypeOf(value);
  if (proto !== Object.prototype && proto !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutBlanks(each, within)]));
}
