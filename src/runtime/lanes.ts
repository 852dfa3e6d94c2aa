/**
 * The control of a graph, in the words of the port: a superstep is a composite state, each of its tasks a region in it, a lane. A lane is
 * opened, runs its node, holds the node's output until all tasks of the superstep have one, and is at its end once the output is applied.
 */
import type { StateValue } from '../model/step-entry.ts';
import type { Place } from './microstep.ts';

/** The progress of the task of a lane. */
export type Part = 'ready' | 'run' | 'done' | 'end';

/** The lane of a task: the state of its node, and what tells it from other tasks of that node in the same superstep. */
export interface Lane {
  readonly node: string;
  readonly tie: string;
  /** The path of its region. */
  readonly name: string;
}

/** The state in which a graph is before its first node. */
export const BEGIN = 'begin';
/** The state in which a graph is behind its last node, and a lane behind its own. */
export const END = 'end';
/** The state of a superstep, and of a lane whose node has not begun. */
const BETWEEN = '#';

/** The state of a node. A dot would make it a state within another: `createAgent` names nodes of middleware `Summary.before_model`. */
export function stateOf(node: string): string {
  return node.replaceAll('.', '_');
}

/** The tie of a task that edges lead to: one of a node at a time. */
export const PULLED = '0';

/** True for the task of a node that edges lead to, and false for one that is sent to. */
export function isPulled({ tie }: Lane): boolean {
  return tie === PULLED;
}

/** The lane of a task. */
export function laneOf(node: string, tie: string): Lane {
  return { node, tie, name: `${node}.${tie}` };
}

/** The lane with a name. */
export function laneNamed(name: string): Lane {
  const dot = name.indexOf('.');
  return laneOf(name.slice(0, dot), name.slice(dot + 1));
}

const NO_LANES: readonly Lane[] = [];
/** The lanes of controls: those are values and never change. */
const lanesIn = new WeakMap<object, readonly Lane[]>();
/** The controls of supersteps with one lane, by the lane and how far it is: most graphs come to the same few again and again. */
const alone = new Map<string, StateValue>();
/** The most of them that are known. */
const ALONE = 1_024;

/** The lanes of a superstep, in order. */
export function lanesOf(value: StateValue | null): readonly Lane[] {
  if (typeof value !== 'object' || value === null) return NO_LANES;
  const known = lanesIn.get(value);
  if (known !== undefined) return known;
  const lanes = lanesWithin(value);
  lanesIn.set(value, lanes);
  return lanes;
}

function lanesWithin(value: Exclude<StateValue, string>): Lane[] {
  return Object.entries(value).flatMap(([node, ties]) => Object.keys(ties ?? {}).map((tie) => laneOf(node, tie)));
}

/** The control of a superstep whose lanes are all to be opened. */
export function superstep(lanes: readonly Lane[]): StateValue {
  if (lanes.length === 1) return ofOne(lanes[0] as Lane, 'ready');
  const value: Record<string, Record<string, Part>> = {};
  for (const { node, tie } of lanes) value[node] = { ...value[node], [tie]: 'ready' };
  return value;
}

/** Tells how far the task of a lane is; null where the superstep has no such lane. */
export function partOf(value: StateValue | null, { node, tie }: Lane): Part | null {
  const ties = typeof value === 'object' && value !== null ? value[node] : undefined;
  return ((typeof ties === 'object' ? ties[tie] : undefined) as Part | undefined) ?? null;
}

/** The control with a lane further on. */
export function advanced(value: StateValue, lane: Lane, part: Part): StateValue {
  const [first, ...others] = lanesOf(value);
  if (others.length === 0 && first?.name === lane.name) return ofOne(lane, part);
  const nodes = value as Record<string, Record<string, Part>>;
  return { ...nodes, [lane.node]: { ...nodes[lane.node], [lane.tie]: part } };
}

function ofOne({ node, tie, name }: Lane, part: Part): StateValue {
  const text = `${part} ${name}`;
  const known = alone.get(text);
  if (known !== undefined) return known;
  const value = { [node]: { [tie]: part } };
  if (alone.size < ALONE) alone.set(text, value);
  return value;
}

/** The place of a lane, by how far its task is. */
export function placeOf(lane: Lane, part: Part): Place {
  const path = part === 'ready' ? BETWEEN : part === 'end' ? END : lane.node;
  return { path, region: lane.name };
}

/** The place of a state; that of a node is in all its lanes. Undefined where the graph has no such state. */
export function placeNamed(path: string, nodes: object): Place | undefined {
  if (path === BEGIN || path === END) return { path, region: '' };
  return Object.keys(nodes).map(stateOf).includes(path) ? { path, region: path, lanes: true } : undefined;
}

/** All places in which control is. */
export function placesOf(value: StateValue): Place[] {
  if (typeof value === 'string') return [{ path: value, region: '' }];
  const lanes = lanesOf(value).map((lane) => placeOf(lane, partOf(value, lane) as Part));
  return [{ path: BETWEEN, region: '' }, ...lanes];
}
