/** A tool as an actor: an ordinary promise, to which the sidecar hands the idempotency key of the call (semantics.md E3). */

import { fromPromise, type PromiseActorLogic } from 'xstate';
import { CODE, listOf, NAME, optional, refuseOther, shape } from '../model/argument.ts';
import type { ToolVersion } from '../model/tool-version.ts';
import type { ToolCall } from '../runtime/tool-call.ts';

/** Marks the logic of a tool with its function, also for another copy of this package. */
const ACT = Symbol.for('belay.tool');

/** Marks the logic of a tool with its version, also for another copy of this package. */
const VERSION = Symbol.for('belay.version');

/** The options of a tool. */
export interface ToolOptions {
  /** The version of the function: another text where it acts on another thing, or acts otherwise. */
  readonly version?: string;
  /** The older versions whose calls and answers are as good as its own; left out, there are none. */
  readonly takes?: readonly string[];
}

const TOOL_OPTIONS = shape<ToolOptions>('an object: { version, takes }', {
  version: optional(NAME),
  takes: optional(listOf(NAME)),
});

/**
 * Makes actor logic from a function, as `fromPromise` does. With a `version`, each call is recorded under that version:
 * another version takes the run up only if its `takes` lists the recorded version.
 * @example
 * import { createActor, setup, toPromise } from 'xstate';
 * import { tool } from 'belay-sidecar/xstate';
 *
 * const double = tool<number, number>(async ({ input }) => input * 2);
 * const actor = createActor(double, { input: 21 }).start();
 * assert.equal(await toPromise(actor), 42);
 * assert.ok(setup({ actors: { double } }));
 */
export function tool<TOutput, TInput>(
  act: (call: ToolCall<TInput>) => Promise<TOutput>,
  options: ToolOptions = {},
): PromiseActorLogic<TOutput, TInput> {
  refuseOther('tool', { act: [act, CODE], options: [options, TOOL_OPTIONS] });
  const logic = fromPromise<TOutput, TInput>((call) => act(call as unknown as ToolCall<TInput>));
  const { version, takes = [] } = options;
  return Object.assign(logic, { [ACT]: act, ...(version !== undefined && { [VERSION]: { version, takes } }) });
}

/** The version of the logic of a tool; undefined where it names none. */
export function versionOf(logic: object): ToolVersion | undefined {
  return (logic as { [VERSION]?: ToolVersion })[VERSION];
}

/** Gives the logic that takes the place of a tool's the version of that tool. */
export function versionedAs<TLogic extends object>(logic: TLogic, tool: object): TLogic {
  const version = versionOf(tool);
  return version === undefined ? logic : Object.assign(logic, { [VERSION]: version });
}

/** True where the logic of a promise may use the idempotency key of its call: a `tool()` whose function does not leave it out. */
export function takesKey(logic: object): boolean {
  const act = (logic as { [ACT]?: unknown })[ACT];
  return typeof act === 'function' && mayTakeKey(act as (...given: never[]) => unknown);
}

/** True unless the parameters of a function show that it does not look at `key`: none at all, or a pattern without it. */
export function mayTakeKey(act: (...given: never[]) => unknown): boolean {
  const source = Function.prototype.toString.call(act);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) return true;
  const start = source.search(/[({=]/);
  if (source[start] !== '(') return true; // call => ...
  const first = source.slice(start + 1).trimStart();
  if (first.startsWith(')')) return /\barguments\b/.test(source);
  if (!first.startsWith('{')) return true;
  return /\.\.\.|(?<![\w$])key(?![\w$])/.test(first.slice(0, closing(first)));
}

/** Where the brace that opens a text is closed. */
function closing(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return text.length;
}
