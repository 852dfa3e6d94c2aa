/** Writes the user's own checkpointer anew, from the journal of a thread. */
import { ANYTHING, NAME, OBJECT, optional, refuseOther, shape } from '../../model/argument.ts';
import type { EntryObserver } from '../../sidecar/observing.ts';
import type { RunOptions } from '../../sidecar/opening/options.ts';
import { showRun } from '../../sidecar/opening/read-run.ts';
import { type Memory, OWN } from '../checkpoint/memory.ts';
import { CODECS } from '../codecs.ts';
import { type Graph, keptCopy } from '../copy.ts';
import { GraphError } from '../graph-error.ts';
import { stateChannels } from '../refusals/support.ts';
import { put } from './beside.ts';
import { type Head, NOTHING, type Projected, projected } from './projection.ts';

/** The thread that is written anew. */
export interface ProjectOptions extends Pick<RunOptions, 'codecs' | 'run'>, Required<Pick<RunOptions, 'journal'>> {
  /** The `thread_id` of its checkpoints; the name of the run, if left out. */
  readonly thread?: string;
}

/**
 * Deletes the checkpoints of a thread in the checkpointer of its graph, and writes them anew from the journal, with those of the past that restores left. No process may have the run.
 * @returns how many checkpoints were written.
 * @throws GraphError `unsupported_graph`, `graph_running`; JournalError.
 * @example
 * import { Annotation, MemorySaver, StateGraph } from '@langchain/langgraph';
 * import { loadConfig, memoryStore } from 'belay-sidecar';
 * import { attachGraph, projectThread } from 'belay-sidecar/langgraph';
 *
 * const graph = new StateGraph(Annotation.Root({ sum: Annotation<number> }))
 *   .addNode('add', ({ sum }) => ({ sum: sum + 1 }))
 *   .addEdge('__start__', 'add')
 *   .compile({ name: 'adder', checkpointer: new MemorySaver() });
 * const { config } = loadConfig('belay: 1\nagent: adder\ntools: {}\nskeletons: {}\n', { file: 'a.yaml' });
 * assert.ok(config);
 * const journal = memoryStore();
 * const run = await attachGraph(graph, { run: 'sum-1', config, journal, thread: true });
 * await run.invoke({ sum: 1 });
 * await run.close();
 * assert.ok((await projectThread(graph, { run: 'sum-1', journal })) > 0);
 * assert.equal((await graph.getState({ configurable: { thread_id: 'sum-1' } })).values.sum, 2);
 */
export async function projectThread(graph: object, options: ProjectOptions): Promise<number> {
  refuseOther('projectThread', { graph: [graph, OBJECT], options: [options, OPTIONS] });
  const { run, journal, codecs = [], thread = run } = options;
  const saver = (graph as Graph).checkpointer;
  if (typeof saver !== 'object')
    throw new GraphError(
      'unsupported_graph',
      'The graph has no checkpointer that can be written: compile({ checkpointer }).',
    );
  if ((await journal.run(run))?.held === true)
    throw new GraphError(
      'graph_running',
      `A process has the run ${JSON.stringify(run)}, and writes the checkpointer itself.`,
    );
  const all: Projected[] = [];
  const own = keptCopy(graph as Graph);
  const runState = await showRun(
    journal,
    run,
    [...CODECS, ...codecs],
    new Gathering({ graph: own, channels: stateChannels(own) }, all),
  );
  const memory = runState.actors[0]?.context as Memory | undefined;
  if (runState.agent !== own.getName() || memory?.[OWN]?.thread === undefined)
    throw new GraphError(
      'unsupported_graph',
      `The run ${JSON.stringify(run)} is no thread of the graph "${own.getName()}".`,
    );
  await saver.deleteThread(thread);
  for (const each of all) await put({ saver, thread }, each);
  return all.length;
}

/** Gathers the checkpoints of a run. */
class Gathering implements EntryObserver {
  readonly #of: Parameters<typeof projected>[0];
  readonly #all: Projected[];
  #context: () => Memory | undefined = () => undefined;
  #seen: Memory | undefined;
  #head: Head = NOTHING;

  constructor(of: Parameters<typeof projected>[0], all: Projected[]) {
    this.#of = of;
    this.#all = all;
  }

  opens(...[, , runState]: Parameters<EntryObserver['opens']>): null {
    this.#context = () => runState.actors[0]?.context as Memory | undefined;
    return null;
  }

  appended(entry: Parameters<EntryObserver['appended']>[0]): null {
    const memory = this.#context();
    if (memory === this.#seen || memory?.[OWN] === undefined) return null;
    this.#seen = memory;
    const next = projected(this.#of, memory, entry.do === 'step' ? 'on' : 'back', this.#head);
    if (next !== null) {
      this.#all.push(next);
      this.#head = next.head;
    }
    return null;
  }
}

const OPTIONS = shape<ProjectOptions>('an object: { run, journal }', {
  run: NAME,
  journal: OBJECT,
  thread: optional(NAME),
  codecs: ANYTHING,
});
