/** What is compared: each row with the place where it runs, what its figures include, and what is kept when a step is over. */

/** A place that rows share: they take turns in it, and differ in nothing else. */
export type Group = 'memory' | 'file' | 'postgres' | 'server';

/** What a machine may lack that a row needs. */
export type Need = 'PostgreSQL' | 'Restate';

/** A runtime in a place, which is a process of its own when it is measured. */
export interface Row {
  /** The name for `--only`. */
  readonly id: string;
  readonly group: Group;
  readonly name: string;
  /** The module in `bench/` and its export that opens the runtime. */
  readonly lane: readonly [module: string, name: string];
  readonly includes: string;
  readonly keeps: string;
  readonly needs?: Need;
}

/** The titles of the groups, in their order. */
export const GROUPS: Readonly<Record<Group, string>> = {
  memory: 'In memory',
  file: 'In a SQLite file',
  postgres: 'In PostgreSQL',
  server: 'In a server of its own',
};

const BARE = 'runtimes/bare.ts';
const BELAY = 'runtimes/belay.ts';
const LANGGRAPH = 'peers/langgraph.ts';

const EVENT = 'an event sent, a state entered, two fields assigned';
const CALL = 'a tool called and awaited, a state entered anew, two fields assigned';
const NODE = 'a node called and awaited, its edge chosen, two channels written';
const JOURNALED = 'the accesses, and at every second step a checkpoint, once each field was written';
const JOURNALED_CALL = 'the intent, the outcome, the accesses, and a checkpoint, once each field was written';
const NOTHING = 'nothing';

/** All rows, those without a runtime first in each group. */
export const ROWS: readonly Row[] = [
  { id: 'xstate', group: 'memory', name: 'xstate alone', lane: [BARE, 'plain'], includes: EVENT, keeps: NOTHING },
  {
    id: 'belay-event-memory',
    group: 'memory',
    name: 'Belay, an event a step',
    lane: [BELAY, 'sentInMemory'],
    includes: `${EVENT}; ${JOURNALED}`,
    keeps: 'the journal, until the process ends',
  },
  {
    id: 'belay-call-memory',
    group: 'memory',
    name: 'Belay, a call a step',
    lane: [BELAY, 'calledInMemory'],
    includes: `${CALL}; ${JOURNALED_CALL}`,
    keeps: 'the journal, until the process ends',
  },
  {
    id: 'langgraph',
    group: 'memory',
    name: 'LangGraph alone',
    lane: [LANGGRAPH, 'withoutSaver'],
    includes: NODE,
    keeps: NOTHING,
  },
  {
    id: 'langgraph-memory',
    group: 'memory',
    name: 'LangGraph, MemorySaver',
    lane: [LANGGRAPH, 'withMemorySaver'],
    includes: `${NODE}; a checkpoint of the whole state`,
    keeps: 'every checkpoint, until the process ends',
  },
  {
    id: 'row-file',
    group: 'file',
    name: 'one bare row',
    lane: [BARE, 'rowInFile'],
    includes: 'an INSERT of what the step changes; WAL, `synchronous = FULL`',
    keeps: 'the row, on the disk',
  },
  {
    id: 'belay-event-file',
    group: 'file',
    name: 'Belay, an event a step',
    lane: [BELAY, 'sentInFile'],
    includes: `${EVENT}; ${JOURNALED}; \`durable()\` awaited`,
    keeps: 'the step, on the disk',
  },
  {
    id: 'belay-call-file',
    group: 'file',
    name: 'Belay, a call a step',
    lane: [BELAY, 'calledInFile'],
    includes: `${CALL}; ${JOURNALED_CALL}; the intent on the disk before the tool is called`,
    keeps: 'the steps before it and the intent of the next call, on the disk',
  },
  {
    id: 'langgraph-file',
    group: 'file',
    name: 'LangGraph, SqliteSaver as it comes',
    lane: [LANGGRAPH, 'withSaverAsItComes'],
    includes: `${NODE}; a checkpoint of the whole state, written while the next node runs; WAL, \`synchronous = NORMAL\``,
    keeps: 'the checkpoints that are written, if the process dies; a power cut can take the last ones',
  },
  {
    id: 'langgraph-file-synced',
    group: 'file',
    name: 'LangGraph, SqliteSaver, each checkpoint synced',
    lane: [LANGGRAPH, 'withSaverSynced'],
    includes: `${NODE}; a checkpoint of the whole state before the next node; \`durability: 'sync'\`, \`synchronous = FULL\``,
    keeps: 'the checkpoint, on the disk',
  },
  {
    id: 'row-postgres',
    group: 'postgres',
    name: 'one bare row',
    lane: [BARE, 'rowInPostgres'],
    includes: 'an INSERT of what the step changes, in a transaction of its own',
    keeps: 'the row, on the disk of the server',
    needs: 'PostgreSQL',
  },
  {
    id: 'belay-event-postgres',
    group: 'postgres',
    name: 'Belay, an event a step',
    lane: [BELAY, 'sentInPostgres'],
    includes: `${EVENT}; ${JOURNALED}; \`durable()\` awaited`,
    keeps: 'the step, on the disk of the server',
    needs: 'PostgreSQL',
  },
  {
    id: 'belay-call-postgres',
    group: 'postgres',
    name: 'Belay, a call a step',
    lane: [BELAY, 'calledInPostgres'],
    includes: `${CALL}; ${JOURNALED_CALL}; the intent on the disk before the tool is called`,
    keeps: 'the steps before it and the intent of the next call, on the disk of the server',
    needs: 'PostgreSQL',
  },
  {
    id: 'dbos',
    group: 'postgres',
    name: 'DBOS, a step of a workflow',
    lane: ['peers/dbos.ts', 'workflow'],
    includes: '`DBOS.runStep` awaited; its result recorded',
    keeps: 'the result of the step, on the disk of the server',
    needs: 'PostgreSQL',
  },
  {
    id: 'restate',
    group: 'server',
    name: 'Restate, a step of a handler',
    lane: ['peers/restate.ts', 'handler'],
    includes: '`ctx.run` awaited; its result journaled by a server of one node, as it comes',
    keeps: 'the result of the step, in the log of the server',
    needs: 'Restate',
  },
];

/** Tells if a row runs what `bench/package.json` installs. */
export function isPeer({ lane: [module] }: Row): boolean {
  return module.startsWith('peers/');
}
