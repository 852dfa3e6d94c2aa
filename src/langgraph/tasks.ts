/** The tasks of a superstep, as LangGraph announces them, each with its lane. */
import { type Lane, laneOf, PULLED } from './lanes.ts';

/** A task that LangGraph is about to execute. */
export interface Task {
  readonly id: string;
  readonly lane: Lane;
  /** The load that a `Send` carries to it. */
  readonly sent?: { readonly args: unknown };
}

/** A task in LangGraph's words. */
export interface Announced {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly triggers: readonly string[];
}

/** The tasks that were announced, in the order in which LangGraph applies what they write. */
export function tasksOf(announced: readonly Announced[], tieOf: (node: string, args: unknown) => string): Task[] {
  const taken = new Set<string>();
  const tasks = announced.map(({ id, name, input, triggers }): Task => {
    const isSent = triggers.includes('__pregel_push');
    const tie = isSent ? tieOf(name, input) : PULLED;
    let lane = laneOf(name, tie);
    for (let nth = 2; taken.has(lane.name); nth += 1) lane = laneOf(name, `${tie}-${nth}`);
    taken.add(lane.name);
    return { id, lane, ...(isSent && { sent: { args: input } }) };
  });
  const pulled = tasks.filter(({ sent }) => sent === undefined);
  pulled.sort((a, b) => (a.lane.node < b.lane.node ? -1 : 1));
  return [...pulled, ...tasks.filter(({ sent }) => sent !== undefined)];
}
