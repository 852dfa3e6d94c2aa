/** Loops: an async function that calls a model and tools, and receives one input after the other, under the sidecar (`belay-sidecar/loop`). */
import { ANYTHING, CODE, NAME, oneOf, optional, refuseOther, shape } from '../model/argument.ts';
import type { ToolCall } from '../runtime/tool-call.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { type EnteredProgram, HANDED_OUT } from '../sidecar/opening/handed-out.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import { type Invoked, receivingWays } from '../sidecar/opening/receiving.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';
import { Execution, type Setting, type Ways } from './execution.ts';
import { LoopError } from './loop-error.ts';

export type { ToolCall } from '../runtime/tool-call.ts';
export type { TurnOptions } from '../runtime/turns.ts';
export type { EnteredProgram } from '../sidecar/opening/handed-out.ts';
export { LoopError, type LoopErrorCode } from './loop-error.ts';

/** What the function of a loop is handed. Every act on the world, and every answer from outside, goes through these. */
export interface LoopWays {
  /**
   * Asks a model, as the tool `model` of the config: the answer is kept, and an answered question is never asked again until the answer is found wrong.
   * @param question tells this question from another one: the messages, for instance. The journal has its digest.
   */
  think<TOut>(question: unknown, ask: (call: { readonly signal: AbortSignal }) => Promise<TOut>): Promise<TOut>;
  /** Calls a tool. Calls that are asked for together go on side by side. @param id tells this call from all others of its tool: the id that the model gave it. */
  act<TIn, TOut>(tool: string, id: string, input: TIn, act: (call: ToolCall<TIn>) => Promise<TOut>): Promise<TOut>;
  /** Ends the turn, and waits for the input of the next one. @param said is what the turn has to say: `invoke` answers with it. */
  receive<TTurn = unknown>(said?: unknown): Promise<TTurn>;
  /** The input that the run was begun with. */
  readonly input: unknown;
}

/** The options of a run of a loop. */
export interface LoopOptions extends RunOptions {
  readonly input?: unknown;
  /**
   * `stands`, as where it is left out: what a turn has said is never taken back. `rewritten`: the callers are programs, and a complaint may go back behind the
   * end of a turn; the inputs of later turns come again by themselves.
   */
  readonly said?: 'stands' | 'rewritten';
}

/** A run of a loop. */
export type AttachedLoop = RunCommands & Invoked;

/** A loop, to be run under the sidecar, by itself or by workers. */
export interface Loop extends EnteredProgram {
  /** Begins a run. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
  attach(options: LoopOptions): Promise<AttachedLoop>;
  /** Takes a run up where its journal ends; one of which nothing is recorded begins. @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`). */
  resume(options: LoopOptions): Promise<AttachedLoop>;
}

/**
 * Makes a loop of a function. The function is entered again after each restore and in each process, and is answered from the journal as far as that goes: what it
 * does outside of `think`, `act` and `receive` has to lead to the same calls. `agent` is the name that its config has for it.
 * @throws ArgumentError; `attach` and `resume` of the loop say what they throw.
 * @example
 * import { loadConfig } from 'belay-sidecar';
 * import { loop } from 'belay-sidecar/loop';
 *
 * const text = 'belay: 1\nagent: echo\ntools:\n  model: { reads: [], writes: [], effect: none }\nskeletons: {}\n';
 * const { config } = loadConfig(text, { file: 'echo.yaml' });
 * assert.ok(config);
 * const echo = loop('echo', async ({ think, receive }) => {
 *   for (let said: unknown; ; ) {
 *     const word = await receive(said);
 *     said = await think(word, async () => `you say ${word}`);
 *   }
 * });
 * const run = await echo.attach({ run: 'echo-1', config });
 * assert.equal(await run.invoke('hello'), 'you say hello');
 * assert.equal(await run.invoke('bye'), 'you say bye');
 * await run.close();
 */
export function loop(agent: string, body: (ways: LoopWays) => Promise<unknown>): Loop {
  refuseOther('loop', { agent: [agent, NAME], body: [body, CODE] });
  const { begin, resume, handed } = receivingWays({
    agent,
    kind: 'loop',
    runtime: ({ config }, around) => {
      const setting: Setting = { ...around, body: (ways) => body(waysOf(ways)), tools: config.tools };
      return (watcher) => new Execution(setting, watcher);
    },
    refuse: (code, text) => new LoopError(code, text),
  });
  const checked = (options: LoopOptions): LoopOptions => {
    refuseOther(`the loop "${agent}"`, { options: [options, LOOP_OPTIONS] });
    return options;
  };
  return {
    attach: async (options) => (await begin(checked(options))).commands,
    resume: async (options) => (await resume(checked(options))).commands,
    [HANDED_OUT]: handed,
  };
}

/** The ways as the function is handed them. */
function waysOf({ call, think, receive, input }: Ways): LoopWays {
  return {
    think: (question, ask) => think(question, ({ signal }) => ask({ signal })) as never,
    act: (tool, id, given, act) => {
      refuseOther('act', { tool: [tool, NAME], id: [id, NAME], act: [act, CODE] });
      return call(tool, id, given, act as never) as never;
    },
    receive: (said) => receive(said) as never,
    input,
  };
}

/** The kinds of the options. */
const LOOP_OPTIONS = shape<LoopOptions>('an object: { run, config }', {
  ...RUN_FIELDS,
  input: ANYTHING,
  said: optional(oneOf('stands', 'rewritten')),
});
