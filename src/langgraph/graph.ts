/** Graphs of LangGraph under the sidecar (`belay-sidecar/langgraph`). */

import { createHash, randomBytes } from 'node:crypto';
import { type Command, INTERRUPT, isCommand, type StateSnapshot } from '@langchain/langgraph';
import type { BoundaryConfig } from '../boundaries/config.ts';
import { ANYTHING, kind, NAME, OBJECT, optional, refuseOther, shape } from '../model/argument.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';
import { handIn, TAKEN_OUT, type ThreadNotes, type TurnCode, type TurnOptions } from '../runtime/turns.ts';
import type { RunCommands } from '../sidecar/opening/commands.ts';
import { configOf } from '../sidecar/opening/config.ts';
import { type EnteredProgram, HANDED_OUT } from '../sidecar/opening/handed-out.ts';
import { beginRun, resumeRun } from '../sidecar/opening/open-run.ts';
import type { RunOptions } from '../sidecar/opening/options.ts';
import type { Program } from '../sidecar/opening/program.ts';
import { RUN_FIELDS } from '../sidecar/opening/taken-options.ts';
import { isStill, noTurn, type Standstill, standstill } from '../sidecar/standstill.ts';
import { Beside } from './beside/beside.ts';
import { CODECS } from './codecs.ts';
import { type Graph, keptCopy } from './copy.ts';
import { Execution } from './execution.ts';
import { GraphError } from './graph-error.ts';
import { unitsOf } from './line/edges.ts';
import { Questions } from './questions.ts';
import {
  type GraphSettings,
  refuseBound,
  refuseCheckpointer,
  refuseConfig,
  refuseFork,
  refuseInput,
  refuseSettings,
  refuseUpdate,
} from './refusals/settings.ts';
import { refuseUnsupported, stateChannels } from './refusals/support.ts';
import { Resting } from './resting.ts';
import type { Setting } from './setting.ts';
import { tieFor } from './ties.ts';

export type { EnteredProgram };

/** The options of a run of a graph. A run is taken up with the input that it was begun with, or without one. */
export interface GraphOptions extends RunOptions {
  readonly input?: unknown;
  readonly settings?: GraphSettings;
  /**
   * Makes the run a thread: each input of `invoke` behind a turn that is over is the next turn. `said: 'stands'`, as where it is left out: what a turn has
   * said is never taken back. `said: 'rewritten'`: the callers are programs, and a complaint may go back behind the end of a turn; the inputs of later
   * turns come again by themselves.
   */
  readonly thread?: boolean | { readonly said?: 'stands' | 'rewritten' };
}

/** The ways in which a graph streams, as LangGraph has them. */
export interface StreamOptions {
  readonly streamMode?: string | readonly string[];
  readonly subgraphs?: boolean;
}

/** A graph under the sidecar: LangGraph's own ways to run it, and the commands of a run. */
export interface AttachedGraph extends RunCommands {
  /**
   * Runs the graph until it is done or asks. With a `Command` that has a `resume`, it answers first what was asked.
   * @returns the state as the graph gives it out, with the open questions under `__interrupt__`.
   * @throws GraphError `run_parked` where a person has to act first, `no_question`; GraphDrained of LangGraph, where its `control` has drained it.
   */
  invoke(command?: Command | null): Promise<Record<string, unknown>>;
  /**
   * Begins the next turn of a thread with an input, and runs the graph until it rests behind that turn or asks. The input of the turn that is open goes
   * on with it, in another process, too.
   * @throws GraphError `turn_open` for another input while a turn is open; `turn_differs`, `turn_over` for the id of another turn; `turn_retracted` for a turn
   * that an act on a turn has taken out; `run_parked`.
   */
  invoke(input: object, turn?: TurnOptions): Promise<Record<string, unknown>>;
  /** Runs the graph as `invoke` does, and gives its chunks. What is done again after a failure is streamed again. @throws GraphError as `invoke`. */
  stream(command?: Command | object | null, options?: StreamOptions & TurnOptions): AsyncGenerator<unknown>;
  /**
   * Answers what the graph asks, and runs it on: by id, `{ [id]: value }`, or without one the single question that was handed out last: by `invoke()` without
   * a command, by `questions()`, or in the `__interrupt__` of a result that was read. @throws GraphError as `invoke`.
   */
  resume(command: Command): Promise<Record<string, unknown>>;
  /** The state of the graph where it stands now, as LangGraph has it. @throws GraphError `graph_running` before the graph was entered. */
  getState(options?: { readonly subgraphs?: boolean }): Promise<StateSnapshot>;
  /** Refuses to write the state from outside, where no unit has written it: say what was wrong with `fail`. @throws GraphError `unsupported_graph`. */
  updateState(...given: unknown[]): Promise<never>;
  /** Lists the questions that the graph waits for, and hands them out: a bare answer is for the question that was handed out last. */
  questions(): readonly { readonly node: string; readonly id: string; readonly value: unknown }[];
}

/**
 * Begins a run of a compiled graph under the sidecar. The graph that is given is not touched. Its name, `compile({ name })`, is that of the
 * agent in its config.
 * @throws GraphError `unsupported_graph`; SidecarError, JournalError (`run_exists`, `lease_held`).
 * @example
 * import { Annotation, StateGraph } from '@langchain/langgraph';
 * import { loadConfig } from 'belay-sidecar';
 * import { attachGraph, graphTool } from 'belay-sidecar/langgraph';
 *
 * const greet = graphTool('greet', async ({ input }: { input: string }) => `hello ${input}`);
 * const graph = new StateGraph(Annotation.Root({ name: Annotation<string>, said: Annotation<string> }))
 *   .addNode('greeting', async ({ name }) => ({ said: await greet(name) }))
 *   .addEdge('__start__', 'greeting')
 *   .compile({ name: 'greeter' });
 * const { config } = loadConfig('belay: 1\nagent: greeter\ntools:\n  greet: { effect: none }\nskeletons: {}\n', { file: 'g.yaml' });
 * assert.ok(config);
 * const run = await attachGraph(graph, { run: 'greeting-1', config, input: { name: 'you' } });
 * assert.deepEqual(await run.invoke(), { name: 'you', said: 'hello you' });
 * await run.close();
 */
export function attachGraph(graph: object, options: GraphOptions): Promise<AttachedGraph> {
  return open('attachGraph', beginRun, graph as Graph, options);
}

/**
 * Takes a run of a graph up where its journal ends; one of which nothing is recorded begins.
 * @throws GraphError `unsupported_graph`; SidecarError (`other_input` for another input than it was begun with), JournalError (`journal_corrupt`,
 * `lease_held`).
 * @example
 * import { Annotation, StateGraph } from '@langchain/langgraph';
 * import { loadConfig } from 'belay-sidecar';
 * import { resumeGraph } from 'belay-sidecar/langgraph';
 *
 * const graph = new StateGraph(Annotation.Root({ sum: Annotation<number> }))
 *   .addNode('add', ({ sum }) => ({ sum: sum + 1 }))
 *   .addEdge('__start__', 'add')
 *   .compile({ name: 'adder' });
 * const { config } = loadConfig('belay: 1\nagent: adder\ntools: {}\nskeletons: {}\n', { file: 'a.yaml' });
 * assert.ok(config);
 * const run = await resumeGraph(graph, { run: 'sum-1', config, input: { sum: 1 } });
 * assert.deepEqual(await run.invoke(), { sum: 2 });
 * await run.close();
 */
export function resumeGraph(graph: object, options: GraphOptions): Promise<AttachedGraph> {
  return open('resumeGraph', resumeRun, graph as Graph, options);
}

/** Begins a run with another decision policy than every run has: for the audit (`seam.ts`). */
export function attachGraphJudged(
  graph: object,
  options: GraphOptions,
  decisionPolicy: DecisionPolicy,
): Promise<AttachedGraph> {
  return open('attachGraph', (program, own) => beginRun(program, own, decisionPolicy), graph as Graph, options);
}

/**
 * Makes the threads of a graph a program that workers carry: each run is a thread, and each message that brings a turn is one.
 * @param more the settings of its threads.
 * @throws GraphError `unsupported_graph`; ArgumentError.
 * @example
 * import { Annotation, StateGraph } from '@langchain/langgraph';
 * import { memoryStore } from 'belay-sidecar';
 * import { graphThreads } from 'belay-sidecar/langgraph';
 *
 * const graph = new StateGraph(Annotation.Root({ says: Annotation<string> }))
 *   .addNode('listen', async ({ says }) => ({ says }))
 *   .addEdge('__start__', 'listen')
 *   .compile({ name: 'listener' });
 * const program = graphThreads(graph); // startWorker({ agents: [{ program, config, about, open }], … })
 * assert.ok(program);
 */
export function graphThreads(graph: object, more: Pick<GraphOptions, 'settings'> = {}): EnteredProgram {
  refuseOther('graphThreads', { graph: [graph, GRAPH], settings: [more, THREADS] });
  const own = graph as Graph;
  refuseGraph(own, more, true);
  const withOwn = (options: RunOptions): GraphOptions => ({ ...options, ...more, codecs: codecsOf(options) });
  return {
    [HANDED_OUT]: {
      agent: own.getName(),
      digestFor: (config) => {
        const resting = new Resting(new Questions([]));
        return digestOf(own, settingOf(own, config, { run: '', config, thread: true }, resting));
      },
      programFor: ({ input, said = 'stands', ...options }) => {
        refuseInput(input);
        refuseUnsupported(own, options.config);
        const given = { ...withOwn(options), thread: { said } };
        const setting = settingOf(own, options.config, given, new Resting(new Questions(given.codecs ?? [])));
        return { program: programOf(own, setting), options: { ...options, codecs: codecsOf(options) } };
      },
    },
  };
}

function codecsOf({ codecs = [] }: RunOptions): NonNullable<RunOptions['codecs']> {
  return [...CODECS, ...codecs];
}

/** @throws GraphError `unsupported_graph`. */
function refuseGraph(graph: Graph, { settings = {} }: Pick<GraphOptions, 'settings'>, isOfThreads: boolean): void {
  refuseUnsupported(graph, null);
  if (!isOfThreads) refuseCheckpointer(graph);
  refuseSettings(settings);
  refuseBound(graph.config ?? {});
}

function programOf(graph: Graph, setting: Setting, input?: unknown): Program {
  const { said, limit } = setting;
  const isHeldToInput = said === null ? { isHeldToInput: true as const } : {};
  const runtime: Program['runtime'] = (watcher) => new Execution(setting, watcher);
  const more = { ...isHeldToInput, ...(setting.beside !== null && { observer: setting.beside }) };
  return { agent: graph.getName(), digest: digestOf(graph, setting), input, ...more, runtime, limit };
}

async function open(
  called: string,
  opens: typeof resumeRun,
  graph: Graph,
  given: GraphOptions,
): Promise<AttachedGraph> {
  refuseOther(called, { graph: [graph, GRAPH], options: [given, GRAPH_OPTIONS] });
  const codecs = codecsOf(given);
  const resting = new Resting(new Questions(codecs));
  const options = { ...given, codecs };
  refuseGraph(graph, given, isThread(given));
  if (isThread(given)) refuseInput(given.input);
  const config = configOf(graph.getName(), options);
  refuseUnsupported(graph, config);
  const setting = settingOf(graph, config, options, resting);
  const { root, commands } = await opens(programOf(graph, setting, given.input), { ...options, config });
  return attached(root as Execution, commands, resting, setting);
}

/** The supersteps that LangGraph allows an entry, where nothing says otherwise. */
const DEFAULT_LIMIT = 25;

function settingOf(graph: Graph, config: BoundaryConfig, options: GraphOptions, resting: Resting): Setting {
  const { settings = {}, codecs = [] } = options;
  const [own, channels, thread] = [keptCopy(graph), stateChannels(graph), threadOf(graph, options)];
  const { checkpointer: saver } = graph;
  const beside = typeof saver === 'object' ? new Beside({ saver, thread: String(thread), graph: own, channels }) : null;
  return {
    graph: own,
    codecs,
    channels,
    beside,
    tools: config.tools,
    units: unitsOf(config, graph),
    salt: randomBytes(16).toString('hex'),
    said: isThread(options) ? saidOf(options) : null,
    rests: () => resting.rests(),
    leavesRest: () => resting.leavesRest(),
    limit: settings.recursionLimit ?? graph.config?.recursionLimit ?? DEFAULT_LIMIT,
    settings: { ...settings, configurable: { ...settings.configurable, thread_id: thread } },
    modes: () => resting.modes,
    subgraphs: () => resting.subgraphs,
    tieOf: tieFor(config),
    chunk: (chunk, questions) => resting.chunk(chunk, questions),
    idOf: (interrupt, nth, epoch) => resting.questions.idOf(interrupt, nth, epoch),
    asks: (questions) => {
      resting.asks(questions);
      beside?.asks(questions);
    },
    drains: (error) => resting.drains(error),
  };
}

function isThread({ thread }: GraphOptions): boolean {
  return thread !== undefined && thread !== false;
}

function saidOf({ thread }: GraphOptions): 'stands' | 'rewritten' {
  return (typeof thread === 'object' ? thread.said : undefined) ?? 'stands';
}

/** The thread that LangGraph and the nodes see: that of the settings, or the one bound to the graph; the name of the run, if neither names one. */
function threadOf({ config }: Graph, { run, settings }: GraphOptions): unknown {
  return settings?.configurable?.thread_id ?? config?.configurable?.thread_id ?? run;
}

/** The digest of the nodes and edges of a graph, and of the control that its runs have: a run is taken up with the same. */
function digestOf({ nodes, builder, channels }: Graph, { units, said }: Setting): string {
  const edges = [...(builder?.edges ?? [])].map(([from, to]) => `${from} ${to}`).sort();
  const branches = Object.entries(builder?.branches ?? {}).map(([from, by]) => [
    from,
    Object.keys(by as object).sort(),
  ]);
  const shape = [Object.keys(nodes).sort(), edges, branches, Object.keys(channels).sort()];
  return createHash('sha256')
    .update(
      `langgraph ${said === null ? '' : 'thread '}${units === null ? '' : 'one node at a time '}${JSON.stringify(shape)}`,
    )
    .digest('hex');
}

function attached(
  execution: Execution,
  commands: RunCommands,
  resting: Resting,
  { settings: { configurable }, said, beside }: Setting,
): AttachedGraph {
  const refuse = (code: TurnCode, text: string) => new GraphError(code, text);
  /** Sets the graph going, or on. @returns the turn that was handed in or answered; null where none was. */
  const goOn = (command: Command | object | null | undefined, { id }: TurnOptions = {}): ThreadNotes | null => {
    resting.drained = null;
    if (command == null) {
      execution.start();
      return null;
    }
    if (said !== null && !isCommand(command)) {
      execution.start();
      handIn(execution.turns, command, id, refuse, () => still(noTurn(commands.status)));
      return execution.turns.turn;
    }
    if (!isCommand(command))
      throw new GraphError('no_question', 'A graph that runs takes a Command, and its input when it is attached.');
    execution.answer(resting.questions.answer(command));
    return said === null ? null : execution.turns.turn;
  };
  const rest = async (
    command: Command | object | null | undefined,
    turn: ThreadNotes | null,
  ): Promise<Record<string, unknown>> => {
    const ending = await Promise.race([resting.asked(), commands.finished()]);
    await beside?.settled();
    // An earlier turn may ask again, or the thread rests.
    if (typeof ending === 'string' && execution.turns.isGone(turn)) throw refuse('turn_retracted', TAKEN_OUT);
    if (ending === 'asks') {
      // Who only asks where the graph stands is handed its questions; who answers may say the same answer twice, and has to look.
      if (!isCommand(command)) resting.questions.handOut();
      return resting.questions.showIn(execution.result as object, INTERRUPT) as Record<string, unknown>;
    }
    if (ending === 'rests') {
      // Who asks where a thread stands that is parked between two turns is told so.
      if (command == null && isStill(commands.status)) throw still(noTurn(commands.status));
      return execution.result as Record<string, unknown>;
    }
    if (ending.status === 'done') return ending.output as Record<string, unknown>;
    throw still(standstill(ending));
  };
  const mine: Omit<AttachedGraph, keyof RunCommands> = {
    async invoke(command?: Command | object | null, ...[config]: unknown[]) {
      if (said === null || command == null || isCommand(command)) refuseConfig(config);
      return rest(command, goOn(command, turnIn(config)));
    },
    resume: (...given) => mine.invoke(...given),
    async *stream(command, { streamMode = 'values', subgraphs = false, ...config } = {}) {
      if (said === null && Object.keys(config).length > 0) refuseConfig(config);
      const turn = turnIn(config);
      const isSingle = typeof streamMode === 'string';
      resting.modes = isSingle ? [streamMode] : streamMode;
      resting.subgraphs = subgraphs;
      const ending = rest(command, goOn(command, turn));
      for await (const chunk of resting.until(ending)) yield isSingle ? alone(chunk as unknown[]) : chunk;
      await ending;
    },
    async getState(options) {
      refuseFork(options);
      const graph = execution.running();
      if (graph === null)
        throw new GraphError('graph_running', 'The graph was not entered yet. Call invoke() or stream() first.');
      const state = await graph.getState({ configurable: { thread_id: configurable?.thread_id } } as never, options);
      return resting.questions.showInState(state);
    },
    updateState: async () => refuseUpdate(),
    questions: () => {
      const handed = resting.questions.handOut();
      return resting.questions.open.map(({ lane, id }, nth) => ({ node: lane.node, id, value: handed[nth]?.value }));
    },
  };
  return Object.create(commands, Object.getOwnPropertyDescriptors(mine)) as AttachedGraph;
}

/** The words of a caller about a turn. @throws GraphError `unsupported_graph` for a configuration of one request; TypeError for an id that is no text. */
function turnIn(config: unknown): TurnOptions {
  if (config == null) return {};
  const { id, ...others } = config as TurnOptions;
  if (Object.keys(others).length > 0) refuseConfig(others);
  refuseOther('invoke', { turn: [config as TurnOptions, TURN] });
  return id === undefined ? {} : { id };
}

/** The error of a run or a thread that goes on no more, or not before a person has acted. */
function still({ code, text }: Standstill): GraphError {
  return new GraphError(code, text);
}

/** A chunk of the only mode that was asked for: LangGraph gives it without the mode. */
function alone(chunk: unknown[]): unknown {
  return chunk.length === 3 ? [chunk[0], chunk[2]] : chunk[1];
}

/** The rest of what is no graph of Belay's has reasons of its own. */
const GRAPH = { ...OBJECT, words: 'a compiled StateGraph' };

const TURN = shape<TurnOptions>('a turn: { id }', { id: optional(NAME) });

function isThreadOption(value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'object' || value === null) return false;
  const { said = 'stands', ...others } = value as { readonly said?: unknown };
  return (said === 'stands' || said === 'rewritten') && Object.keys(others).length === 0;
}

const THREADS = shape<Pick<GraphOptions, 'settings'>>('an object: { settings }', { settings: optional(OBJECT) });

/** The options, as they are held against what is given. */
const GRAPH_OPTIONS = shape<GraphOptions>('an object: { run, config }', {
  ...RUN_FIELDS,
  input: ANYTHING,
  settings: optional(OBJECT),
  thread: optional(kind('true, or { said }', isThreadOption)),
});
