/** A graph whose every thread is a run of Belay's, called as LangGraph calls a graph with a checkpointer. */
import { type Command, INTERRUPT, isCommand, type StateSnapshot } from '@langchain/langgraph';
import { OBJECT, refuseOther, shape } from '../model/argument.ts';
import { type AttachedGraph, type GraphOptions, resumeGraph } from './graph.ts';
import { GraphError } from './graph-error.ts';

/** The options of all threads of a graph: those of a run, without what each thread has of its own. */
export type BelayedOptions = Omit<GraphOptions, 'run' | 'input' | 'journal'> & Required<Pick<GraphOptions, 'journal'>>;

/** The configuration of one request, as LangGraph has it: the thread, and the name of the turn. */
export interface ThreadConfig {
  readonly configurable: {
    readonly thread_id: string;
    /** The id of the message: handed in twice under one id, it is one turn. */
    readonly turn_id?: string;
  };
}

/** A graph whose threads are runs. */
export interface BelayedGraph {
  /**
   * Takes the thread up, hands the input in as its next turn, or answers what the thread asks, and gives the thread back once it rests or asks. Requests to
   * one thread come one after the other.
   * @returns the state as the graph gives it out, with the open questions under `__interrupt__`.
   * @throws GraphError as `AttachedGraph.invoke`; SidecarError, JournalError as `resumeGraph`.
   */
  invoke(input: object | Command | null, config: ThreadConfig): Promise<Record<string, unknown>>;
  /** The state of the graph where the thread rests, out of its journal. @throws GraphError `graph_running` where a turn is open. */
  getState(config: ThreadConfig): Promise<StateSnapshot>;
}

/**
 * Makes a graph whose threads are runs of Belay's: `thread_id` is the name of the run. The graph that is given is not touched.
 * @throws TypeError for arguments of another shape; each request throws what attaching the graph does.
 * @example
 * import { Annotation, StateGraph } from '@langchain/langgraph';
 * import { loadConfig, memoryStore } from 'belay-sidecar';
 * import { belayed } from 'belay-sidecar/langgraph';
 *
 * const State = Annotation.Root({ says: Annotation<string>, heard: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
 * const graph = new StateGraph(State)
 *   .addNode('listen', async ({ says }) => ({ heard: [says] }))
 *   .addEdge('__start__', 'listen')
 *   .compile({ name: 'listener' });
 * const { config } = loadConfig('belay: 1\nagent: listener\ntools: {}\nskeletons: {}\n', { file: 'l.yaml' });
 * assert.ok(config);
 * const chat = belayed(graph, { config, journal: memoryStore() });
 * const thread = { configurable: { thread_id: 'chat-1' } };
 * await chat.invoke({ says: 'hello' }, thread);
 * assert.deepEqual(await chat.invoke({ says: 'again' }, thread), { says: 'again', heard: ['hello', 'again'] });
 */
export function belayed(graph: object, options: BelayedOptions): BelayedGraph {
  refuseOther('belayed', { graph: [graph, OBJECT], options: [options, OPTIONS] });
  const last = new Map<string, Promise<unknown>>();
  /** The question that a thread was answered with last, where it was one: a bare answer is to it. */
  const asked = new Map<string, string>();
  const inTurn = <T>(thread: string, go: () => Promise<T>): Promise<T> => {
    const before = last.get(thread) ?? Promise.resolve();
    const now = before.then(go, go);
    const done = now.then(
      () => {},
      () => {},
    );
    last.set(thread, done);
    void done.then(() => {
      if (last.get(thread) === done) last.delete(thread);
    });
    return now;
  };
  const opened = <T>(thread: string, go: (run: AttachedGraph) => Promise<T>): Promise<T> =>
    inTurn(thread, async () => {
      const run = await resumeGraph(graph, { ...options, run: thread, thread: options.thread ?? true });
      try {
        return await go(run);
      } finally {
        await run.close();
      }
    });
  return {
    invoke: async (input, given) => {
      const { thread, turn } = threadOf(given);
      return opened(thread, async (run) => {
        const handedOut = asked.get(thread);
        asked.delete(thread);
        const state = await handedIn(run, input, { turn, handedOut });
        const questions = INTERRUPT in state ? (state[INTERRUPT] as { readonly id: string }[]) : null;
        // Reading it hands the question out, to this request.
        if (questions?.length === 1) asked.set(thread, questions[0]?.id ?? '');
        return questions === null ? state : { ...state, [INTERRUPT]: questions };
      });
    },
    getState: async (given) => opened(threadOf(given).thread, async (run) => run.getState()),
  };
}

/** Hands a thread what a request brings: an answer, the input of a turn, or nothing. */
function handedIn(
  run: AttachedGraph,
  input: object | Command | null,
  { turn, handedOut }: { readonly turn: string | undefined; readonly handedOut: string | undefined },
): Promise<Record<string, unknown>> {
  if (isCommand(input)) return answered(run, input, handedOut);
  return input === null ? run.invoke() : run.invoke(input, turn === undefined ? {} : { id: turn });
}

/** Answers what a thread asks: by id, or the single question that the request before was answered with. */
async function answered(run: AttachedGraph, command: Command, handedOut: string | undefined) {
  await run.invoke();
  const ids = run.questions().map(({ id }) => id);
  const { resume } = command;
  const isById = typeof resume === 'object' && resume !== null && Object.keys(resume).some((key) => ids.includes(key));
  if (isById || resume === undefined) return run.resume(command);
  if (handedOut === undefined || !ids.includes(handedOut))
    throw new GraphError(
      'no_question',
      'A bare answer is for the question that the request before was answered with, in this process, and the thread does not ask that: answer by id, { resume: { [id]: value } }.',
    );
  return run.resume(
    Object.assign(Object.create(Object.getPrototypeOf(command)), command, { resume: { [handedOut]: resume } }),
  );
}

/** @throws GraphError `unsupported_graph` for a configuration that names no thread, or more than that. */
function threadOf(given: ThreadConfig | undefined): { readonly thread: string; readonly turn: string | undefined } {
  const { configurable, ...others } = (given ?? {}) as Partial<ThreadConfig>;
  const { thread_id: thread, turn_id: turn, ...more } = (configurable ?? {}) as Partial<ThreadConfig['configurable']>;
  if (typeof thread !== 'string' || thread === '')
    throw new GraphError('unsupported_graph', 'A request names its thread: { configurable: { thread_id } }.');
  const [strange] = [...Object.keys(others), ...Object.keys(more)];
  if (strange !== undefined)
    throw new GraphError(
      'unsupported_graph',
      `The request has "${strange}": a thread is configured where the graph is given to belayed(), by \`settings\`.`,
    );
  return { thread, turn };
}

const OPTIONS = shape<Pick<BelayedOptions, 'journal'>>('an object: { config, journal }', {
  journal: OBJECT,
});
