/**
 * The steps of a graph that runs one node at a time. A node whose unit goes on is left for the next one in one step of
 * that unit; behind any other node the graph stands between its units, and a step of the root leads on.
 */

import { END, type Lane, laneNamed } from '../../runtime/lanes.ts';
import { lasting, type Memory, noted, notesOn, OWN, type TurnNotes } from '../checkpoint/memory.ts';
import { ledTo, notedOutput, outputOf } from '../checkpoint/outputs.ts';
import type { Closed } from '../host.ts';
import { withChannels } from '../superstep.ts';
import type { Task } from '../tasks.ts';
import type { Change } from '../telling.ts';
import { type Around, holds, type Position, start, type Transitions, withoutUntracked } from '../transitions.ts';
import { BEHIND, beforeNode, isReady } from './control.ts';
import type { Units } from './units.ts';

const NEXT = { type: 'graph.next' };
const NONE: readonly (readonly string[])[] = [];

/** The steps of a graph whose units are these. */
export function inLine(units: Units): Transitions {
  return {
    opens(around, standing, closed, [task]) {
      if (task === undefined) return [];
      if (closed === null && lanesIn(standing.memory).length > 0)
        return isReady(standing.value) ? [begins(units, task)] : [];
      const { lane } = task;
      const on = goesOn(units, around, standing, closed, lane);
      if (on !== null) return [on];
      const to = beforeNode(lane.node);
      const memory = (before: Memory) => turned(written(around, before, closed), closed, lane);
      const step: Change = { event: { type: 'graph.step' }, to, entered: [], memory };
      return [...leaves(units, around, standing, closed), step, begins(units, task)];
    },

    ends(around, standing, closed, output) {
      const memory = (before: Memory): Memory => ({ ...written(around, before, closed), [OWN]: {} });
      const entered = [{ path: END, region: '' }];
      const end: Change = { event: { type: 'graph.end' }, to: END, entered, memory, done: true, output };
      return [...leaves(units, around, standing, closed), end];
    },

    turnEnds(around, standing, closed) {
      const memory = (before: Memory): Memory => {
        const { rest } = withoutUntracked(around, written(around, before, closed), {});
        const { turn } = before[OWN];
        const now: TurnNotes | undefined = closed === null ? turn : { id: closed.checkpoint.id, step: closed.step };
        return { ...rest, [OWN]: { ...lasting(before[OWN]), ...(now !== undefined && { turn: now }) } } as Memory;
      };
      const entered = [{ path: END, region: '' }];
      return [...leaves(units, around, standing, closed), { event: { type: 'graph.turn' }, to: END, entered, memory }];
    },

    // The node that comes next is not known: the output of this one waits for it.
    drained({ outputs }, _, closed) {
      return closed === null ? [] : [...outputs].map(([name, output]) => holds(laneNamed(name), output));
    },
  };
}

/** The step by which a unit goes on at its next node; null where it does not. */
function goesOn(
  units: Units,
  around: Around,
  { memory, value }: Position,
  closed: Closed | null,
  lane: Lane,
): Change | null {
  const { unit } = memory[OWN];
  const [left] = lanesIn(memory);
  if (closed === null || unit === undefined || left === undefined || value === BEHIND) return null;
  if (!units.goesOn(unit, lane.node, NEXT, written(around, memory, closed))) return null;
  const next = (before: Memory) => turned(written(around, before, closed), closed, lane, { unit });
  const reads = readsOf(around, closed, left, units.isChosen(unit, left.node));
  return { event: NEXT, lane, part: 'run', isEntered: true, memory: next, reads };
}

/** The step that leaves the node of control, unless a claim has put control behind that node. */
function leaves(units: Units, around: Around, { memory, value }: Position, closed: Closed | null): Change[] {
  const [lane] = lanesIn(memory);
  if (closed === null || lane === undefined || value === BEHIND) return [];
  const after = (before: Memory): Memory => {
    const output = around.outputs.get(lane.name)?.is ?? outputOf(notesOn(before, lane.name).out ?? { is: null });
    const all = noted(written(around, before, closed), lane.name, { out: notedOutput(ledTo(output)) });
    const { unit: _, ...own } = all[OWN];
    return { ...all, [OWN]: own };
  };
  const { unit } = memory[OWN];
  const reads = readsOf(around, closed, lane, unit !== undefined && units.isChosen(unit, lane.node));
  return [{ event: { type: 'graph.done' }, lane, part: 'end', memory: after, reads }];
}

/** The step by which a node begins, and with it perhaps a unit. */
function begins(units: Units, task: Task): Change {
  const change = start(task);
  const memory = (before: Memory): Memory => {
    const unit = units.begun(task.lane.node, change.event, before);
    return unit === null ? before : { ...before, [OWN]: { ...before[OWN], unit } };
  };
  return { ...change, memory };
}

/**
 * The reads of a node. If edges behind it choose whether its unit goes on, also the reads of these edges, without the
 * values that the node itself has replaced.
 */
function readsOf({ graph, outputs }: Around, closed: Closed, { name }: Lane, isByEdges: boolean) {
  const own = outputs.get(name)?.reads ?? NONE;
  if (!isByEdges) return own;
  const put = new Set((closed.writes.get(name) ?? []).map(([channel]) => channel).filter((each) => isPut(graph, each)));
  return [...own, ...closed.led.filter(([channel = '']) => !put.has(channel))];
}

/** True for a channel without a reducer: a write to it says all that is in it then. */
function isPut({ channels }: Around['graph'], name: string): boolean {
  return (channels[name] as { readonly lc_graph_name?: string } | undefined)?.lc_graph_name === 'LastValue';
}

function written({ channels }: Around, before: Memory, closed: Closed | null): Memory {
  return closed === null ? before : withChannels(before, channels, closed.checkpoint.channel_values);
}

/** The context at the beginning of a node. */
function turned(
  memory: Memory,
  closed: Closed | null,
  lane: Lane,
  more: Pick<Memory[typeof OWN], 'unit'> = {},
): Memory {
  const { turn } = memory[OWN];
  const now: TurnNotes | undefined = closed === null ? turn : { id: closed.checkpoint.id, step: closed.step };
  const own = { ...lasting(memory[OWN]), ...(now !== undefined && { turn: now }), ...more };
  return { ...memory, [OWN]: { ...own, lanes: { [lane.name]: { calls: {} } } } };
}

function lanesIn(memory: Memory): Lane[] {
  return Object.keys(memory[OWN].lanes ?? {}).map(laneNamed);
}
