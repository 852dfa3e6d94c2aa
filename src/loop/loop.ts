/** Loops: an async function that calls a model and tools, and receives one input after the other, under the sidecar (`belay-sidecar/loop`). */
import { createHash, randomBytes } from 'node:crypto';
import { ANYTHING, CODE, kind, NAME, optional, refuseOther, shape } from '../model/argument.ts';
import type { ToolCall } from '../runtime/tool-call.ts';
import { handIn, type ThreadNotes, type TurnCode, type TurnOptions } from '../runtime/turns.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { configOf } from '../sidecar/opening/config.ts';
import { type EnteredProgram, HANDED_OUT, type HandedOptions, type HandedOut } from '../sidecar/opening/handed-out.ts';
import { beginRun, resumeRun } from '../sidecar/opening/open-run.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';
import { isStill, noTurn, type Standstill, standstill } from '../sidecar/standstill.ts';
import { Execution, type Setting, type Ways } from './execution.ts';
import { LoopError } from './loop-error.ts';
import { Rest } from './rest.ts';

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
export interface AttachedLoop extends RunCommands {
  /**
   * Hands in the input of the next turn, and answers with what that turn says; with the output, where the loop returns. Without an input, goes on to where the
   * loop rests. The input of the turn that is open goes on with it, in another process, too.
   * @throws LoopError `turn_open` for another input while a turn is open; `turn_differs`, `turn_over` for the id of another turn; `run_over`;
   * `run_parked`, `paused`, `run_cancelled` where the run takes none.
   */
  invoke(input?: unknown, turn?: TurnOptions): Promise<unknown>;
}

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
  const digest = createHash('sha256').update(`loop ${agent}`).digest('hex');
  const programFor = (options: HandedOptions, rest = new Rest()): ReturnType<HandedOut['programFor']> => {
    const setting: Setting = {
      body: (ways) => body(waysOf(ways)),
      tools: options.config.tools,
      codecs: options.codecs ?? [],
      salt: randomBytes(16).toString('hex'),
      said: options.said ?? 'stands',
      rests: () => rest.comes(),
      leavesRest: () => rest.goes(),
    };
    const { input } = options;
    return { program: { agent, digest, input, runtime: (watcher) => new Execution(setting, watcher) }, options };
  };
  const run = async (open: typeof resumeRun, options: LoopOptions): Promise<AttachedLoop> => {
    refuseOther(`the loop "${agent}"`, { options: [options, LOOP_OPTIONS] });
    const rest = new Rest();
    const given = programFor({ ...options, config: configOf(agent, options) }, rest);
    const { root, commands } = await open(given.program, given.options);
    return attached(root as Execution, commands, rest);
  };
  return {
    attach: (options) => run(beginRun, options),
    resume: (options) => run(resumeRun, options),
    [HANDED_OUT]: { agent, digestFor: () => digest, programFor: (options) => programFor(options) },
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

function attached(execution: Execution, commands: RunCommands, rest: Rest): AttachedLoop {
  const ended = async (): Promise<unknown> => {
    const ending = await commands.finished();
    if (ending.status === 'done') return ending.output;
    throw still(standstill(ending));
  };
  const invoke: AttachedLoop['invoke'] = async (input, turn = {}) => {
    refuseOther('invoke', { turn: [turn, TURN] });
    execution.start();
    const { turns } = execution;
    // A loop that is entered again has to come to its receive() first: a turn that was taken back comes before any other.
    if (!rest.is && (turns.isResting || turns.turn?.turn === 0)) await Promise.race([rest.next(), ended()]);
    if (input !== undefined) {
      const refuse = (code: TurnCode | 'run_over', text: string) => new LoopError(code, text);
      if (commands.status === 'done') throw refuse('run_over', 'The loop has returned, and receives nothing more.');
      handIn(turns, input, turn.id, refuse, () => still(noTurn(commands.status)));
      const own = turns.turn;
      await Promise.race([rest.next(), ended()]);
      if (rest.is && isGone(own, turns.turn))
        throw refuse('turn_retracted', 'The turn was taken out by an act on it, or on a turn before it.');
    } else if (rest.is && isStill(commands.status)) throw still(noTurn(commands.status));
    if (rest.is) return execution.said;
    return Promise.race([rest.next().then(() => execution.said), ended()]);
  };
  return Object.create(commands, Object.getOwnPropertyDescriptors({ invoke })) as AttachedLoop;
}

/** True for a turn that the run has no more. */
function isGone(own: ThreadNotes | null, last: ThreadNotes | null): boolean {
  return own !== null && (last?.turn ?? 0) < own.turn && last?.is !== own.is;
}

function still({ code, text }: Standstill): LoopError {
  return new LoopError(code, text);
}

const TURN = shape<TurnOptions>('a turn: { id }', { id: optional(NAME) });

const isSaid = (value: unknown) => value === 'stands' || value === 'rewritten';

/** The kinds of the options. */
const LOOP_OPTIONS = shape<LoopOptions>('an object: { run, config }', {
  ...RUN_FIELDS,
  input: ANYTHING,
  said: optional(kind("'stands' or 'rewritten'", isSaid)),
});
