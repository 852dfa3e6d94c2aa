/** The steps between two supersteps, and at the end of a graph: what tasks wrote is applied, and control goes on. */

import { BEGIN, END, type Lane, lanesOf, partOf, superstep } from '../runtime/lanes.ts';
import type { RuntimeEvent } from '../runtime/microstep.ts';
import { type TurnEvent as AnyTurnEvent, type ThreadNotes, turnOf } from '../runtime/turns.ts';
import { lasting, type Memory, noted, notesOf, notesOn, OWN, SENDS } from './checkpoint/memory.ts';
import { notedOutput } from './checkpoint/outputs.ts';
import { untracked } from './checkpoint/untracked.ts';
import type { Graph } from './copy.ts';
import type { Closed } from './host.ts';
import type { Answer } from './questions.ts';
import { applied, withChannels } from './superstep.ts';
import type { Task } from './tasks.ts';
import type { Change, Telling } from './telling.ts';

/** The output of a node that is noted together with what it wrote. */
export interface Output {
  readonly is: unknown;
  readonly reads: readonly (readonly string[])[];
}

/** The surroundings of the steps. */
export interface Around {
  readonly graph: Pick<Graph, 'channels'>;
  readonly channels: readonly string[];
  /** The outputs of nodes that no step has noted yet, by lane. */
  readonly outputs: ReadonlyMap<string, Output>;
}

export type Position = Pick<Telling, 'memory' | 'value'>;

/** The steps between the nodes of a graph. */
export interface Transitions {
  /** The steps that lead to tasks: behind a superstep that is over, or on from the one where control stands. */
  opens(around: Around, standing: Position, closed: Closed | null, tasks: readonly Task[]): Change[];
  /** The steps that lead to the end. */
  ends(around: Around, standing: Position, closed: Closed | null, output: () => unknown): Change[];
  /** The steps that lead to the end of a turn. */
  turnEnds(around: Around, standing: Position, closed: Closed | null): Change[];
  /** The steps behind a superstep where LangGraph stops, and is to go on from there. */
  drained(around: Around, standing: Position, closed: Closed | null): Change[];
}

/** The steps of a graph whose supersteps have lanes. */
export const IN_LANES: Transitions = { opens, ends, turnEnds, drained: applies };

function opens(around: Around, standing: Position, closed: Closed | null, tasks: readonly Task[]): Change[] {
  const isNew = closed !== null || lanesOf(standing.value).length === 0;
  const starts = tasks.filter(({ lane }) => isNew || partOf(standing.value, lane) === 'ready').map(start);
  if (!isNew) return starts;
  const sends = tasks.flatMap(({ lane, sent }) => (sent === undefined ? [] : [[lane.name, sent.args] as const]));
  const memory = (before: Memory): Memory => {
    const { [SENDS]: _, ...rest } = values(around, before, closed);
    const lanes = Object.fromEntries(tasks.map(({ lane }) => [lane.name, { calls: {} }]));
    const at = closed === null ? before[OWN].at : notesOf(closed.checkpoint, closed.step);
    const own = { ...lasting(before[OWN]), ...(at !== undefined && { at }), lanes };
    return { ...rest, ...(sends.length > 0 && { [SENDS]: Object.fromEntries(sends) }), [OWN]: own } as Memory;
  };
  const to = superstep(tasks.map(({ lane }) => lane));
  return [...applies(around, standing, closed), { event: { type: 'graph.step' }, to, entered: [], memory }, ...starts];
}

function ends(around: Around, standing: Position, closed: Closed | null, output: () => unknown): Change[] {
  const memory = (before: Memory): Memory => {
    const { [SENDS]: _, ...rest } = values(around, before, closed);
    return { ...rest, [OWN]: {} } as Memory;
  };
  const entered = [{ path: END, region: '' }];
  return [
    ...applies(around, standing, closed),
    { event: { type: 'graph.end' }, to: END, entered, memory, done: true, output },
  ];
}

/** The steps that lead to the end of a turn: the channels stay, but for those that LangGraph keeps in no checkpoint. */
function turnEnds(around: Around, standing: Position, closed: Closed | null): Change[] {
  const memory = (before: Memory): Memory => {
    const { [SENDS]: _, ...all } = values(around, before, closed);
    const at = closed === null ? before[OWN].at : notesOf(closed.checkpoint, closed.step);
    const { rest, kept } = withoutUntracked(around, all, at?.values ?? {});
    const own = { ...lasting(before[OWN]), ...(at !== undefined && { at: { ...at, values: kept } }) };
    return { ...rest, [OWN]: own } as Memory;
  };
  const entered = [{ path: END, region: '' }];
  return [...applies(around, standing, closed), { event: { type: 'graph.turn' }, to: END, entered, memory }];
}

/** The context, and the values of a checkpoint, without the channels that are in no checkpoint of LangGraph's. */
export function withoutUntracked(
  { graph }: Around,
  memory: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
) {
  const names = new Set(untracked(graph.channels));
  const kept = (all: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !names.has(name)));
  return { rest: kept(memory), kept: kept(values) };
}

/** The step that ends a turn: the thread waits for the next one. */
export function rests(): Change {
  const memory = (before: Memory): Memory => {
    const { thread, ...own } = before[OWN];
    return { ...before, [OWN]: { ...own, thread: { ...(thread as ThreadNotes), isOpen: false } } };
  };
  return { event: { type: 'graph.rest' }, to: BEGIN, entered: [{ path: BEGIN, region: '' }], memory };
}

/** The event that brings the input of a turn. */
export type TurnEvent = AnyTurnEvent<'graph.input'>;

/** The step by which a thread has the input of its next turn. */
export function turnBegins(event: TurnEvent): Change {
  const { input } = event;
  const thread = turnOf(event);
  const memory = (before: Memory): Memory => ({ ...before, [OWN]: { ...before[OWN], input, thread } });
  return { event, to: BEGIN, entered: [{ path: BEGIN, region: '' }], outside: true, memory };
}

/** A superstep in which LangGraph itself writes, the input say, is told with the step behind it. */
function values({ channels }: Around, before: Memory, closed: Closed | null): Memory {
  return closed === null ? before : withChannels(before, channels, closed.checkpoint.channel_values);
}

/** The step that gives a task its output. The output waits for the tasks beside that task. */
export function holds(lane: Lane, { is, reads }: Output): Change {
  const memory = (before: Memory) => noted(before, lane.name, { out: notedOutput(is) });
  return { event: { type: 'graph.output' }, lane, part: 'done', reads, memory };
}

/** The event that brings the answer to a question. */
export interface AnswerEvent extends RuntimeEvent {
  readonly type: 'graph.answer';
  readonly value: unknown;
  /** The name of the question; left out in journals of before. */
  readonly of?: string;
}

/** The step that gives a task the answer to its question. */
export function answered({ question: { lane, task } }: Answer, event: AnswerEvent): Change {
  const { value } = event;
  const memory = (before: Memory) => {
    const values = [...(notesOn(before, lane.name).answers?.values ?? []), value];
    return noted(before, lane.name, { answers: { task, values } });
  };
  return { event, lane, part: 'run', outside: true, memory };
}

/** The step by which the node of a task begins. */
export function start({ lane, sent }: Task) {
  const args = sent?.args;
  const fields = sent === undefined ? {} : isFields(args) ? args : { input: args };
  return { event: { ...fields, type: 'graph.task' }, lane, part: 'run' } as const;
}

/** The steps that end the tasks of a superstep. A claim may have ended some of the tasks before. */
function applies(around: Around, { memory, value }: Position, closed: Closed | null): Change[] {
  if (closed === null) return [];
  const lanes = new Map(lanesOf(value).map((lane) => [lane.name, lane]));
  // The notes are in the order in which LangGraph applies the tasks.
  const order = Object.keys(memory[OWN].lanes ?? {}).flatMap((name) => lanes.get(name) ?? []);
  const open = order.filter((lane) => partOf(value, lane) !== 'end');
  const tasks = open.map(({ name }) => ({ lane: name, writes: closed.writes.get(name) ?? [] }));
  const { graph, channels } = around;
  const behind = applied(graph, channels, memory, tasks, closed.checkpoint.channel_values);
  return open.map((lane, index) => apply(around, lane, behind[index]?.memory as Memory));
}

function apply({ channels, outputs }: Around, lane: Lane, behind: Memory): Change {
  const output = outputs.get(lane.name);
  const memory = (before: Memory) => {
    const written = withChannels(before, channels, behind);
    return output === undefined ? written : noted(written, lane.name, { out: notedOutput(output.is) });
  };
  return { event: { type: 'graph.done' }, lane, part: 'end', memory, reads: output?.reads ?? [] };
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  return [Object.prototype, null].includes(Object.getPrototypeOf(value));
}
