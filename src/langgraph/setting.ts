/** The setting that a graph is executed in: what its caller wants, and what it tells the caller. */
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { Beside } from './beside/beside.ts';
import type { Memory } from './checkpoint/memory.ts';
import type { Graph } from './copy.ts';
import type { Host, Question } from './host.ts';
import type { Units } from './line/units.ts';

/** The setting that a graph is executed in. */
export interface Setting extends Pick<Host['asked'], 'channels' | 'settings'> {
  readonly graph: Graph;
  readonly codecs: readonly ValueCodec[];
  /** The tools that the config declares. */
  readonly tools: BoundaryConfig['tools'];
  /** The supersteps that an entry into the graph may take. */
  readonly limit: number;
  readonly salt: string;
  /** The units over several nodes, of a graph that runs one node at a time; null where each node is a unit. */
  readonly units: Units | null;
  /** Told of what runs in the nodes, beside the callbacks of the settings: where it is left out, of tools that run unguarded. */
  readonly told?: BaseCallbackHandler;
  /** The promise of a thread at the end of a turn; null for a run that is no thread. */
  readonly said: 'stands' | 'rewritten' | null;
  /** The user's own checkpointer, which is only written; null without one. */
  readonly beside: Beside | null;
  /** The thread rests between two turns. */
  rests(): void;
  /** The thread goes on, or is put elsewhere. */
  leavesRest(): void;
  modes(): readonly string[];
  subgraphs(): boolean;
  /** Tells the task of a `Send` from others of its node: the same for the same entity. */
  tieOf(node: string, args: unknown, memory: Memory): string;
  chunk: Host['chunk'];
  /** The id of a question, by how many of its task were answered before. */
  idOf(interrupt: Question['interrupt'], nth: number, epoch: number): string;
  /** The graph rests until its questions are answered; without any, what it asked is taken back. */
  asks(questions: readonly Question[]): void;
  /** The graph rests at the end of a superstep, until it is entered again. */
  drains(error: Error): void;
}
