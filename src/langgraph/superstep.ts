/** The end of a superstep: what each of its tasks has written, one after the other, in the order in which LangGraph applies it. */

import type { Memory } from './checkpoint/memory.ts';
import type { Graph } from './copy.ts';

/** The writes of one task. */
export interface TaskWrites {
  readonly lane: string;
  readonly writes: readonly (readonly [channel: string, value: unknown])[];
}

/** The context behind a task. */
export interface Applied {
  readonly lane: string;
  readonly memory: Memory;
}

/**
 * The contexts behind each task of a superstep. Behind the last one the channels are what LangGraph has made of them.
 * @param values the channels behind the superstep, as LangGraph has them.
 */
export function applied(
  graph: Pick<Graph, 'channels'>,
  names: readonly string[],
  before: Memory,
  tasks: readonly TaskWrites[],
  values: Readonly<Record<string, unknown>>,
): Applied[] {
  let memory = before;
  return tasks.map(({ lane, writes }, index) => {
    memory = index === tasks.length - 1 ? withChannels(memory, names, values) : written(graph, names, memory, writes);
    return { lane, memory };
  });
}

/** The context with the channels that LangGraph has. */
export function withChannels(
  memory: Memory,
  names: readonly string[],
  values: Readonly<Record<string, unknown>>,
): Memory {
  const next: Record<string, unknown> = { ...memory };
  for (const name of names) {
    if (Object.hasOwn(values, name)) next[name] = values[name];
    else delete next[name];
  }
  return next as Memory;
}

/** The context with the writes of one task, as if no other task had written. */
function written(
  graph: Pick<Graph, 'channels'>,
  names: readonly string[],
  memory: Memory,
  writes: TaskWrites['writes'],
): Memory {
  const next: Record<string, unknown> = { ...memory };
  for (const name of names) {
    const own = writes.filter(([channel]) => channel === name).map(([, value]) => value);
    if (own.length === 0) continue;
    const channel = (graph.channels[name] as Channel).fromCheckpoint(memory[name]);
    channel.update(own);
    next[name] = channel.get();
  }
  return next as Memory;
}

interface Channel {
  fromCheckpoint(value: unknown): Channel;
  update(values: readonly unknown[]): boolean;
  get(): unknown;
}
