/** The port between an entry into a graph and the run: supersteps that are over, questions, and where control goes. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { Checkpoint, Interrupt } from '@langchain/langgraph';
import type { Lane } from '../runtime/lanes.ts';
import type { TaskNotes } from './checkpoint/memory.ts';
import type { Observed } from './observe.ts';
import type { TaskWrites } from './superstep.ts';
import type { Task } from './tasks.ts';
import type { NodeCalls } from './tools/node-calls.ts';

/** A superstep that is over. */
export interface Closed {
  readonly checkpoint: Checkpoint;
  readonly step: number;
  /** The writes of each of its tasks, by the task's lane. */
  readonly writes: ReadonlyMap<string, TaskWrites['writes']>;
  /** The channels that the edges behind its task have read, where those are watched. */
  readonly led: readonly (readonly string[])[];
}

/** A question that a node asks, and has to be answered before it goes on. */
export interface Question {
  readonly lane: Lane;
  readonly task: string;
  /** As LangGraph has it, under LangGraph's id. */
  readonly interrupt: Interrupt;
  /** The id by which it is answered. */
  readonly id: string;
}

/** An entry into a graph: stale once it is left. */
interface Entry {
  readonly isStale: boolean;
}

/** The run, as an entry into its graph asks and tells it. */
export interface Host {
  /** The wishes of the graph's caller. */
  readonly asked: {
    readonly channels: readonly string[];
    readonly settings: RunnableConfig;
    /** Told of what runs in the nodes, beside the callbacks of the settings. */
    readonly callbacks: BaseCallbackHandler[];
    readonly modes: readonly string[];
    readonly subgraphs: boolean;
    readonly input: unknown;
    /** True where the input is that of a turn, and no superstep has taken it yet. */
    readonly isTurn: boolean;
    /** True where the edges are watched, too. */
    readonly edges: boolean;
  };
  /** Where the context stands: null before the first superstep. */
  from(): { readonly checkpoint: Checkpoint; readonly step: number } | null;
  lanes(): readonly Lane[];
  notes(lane: Lane): TaskNotes;
  /** The keys that the task of a lane reads in any case. */
  given(lane: Lane, isSent: boolean): readonly (readonly string[])[];
  /** The id of a question that the task of a lane asks. */
  idOf(lane: Lane, task: string, interrupt: Interrupt): string;
  tieOf(node: string, args: unknown): string;
  /** Says why these tasks cannot run soundly; null where they can. */
  refused(tasks: readonly Task[]): string | null;
  /** Moves control on to tasks, once nothing holds it back. */
  open(pass: Entry, closed: Closed | null, tasks: readonly Task[], then: () => void): void;
  callsOf(pass: Entry, lane: Lane, observed: Observed): NodeCalls;
  /** A node has its output. @param then goes on, once that is noted. */
  output(pass: Entry, lane: Lane, output: unknown, reads: readonly (readonly string[])[], then: () => void): void;
  ended(pass: Entry, closed: Closed | null): void;
  asks(pass: Entry, questions: readonly Question[]): void;
  /** LangGraph was asked to stop, and has done so at the end of a superstep. */
  drained(pass: Entry, closed: Closed | null, error: Error): void;
  failed(pass: Entry, lane: Lane | null, error: unknown): void;
  /** @param questions what the superstep asks as far as it has come. */
  chunk(chunk: unknown, questions: readonly Question[]): void;
}
