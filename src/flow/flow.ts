/** Flows: named steps in an async function, each a tool call under the sidecar (`belay-sidecar/flow`). */

import { ANYTHING, CODE, NAME, oneOf, optional, refuseOther, shape } from '../model/argument.ts';
import type { ToolCall } from '../runtime/tool-call.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { type EnteredProgram, HANDED_OUT } from '../sidecar/opening/handed-out.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import { type Invoked, receivingWays } from '../sidecar/opening/receiving.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';
import { Execution, type Setting } from './execution.ts';
import { FlowError } from './flow-error.ts';

export type { ToolCall } from '../runtime/tool-call.ts';
export type { TurnOptions } from '../runtime/turns.ts';
export type { EnteredProgram } from '../sidecar/opening/handed-out.ts';
export { FlowError, type FlowErrorCode } from './flow-error.ts';

/**
 * Takes a step: calls the function through the sidecar, or answers what the journal has. The name is the step's tool and its state in the
 * config; behind an `@` it says what this step is about (`reserve@sku-1`), so that a step can be taken once for each of many.
 */
export interface Step {
  <TIn, TOut>(name: string, input: TIn, act: (call: ToolCall<TIn>) => Promise<TOut>): Promise<TOut>;
  /**
   * A marker in front of a change of the function: false in a run that had passed this place before the marker was there, which so goes on along its old way.
   * The marker may go once no run from before is under way (`belay drains`).
   */
  since(marker: string): boolean;
}

/** Ends the turn, and waits for the input of the next one. What the turn has to say is what `invoke` answers with. */
export type Receive = <TTurn = unknown>(said?: unknown) => Promise<TTurn>;

/** The options of a run of a flow; the input counts for a run that begins. */
export interface FlowOptions<TInput> extends RunOptions {
  readonly input: TInput;
  /**
   * `stands`, as where it is left out: what a turn has said is never taken back. `rewritten`: the callers are programs, and a complaint may go back behind the
   * end of a turn; the inputs of later turns come again by themselves.
   */
  readonly said?: 'stands' | 'rewritten';
}

/** A run of a flow. */
export type AttachedFlow = RunCommands & Invoked;

/** A flow, to be run under the sidecar, by itself or by workers. */
export interface Flow<TInput> extends EnteredProgram {
  /** Begins a run. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
  attach(options: FlowOptions<TInput>): Promise<AttachedFlow>;
  /** Takes a run up where its journal ends. @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`). */
  resume(options: FlowOptions<TInput>): Promise<AttachedFlow>;
}

/**
 * Makes a flow of a function. The function is entered again after each restore and in each process, so that what it does outside its
 * steps and `receive` has to lead to the same steps; `agent` is the name that its config has for it.
 * @throws ArgumentError; `attach` and `resume` of the flow say what they throw.
 * @example
 * import { loadConfig } from 'belay-sidecar';
 * import { flow } from 'belay-sidecar/flow';
 *
 * const { config } = loadConfig('belay: 1\nagent: greeting\ntools:\n  greet: { effect: none }\nskeletons: {}\n', { file: 'g.yaml' });
 * assert.ok(config);
 * const greeting = flow<string>('greeting', async (step, name) => step('greet', name, async ({ input }) => `hello ${input}`));
 * const run = await greeting.attach({ run: 'greeting-1', config, input: 'you' });
 * assert.deepEqual(await run.finished(), { status: 'done', output: 'hello you' });
 * await run.close();
 */
export function flow<TInput>(
  agent: string,
  body: (step: Step, input: TInput, receive: Receive) => Promise<unknown>,
): Flow<TInput> {
  refuseOther('flow', { agent: [agent, NAME], body: [body, CODE] });
  const { begin, resume, handed } = receivingWays({
    agent,
    kind: 'flow',
    runtime: (_, around) => {
      const setting: Setting = {
        ...around,
        body: ({ step, since, input, receive }) =>
          body(Object.assign(step, { since }) as Step, input as TInput, ((said) => receive(said)) as Receive),
      };
      return (watcher) => new Execution(setting, watcher);
    },
    refuse: (code, text) => new FlowError(code, text),
  });
  const run = async (open: typeof begin, options: FlowOptions<TInput>): Promise<AttachedFlow> => {
    refuseOther(`the flow "${agent}"`, { options: [options, FLOW_OPTIONS] });
    const { commands, start } = await open(options);
    start();
    return commands;
  };
  return {
    attach: (options) => run(begin, options),
    resume: (options) => run(resume, options),
    [HANDED_OUT]: handed,
  };
}

/** The kinds of the options. */
const FLOW_OPTIONS = shape<FlowOptions<unknown>>('an object: { run, config, input }', {
  ...RUN_FIELDS,
  input: ANYTHING,
  said: optional(oneOf('stands', 'rewritten')),
});
