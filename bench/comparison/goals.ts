/** The goals that the comparison can judge, and each with the figure of a peer in the same run. */
import type { Figures } from './figures.ts';

/** The figures of one run, by the names of their rows. A row that was not run is not there. */
export type Measured = ReadonlyMap<string, Figures>;

/** What Belay is held to. */
export interface Goal {
  readonly text: string;
  readonly most: number;
  readonly unit: string;
  /** The figure; undefined where a row that it needs was not run. */
  of(measured: Measured): number | undefined;
  /** The same figure of a peer, and the peer's name. */
  readonly beside?: { readonly name: string; of(measured: Measured): number | undefined };
}

/** How a goal came out. */
export interface Judged {
  readonly goal: Goal;
  readonly value: number | undefined;
  readonly peer: number | undefined;
  readonly is: 'met' | 'missed' | 'not run';
  /** By how much it is missed; 0 where it is met. */
  readonly over: number;
}

type Figure = Exclude<keyof Figures, 'server'>;

function less(one: string, other: string): Goal['of'] {
  return (measured) => {
    const [value, base] = [measured.get(one)?.median, measured.get(other)?.median];
    return value === undefined || base === undefined ? undefined : value - base;
  };
}

function over(one: string, other: string): Goal['of'] {
  return (measured) => {
    const [value, base] = [measured.get(one)?.median, measured.get(other)?.median];
    return value === undefined || base === undefined ? undefined : value / base;
  };
}

function the(figure: Figure, id: string): Goal['of'] {
  return (measured) => measured.get(id)?.[figure];
}

const SYNCED = 'LangGraph, each checkpoint synced';
const SAVER = 'LangGraph, MemorySaver';

/** At the end of 2,000 steps a step may take so many times what it took at the beginning. */
const GROWTH = 1.3;

function grows(name: string, id: string, peer: string, peerId: string): Goal {
  return {
    text: `${name}: the last tenth of a long chain ÷ its first tenth`,
    most: GROWTH,
    unit: '×',
    of: the('growth', id),
    beside: { name: peer, of: the('growth', peerId) },
  };
}

export const GOALS: readonly Goal[] = [
  {
    text: 'A step in memory: what Belay adds to xstate',
    most: 4.5,
    unit: 'µs',
    of: less('belay-event-memory', 'xstate'),
    beside: { name: 'MemorySaver adds to LangGraph', of: less('langgraph-memory', 'langgraph') },
  },
  {
    text: 'A durable step in a file ÷ a bare row',
    most: 1.5,
    unit: '×',
    of: over('belay-event-file', 'row-file'),
    beside: { name: SYNCED, of: over('langgraph-file-synced', 'row-file') },
  },
  {
    text: 'A durable step in PostgreSQL ÷ a bare row',
    most: 2,
    unit: '×',
    of: over('belay-event-postgres', 'row-postgres'),
    beside: { name: 'DBOS', of: over('dbos', 'row-postgres') },
  },
  {
    text: 'A step in a file, on the disk',
    most: 400,
    unit: 'bytes',
    of: the('bytes', 'belay-event-file'),
    beside: { name: SYNCED, of: the('bytes', 'langgraph-file-synced') },
  },
  grows('In memory', 'belay-event-memory', SAVER, 'langgraph-memory'),
  grows('In memory, a call a step', 'belay-call-memory', SAVER, 'langgraph-memory'),
  grows('In a file', 'belay-event-file', SYNCED, 'langgraph-file-synced'),
  grows('In a file, a call a step', 'belay-call-file', SYNCED, 'langgraph-file-synced'),
  grows('In PostgreSQL', 'belay-event-postgres', 'DBOS', 'dbos'),
  grows('In PostgreSQL, a call a step', 'belay-call-postgres', 'DBOS', 'dbos'),
];

/** Judges every goal by the figures of one run. */
export function judged(goals: readonly Goal[], measured: Measured): readonly Judged[] {
  return goals.map((goal) => {
    const value = goal.of(measured);
    const peer = goal.beside?.of(measured);
    if (value === undefined) return { goal, value, peer, is: 'not run', over: 0 };
    const is = value <= goal.most ? 'met' : 'missed';
    return { goal, value, peer, is, over: Math.max(0, value - goal.most) };
  });
}
