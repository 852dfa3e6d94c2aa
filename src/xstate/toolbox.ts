/**
 * Tools that one actor dispatches to, by a name in its input, like a loop around a model: a config sees each as a tool
 * of its own, `actor/tool` (boundary-format.md).
 */
import { type AnyActorLogic, type AnyStateMachine, fromPromise, type PromiseActorLogic } from 'xstate';
import { CodedError } from '../model/coded-error.ts';
import type { Act, ToolCall } from '../runtime/tool-call.ts';

/** Marks the logic of a toolbox with its tools, also for another copy of this package. */
const TOOLS = Symbol.for('belay.toolbox');

/** A tool of a toolbox: a function as `tool()` takes it. */
// biome-ignore lint/suspicious/noExplicitAny: each tool has an input of its own.
type BoxedTool = (call: ToolCall<any>) => Promise<unknown>;

/** The tools of a toolbox, by their names. */
export type ToolboxTools = Readonly<Record<string, BoxedTool>>;

/** The input of the actor: which tool, and what it is given. */
export type ToolboxInput<TTools extends ToolboxTools> = {
  [K in keyof TTools & string]: { readonly tool: K; readonly input: Parameters<TTools[K]>[0]['input'] };
}[keyof TTools & string];

/** The reasons why a toolbox cannot be made, or makes no call. */
type ToolboxErrorCode =
  /** It has no tool, one that is no function, or one with a name that is none. */
  | 'bad_toolbox'
  /** The input names no tool of it. The machine receives this as the error of the actor, and nothing was called. */
  | 'unknown_tool';

/** A toolbox that cannot be made, or that was asked for a tool that it has not. */
export class ToolboxError extends CodedError<ToolboxErrorCode> {
  override readonly name = 'ToolboxError';
}

/**
 * Makes actor logic that calls one of several tools, by the name in its input: `{ tool, input }`. A config declares each as `actor/tool`, with
 * class, key, undo and limits of its own.
 * @throws ToolboxError `bad_toolbox`.
 * @example
 * import { createActor, toPromise } from 'xstate';
 * import { toolbox } from 'belay-sidecar/xstate';
 *
 * const act = toolbox({
 *   search: async ({ input }: { input: string }) => `found ${input}`,
 *   book: async ({ input, key }: { input: { seat: string }; key: string | undefined }) => `${input.seat} under ${key}`,
 * });
 * const actor = createActor(act, { input: { tool: 'search', input: 'tea' } }).start();
 * assert.equal(await toPromise(actor), 'found tea');
 */
export function toolbox<TTools extends ToolboxTools>(
  tools: TTools,
): PromiseActorLogic<Awaited<ReturnType<TTools[keyof TTools]>>, ToolboxInput<TTools>> {
  const names = typeof tools === 'object' && tools !== null ? Object.keys(tools) : [];
  if (names.length === 0)
    throw new ToolboxError('bad_toolbox', 'a toolbox has at least one tool: toolbox({ search, book })');
  for (const name of names) {
    if (typeof tools[name] !== 'function')
      throw new ToolboxError('bad_toolbox', `${JSON.stringify(name)} is no function: give it as tool() takes one`);
    if (name === '' || name.includes('/'))
      throw new ToolboxError('bad_toolbox', `${JSON.stringify(name)} is no name for a tool: it is empty, or has a "/"`);
  }
  const own = { ...tools };
  const logic = fromPromise<unknown, unknown>(async (call) => {
    const asked = askedOf(own, call.input);
    if ('error' in asked) throw asked.error;
    const { act, input } = asked;
    return act({ ...(call as unknown as ToolCall<unknown>), input });
  });
  return Object.assign(logic, { [TOOLS]: own }) as never;
}

/** The tools of an actor's logic; null where it is no toolbox. */
export function toolsIn(logic: AnyActorLogic | undefined): ToolboxTools | null {
  return (logic as { [TOOLS]?: ToolboxTools } | undefined)?.[TOOLS] ?? null;
}

/** A toolbox with other functions under the same names. */
export function changedTools(
  tools: ToolboxTools,
  change: (tool: string, act: Act) => Act,
): PromiseActorLogic<unknown, unknown> {
  const changed = Object.entries(tools).map(([name, act]) => [name, change(name, act)] as const);
  return toolbox(Object.fromEntries(changed)) as never;
}

/** The call that the input of a toolbox asks for; an error if the input names none of its tools. */
function askedOf(
  tools: ToolboxTools,
  asked: unknown,
): { readonly tool: string; readonly act: Act; readonly input: unknown } | { readonly error: ToolboxError } {
  const { tool, input } = (typeof asked === 'object' && asked !== null ? asked : {}) as {
    tool?: unknown;
    input?: unknown;
  };
  const act = typeof tool === 'string' && Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (act !== undefined) return { tool: tool as string, act, input };
  const known = Object.keys(tools).join(', ');
  const error = new ToolboxError(
    'unknown_tool',
    `${JSON.stringify(tool) ?? 'nothing'} is no tool of the box: it has ${known}`,
  );
  return { error };
}

/** The tool that an actor is to a config, and its input: for a toolbox, the tool that the input names. */
export function toolOf(
  actor: string,
  logic: AnyActorLogic | undefined,
  input: unknown,
): { readonly tool: string; readonly input: unknown } {
  const tools = toolsIn(logic);
  const asked = tools === null ? null : askedOf(tools, input);
  return asked === null || 'error' in asked
    ? { tool: actor, input }
    : { tool: `${actor}/${asked.tool}`, input: asked.input };
}

/**
 * The actor that runs a tool of the config, and `whole`, which makes the input of the actor from the input of the tool.
 * Undefined if the machine has no such actor.
 */
export function actorOf(
  machine: AnyStateMachine,
  tool: string,
): { readonly name: string; readonly logic: AnyActorLogic; readonly whole: (input: unknown) => unknown } | undefined {
  const actors = machine.implementations.actors as Readonly<Record<string, AnyActorLogic | undefined>>;
  const logic = actors[tool];
  if (logic !== undefined) return { name: tool, logic, whole: (input) => input };
  const slash = tool.lastIndexOf('/');
  const [name, inner] = [tool.slice(0, slash), tool.slice(slash + 1)];
  const tools = slash === -1 ? null : toolsIn(actors[name]);
  if (tools === null || !Object.hasOwn(tools, inner)) return undefined;
  return { name, logic: actors[name] as AnyActorLogic, whole: (input) => ({ tool: inner, input }) };
}
