/**
 * The context of a run of a graph: its channels by their names, the values of its `Send`s, and the runtime's own notes.
 */
import { type Checkpoint, Send } from '@langchain/langgraph';
import type { ThreadNotes } from '../../runtime/turns.ts';
import type { NotedOutput } from './outputs.ts';

/** The milliseconds from 15 October 1582, where the times of UUIDs begin, to 1970. */
const GREGORIAN = 12_219_292_800_000;

/** The name under which the runtime keeps its own notes in the context. */
export const OWN = '__belay';
/** The name under which the context has the value of each `Send` of the superstep, by its lane. */
export const SENDS = 'sends';

/** The channel in which LangGraph keeps the sends of the superstep that comes. */
const WAITING = '__pregel_tasks';

/** A call that a node made in its superstep and that is answered. */
export interface AnsweredCall {
  readonly tool: string;
  /** The digest of the call's arguments. */
  readonly is: string;
  readonly output: unknown;
}

/** The notes on a task. */
export interface TaskNotes {
  /** By their numbers, in the order in which they were begun. */
  readonly calls: Readonly<Record<string, AnsweredCall>>;
  /** The answers to its interrupts, with the id that LangGraph gives the task. */
  readonly answers?: { readonly task: string; readonly values: readonly unknown[] };
  /** The output of its node, once it has one. */
  readonly out?: NotedOutput;
}

/** The time that an id of LangGraph's bears, which is a UUID of version 6; empty for another id. */
function timeOf(id: string): string {
  const [, high = '', middle = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-6([0-9a-f]{3})-/.exec(id) ?? [];
  const ticks = Number.parseInt(high + middle + low, 16);
  return Number.isNaN(ticks) ? '' : new Date(Math.floor(ticks / 10_000) - GREGORIAN).toISOString();
}

/** The checkpoint from which LangGraph makes the superstep again. */
export interface CheckpointNotes {
  readonly id: string;
  readonly step: number;
  readonly versions: Checkpoint['channel_versions'];
  readonly seen: Checkpoint['versions_seen'];
  /** The channels as all tasks of the superstep see them. The context may already have writes of some tasks. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The superstep of a graph that runs one node at a time: its channels are those of the context. */
export type TurnNotes = Pick<CheckpointNotes, 'id' | 'step'>;

/** The unit over several nodes that control is in. */
export interface UnitNotes {
  /** The name of its skeleton. */
  readonly of: string;
  readonly entity: string;
}

/** The notes of the runtime's own. */
interface Notes {
  /** Under which the digests of arguments in these notes are made. */
  readonly salt?: string;
  readonly input?: unknown;
  readonly at?: CheckpointNotes;
  readonly turn?: TurnNotes;
  readonly unit?: UnitNotes;
  /** Only in a thread. */
  readonly thread?: ThreadNotes;
  readonly lanes?: Readonly<Record<string, TaskNotes>>;
}

/** The context of a run. */
export type Memory = { readonly [OWN]: Notes; readonly [key: string]: unknown };

/** The notes on the task of a lane. */
export function notesOn(memory: Memory, lane: string): TaskNotes {
  return memory[OWN].lanes?.[lane] ?? { calls: {} };
}

/** The context with more notes on the task of a lane. */
export function noted(memory: Memory, lane: string, more: Partial<TaskNotes>): Memory {
  const own = memory[OWN];
  return { ...memory, [OWN]: { ...own, lanes: { ...own.lanes, [lane]: { ...notesOn(memory, lane), ...more } } } };
}

/** The context as seen by a task that begins in the present superstep. */
export function seenInSuperstep(memory: Memory): Memory {
  const { [OWN]: own, [SENDS]: sends } = memory;
  if (own.at === undefined) return memory;
  return { ...own.at.values, ...(sends !== undefined && { [SENDS]: sends }), [OWN]: own };
}

/** The checkpoint of LangGraph's that notes stand for. */
export function checkpointOf(at: CheckpointNotes): Checkpoint {
  return {
    v: 4,
    id: at.id,
    ts: timeOf(at.id),
    channel_values: withSends(at.values, (sent) => new Send(sent.node, sent.args)),
    channel_versions: { ...at.versions },
    versions_seen: copied(at.seen),
  };
}

/**
 * The checkpoint from which LangGraph makes the superstep of one node again.
 * @param trigger the channel by which an edge leads to that node.
 */
export function checkpointAt({ id }: TurnNotes, values: Checkpoint['channel_values'], trigger: string): Checkpoint {
  const versions = Object.keys(values).map((name) => [name, 1] as const);
  return {
    v: 4,
    id,
    ts: timeOf(id),
    channel_values: { ...values, [trigger]: null },
    channel_versions: { ...Object.fromEntries(versions), [trigger]: 2 },
    versions_seen: {},
  };
}

/** The checkpoint between two turns of a graph that runs one node at a time: no node is due. */
export function checkpointBetween({ id }: TurnNotes, values: Checkpoint['channel_values']): Checkpoint {
  const versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
  return { v: 4, id, ts: timeOf(id), channel_values: values, channel_versions: versions, versions_seen: {} };
}

/** The notes that last from one superstep to the next. */
export function lasting({ salt, thread }: Notes): Pick<Notes, 'salt' | 'thread'> {
  return { ...(salt !== undefined && { salt }), ...(thread !== undefined && { thread }) };
}

/** The notes on a checkpoint of LangGraph's. */
export function notesOf({ id, channel_values, channel_versions, versions_seen }: Checkpoint, step: number) {
  // A value that many sends carry is written once: of a `Send` itself the journal would write the whole text each time.
  const values = withSends(channel_values, ({ node, args }) => ({ node, args }));
  return { id, step, versions: { ...channel_versions }, seen: copied(versions_seen), values };
}

/**
 * The values of channels, with the sends that wait for their superstep in another form. Journals of before have a
 * `Send` there.
 */
function withSends(values: CheckpointNotes['values'], form: (sent: Pick<Send, 'node' | 'args'>) => unknown) {
  const { [WAITING]: waiting } = values;
  if (!Array.isArray(waiting)) return { ...values };
  return { ...values, [WAITING]: (waiting as Send[]).map(form) };
}

function copied(seen: Checkpoint['versions_seen']): Checkpoint['versions_seen'] {
  return Object.fromEntries(Object.entries(seen).map(([node, versions]) => [node, { ...versions }]));
}
