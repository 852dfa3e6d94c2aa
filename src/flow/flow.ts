/** Flows: named steps in an async function, each a tool call under the sidecar (`belay-sidecar/flow`). */
import { createHash } from 'node:crypto';
import type { ToolCall } from '../runtime/tool-call.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { beginRun, type Program, resumeRun } from '../sidecar/opening/open-run.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import { type Body, Execution } from './execution.ts';

/**
 * Takes a step: calls the function through the sidecar, or answers what the journal has. The name is the step's tool and its state in the
 * config; behind an `@` it says what this step is about (`reserve@sku-1`), so that a step can be taken once for each of many.
 */
export type Step = <TInput, TOutput>(
  name: string,
  input: TInput,
  act: (call: ToolCall<TInput>) => Promise<TOutput>,
) => Promise<TOutput>;

/** The options of a run of a flow; the input counts for a run that begins. */
export interface FlowOptions<TInput> extends RunOptions {
  readonly input: TInput;
}

/** A flow, to be run under the sidecar. */
export interface Flow<TInput> {
  /** Begins a run. @throws SidecarError, JournalError (`run_exists`, `lease_held`). */
  attach(options: FlowOptions<TInput>): Promise<RunCommands>;
  /** Takes a run up where its journal ends. @throws SidecarError, JournalError (`journal_corrupt`, `lease_held`). */
  resume(options: FlowOptions<TInput>): Promise<RunCommands>;
}

/**
 * Makes a flow of a function. The function is entered again after each restore and in each process, so that what it does outside its
 * steps has to lead to the same steps; `agent` is the name that its config has for it.
 * @throws nothing; `attach` and `resume` of the flow say what they throw.
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
export function flow<TInput>(agent: string, body: (step: Step, input: TInput) => Promise<unknown>): Flow<TInput> {
  const digest = createHash('sha256').update(`flow ${agent}`).digest('hex');
  const runtime: Program['runtime'] = (watcher) => new Execution(body as Body, watcher);
  const run = async (open: typeof resumeRun, options: FlowOptions<TInput>): Promise<RunCommands> => {
    const { root, commands } = await open({ agent, digest, input: options.input, runtime }, options);
    (root as Execution).start();
    return commands;
  };
  return { attach: (options) => run(beginRun, options), resume: (options) => run(resumeRun, options) };
}
