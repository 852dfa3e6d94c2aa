/** LangGraph.js: a graph of one node that is entered again until the chain is over. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Annotation, type BaseCheckpointSaver, END, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import Database from 'better-sqlite3';
import { FIELDS, FIRST, type Field, type Opener, type Pace, type State, type Update } from '../runtimes/work.ts';

type Durability = 'async' | 'sync';

const channel = () => Annotation<number | string>();
const Channels = Annotation.Root(
  Object.fromEntries(FIELDS.map((name) => [name, channel()])) as Record<Field, ReturnType<typeof channel>>,
);

function graphOf(pace: Pace, checkpointer?: BaseCheckpointSaver) {
  const built = new StateGraph(Channels)
    .addNode('work', async (state: State): Promise<Update> => pace.step(state.count as number))
    .addEdge(START, 'work')
    .addConditionalEdges('work', () => (pace.more() ? 'work' : END), ['work', END]);
  return built.compile(checkpointer === undefined ? {} : { checkpointer });
}

/** Invokes a graph once for each chain, as a thread of its own. */
function invoking(pace: Pace, checkpointer?: BaseCheckpointSaver, durability?: Durability) {
  const graph = graphOf(pace, checkpointer);
  return async (run: string): Promise<void> => {
    const settings = { recursionLimit: Number.MAX_SAFE_INTEGER, configurable: { thread_id: run } };
    await graph.invoke(FIRST, durability === undefined ? settings : { ...settings, durability });
  };
}

/** Without a checkpointer: nothing is kept. */
export const withoutSaver: Opener = async (_, pace) => ({ chain: invoking(pace), close: async () => {} });

export const withMemorySaver: Opener = async (_, pace) => ({
  chain: invoking(pace, new MemorySaver()),
  close: async () => {},
});

/** `synchronous` is what SQLite calls it: 1 is NORMAL, 2 is FULL. */
function withSqliteSaver(durability: Durability, synchronous: 1 | 2): Opener {
  return async ({ folder }, pace) => {
    const path = join(folder, 'langgraph.sqlite');
    const db = new Database(path);
    if (synchronous === 2) db.pragma('synchronous = FULL');
    const chain = invoking(pace, new SqliteSaver(db), durability);
    return {
      chain: async (run) => {
        await chain(run);
        const [mode, sync] = [db.pragma('journal_mode', { simple: true }), db.pragma('synchronous', { simple: true })];
        if (mode !== 'wal' || sync !== synchronous) throw new Error(`SqliteSaver runs with ${mode} and ${sync}`);
      },
      bytes: async () => {
        db.pragma('wal_checkpoint(TRUNCATE)');
        return statSync(path).size;
      },
      close: async () => {
        db.close();
      },
    };
  };
}

/** As it comes: checkpoints are written while the next step runs, and the disk is not waited for. */
export const withSaverAsItComes = withSqliteSaver('async', 1);
/** Each checkpoint written and synced before the next step. */
export const withSaverSynced = withSqliteSaver('sync', 2);
