/** The tasks of a superstep, as LangGraph announces them, each with its lane. */
import { type Lane, laneOf, PULLED, stateOf } from '../runtime/lanes.ts';

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
  const isSent = ({ triggers }: Announced) => triggers.includes('__pregel_push');
  const taskOf = (each: Announced): Task => {
    const { id, name, input } = each;
    const node = stateOf(name);
    const tie = isSent(each) ? tieOf(node, input) : PULLED;
    let lane = laneOf(node, tie);
    for (let nth = 2; taken.has(lane.name); nth += 1) lane = laneOf(node, `${tie}-${nth}`);
    taken.add(lane.name);
    return { id, lane, ...(isSent(each) && { sent: { args: input } }) };
  };
  const pulled = announced.filter((each) => !isSent(each)).sort((a, b) => (a.name < b.name ? -1 : 1));
  return [...pulled, ...announced.filter(isSent)].map(taskOf);
}
