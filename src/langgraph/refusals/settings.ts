/** Refuses settings and requests that a run could not keep its word under, each with its reason and a way out. */
import type { RunnableConfig } from '@langchain/core/runnables';
import type { RunControl } from '@langchain/langgraph';
import { GraphError } from '../graph-error.ts';

/**
 * The configuration of each entry into a graph. A `control` drains it at the end of a superstep; each mode of `durability` is kept: an act is written
 * down before it is begun.
 */
export interface GraphSettings
  extends Pick<
    RunnableConfig,
    'callbacks' | 'configurable' | 'maxConcurrency' | 'metadata' | 'recursionLimit' | 'runId' | 'runName' | 'tags'
  > {
  readonly context?: unknown;
  readonly control?: RunControl;
  readonly durability?: 'async' | 'exit' | 'sync';
}

/** The settings that a graph takes as they are. */
const TAKEN: Readonly<Record<keyof GraphSettings, true>> = {
  callbacks: true,
  configurable: true,
  context: true,
  control: true,
  durability: true,
  maxConcurrency: true,
  metadata: true,
  recursionLimit: true,
  runId: true,
  runName: true,
  tags: true,
};

const IN_TOOLS = 'would drop calls under way. Give the tools a `timeout` in the config, or `close` the run.';
const ELSEWHERE = 'would keep what the run cannot take back. The journal keeps the run: leave it out.';
const IN_NODES = 'Call interrupt() in the node, which names its question.';
const TO_STREAM = 'Give it to stream().';
const FORKED =
  'A fork would do again what stands in the world, past the recovery line. Say what was wrong, run.fail(…): what rests on it is taken back and done again.';

/** The reasons against the others that LangGraph has. */
const WHY: Readonly<Record<string, string>> = {
  cache: `It ${ELSEWHERE}`,
  checkpointer: `It ${ELSEWHERE}`,
  store: `It ${ELSEWHERE}`,
  interruptAfter: IN_NODES,
  interruptBefore: IN_NODES,
  signal: `It ${IN_TOOLS}`,
  stepTimeout: `It ${IN_TOOLS}`,
  timeout: `It ${IN_TOOLS}`,
  streamMode: TO_STREAM,
  subgraphs: TO_STREAM,
};

/** @throws GraphError `unsupported_graph`. */
export function refuseSettings(settings: object): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || Object.hasOwn(TAKEN, name)) continue;
    const why = WHY[name] ?? `Leave it out: settings are ${Object.keys(TAKEN).join(', ')}.`;
    throw refused(`The settings have "${name}". ${why}`);
  }
  if ((settings as GraphSettings).maxConcurrency === 1)
    throw refused(
      'A maxConcurrency of 1 has LangGraph leave a superstep after its first task. Leave it out of the settings, or set 2.',
    );
  refuseFork(settings);
}

/** Refuses settings that `withConfig` has given the graph itself. @throws GraphError `unsupported_graph`. */
export function refuseBound(settings: object): void {
  refuseSettings(Object.fromEntries(Object.entries(settings).filter(([name]) => name === 'configurable' || WHY[name])));
}

/** Refuses a checkpointer beside a run that is no thread. @throws GraphError `unsupported_graph`. */
export function refuseCheckpointer({ checkpointer }: { readonly checkpointer?: unknown }): void {
  if (checkpointer)
    throw refused(
      'Belay cannot run this graph: it was compiled with a checkpointer, which is kept beside threads alone. Compile it without one, or give `thread: true`: the journal keeps the run, interrupts included.',
    );
}

/** Refuses a checkpoint to go on from. @throws GraphError `unsupported_graph`. */
export function refuseFork(config: unknown): void {
  const { configurable } = (config ?? {}) as RunnableConfig;
  for (const name of ['checkpoint_id', 'checkpoint_ns', 'checkpoint_map'])
    if (configurable?.[name]) throw refused(`A run stands at one place, and takes no "${name}". ${FORKED}`);
}

/** Refuses a configuration of one request. @throws GraphError `unsupported_graph`. */
export function refuseConfig(config: unknown): void {
  if (config == null) return;
  refuseFork(config);
  throw refused('A run is configured when it is attached: give attachGraph and resumeGraph these `settings`.');
}

/** Refuses an input that is given where a thread is opened. @throws GraphError `unsupported_graph`. */
export function refuseInput(input: unknown): void {
  if (input !== undefined)
    throw refused('A thread takes its inputs turn by turn: leave `input` out, and hand it to invoke().');
}

/** Refuses to write the state from outside. @throws GraphError `unsupported_graph`. */
export function refuseUpdate(): never {
  throw refused(
    `A state that is written from outside has no unit that wrote it, and what rests on it would stand. ${FORKED}`,
  );
}

function refused(text: string): GraphError {
  return new GraphError('unsupported_graph', text);
}
