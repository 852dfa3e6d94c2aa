/**
 * Runs little machines abstractly, in every interleaving: the ground truth. Shares no code with `src/`. A run is a memory, what is
 * left to do, and the acts done; a move starts a call, hears its reply, or hears event X.
 */
import {
  answerOf,
  argsOf,
  type CallName,
  callText,
  keyOf,
  type LittleMachine,
  leadsIn,
  type Memory,
  type Part,
  readKey,
  toolsIn,
  written,
} from './little-machine.ts';

/** What is left to do of a part. */
type Rest =
  | { readonly at: 'end' }
  | { readonly at: 'call'; readonly call: CallName; readonly args: Memory | null }
  | { readonly at: 'sequence'; readonly now: Rest; readonly next: readonly Part[] }
  | { readonly at: 'loop'; readonly now: Rest; readonly body: Part; readonly pass: number }
  | { readonly at: 'parallel'; readonly left: Rest; readonly right: Rest }
  | {
      readonly at: 'child';
      readonly body: Part;
      readonly inner: { readonly memory: Memory; readonly now: Rest } | null;
    }
  | { readonly at: 'wait' };

/** One state of a run. */
export interface RunState {
  readonly memory: Memory;
  readonly rest: Rest;
  /** The acts so far, one text each, sorted. */
  readonly acts: readonly string[];
}

/** One move: what it is called, and where it leads. `call` is the call whose reply is heard. */
export interface Step {
  readonly name: string;
  readonly call: CallName | null;
  readonly to: RunState;
}

/** How a run goes: calls start when their state is entered (as in xstate), or any time later (as a replay may start them). */
export interface Manner {
  readonly startsAtOnce: boolean;
  /** The call that answers wrong, by name. */
  readonly wrong: string | null;
}

interface Change {
  readonly name: string;
  readonly call: CallName | null;
  readonly rest: Rest;
  readonly memory: Memory;
  readonly act: string | null;
}

const END: Rest = { at: 'end' };

export function begin(machine: LittleMachine, manner: Manner): RunState {
  const hasLoop = machine.shape.includes('loop');
  return { ...enter(machine, manner, machine.body, hasLoop ? { n: 0 } : {}, null), acts: [] };
}

export function isOver({ rest }: RunState): boolean {
  return rest.at === 'end';
}

/** Lists the moves that a run can make. */
export function steps(machine: LittleMachine, manner: Manner, state: RunState): readonly Step[] {
  return changes(machine, manner, state.rest, state.memory, null).map(({ name, call, rest, memory, act }) => ({
    name,
    call,
    to: { rest, memory, acts: act === null ? state.acts : [...state.acts, act].sort() },
  }));
}

/** Prints an act: the same text in the interpreter and in the world of a real run. */
export function actText(call: CallName, args: Memory, answer: unknown): string {
  return `${callText(call)} ${JSON.stringify(args)} = ${String(answer)}`;
}

interface Place {
  readonly memory: Memory;
  readonly rest: Rest;
}

/** Enters a part: goes as far as no call, event or region has to be waited for. */
function enter(machine: LittleMachine, manner: Manner, part: Part, memory: Memory, pass: number | null): Place {
  switch (part.is) {
    case 'call': {
      const call = { tool: part.tool, pass };
      return { memory, rest: { at: 'call', call, args: manner.startsAtOnce ? argsOf(machine, memory, call) : null } };
    }
    case 'wait':
      return { memory, rest: { at: 'wait' } };
    case 'sequence':
      return follow(machine, manner, { memory, rest: END }, part.parts, pass);
    case 'unit':
      return enter(machine, manner, part.body, memory, pass);
    case 'branch': {
      const taken = leadsIn(readKey(machine, memory, part.key, pass), machine.pick) ? part.yes : part.no;
      return taken === null ? { memory, rest: END } : enter(machine, manner, taken, memory, pass);
    }
    case 'loop':
      return again(machine, manner, enter(machine, manner, part.body, memory, 0), part.body, 0);
    case 'parallel': {
      const left = enter(machine, manner, part.left, memory, pass);
      const right = enter(machine, manner, part.right, left.memory, pass);
      return both(left.rest, right.rest, right.memory);
    }
    case 'child': {
      const inner = manner.startsAtOnce ? enter(machine, manner, part.body, memory, pass) : null;
      return {
        memory,
        rest: { at: 'child', body: part.body, inner: inner && { memory: inner.memory, now: inner.rest } },
      };
    }
  }
}

function follow(
  machine: LittleMachine,
  manner: Manner,
  place: Place,
  parts: readonly Part[],
  pass: number | null,
): Place {
  const [next, ...others] = parts;
  if (place.rest.at !== 'end') return { ...place, rest: { at: 'sequence', now: place.rest, next: parts } };
  return next === undefined
    ? place
    : follow(machine, manner, enter(machine, manner, next, place.memory, pass), others, pass);
}

function again(machine: LittleMachine, manner: Manner, { memory, rest }: Place, body: Part, pass: number): Place {
  if (rest.at !== 'end') return { memory, rest: { at: 'loop', now: rest, body, pass } };
  if (pass === 1) return { memory, rest: END };
  const counted = { ...memory, n: 1 };
  return again(machine, manner, enter(machine, manner, body, counted, 1), body, 1);
}

function both(left: Rest, right: Rest, memory: Memory): Place {
  return { memory, rest: left.at === 'end' && right.at === 'end' ? END : { at: 'parallel', left, right } };
}

function changes(
  machine: LittleMachine,
  manner: Manner,
  rest: Rest,
  memory: Memory,
  pass: number | null,
): readonly Change[] {
  const inside = (now: Rest, inPass = pass) => changes(machine, manner, now, memory, inPass);
  switch (rest.at) {
    case 'end':
      return [];
    case 'wait':
      return [{ name: 'X', call: null, rest: END, memory, act: null }];
    case 'call':
      return [replyOrStart(machine, manner, rest, memory)];
    case 'sequence':
      return inside(rest.now).map((change) => ({ ...change, ...follow(machine, manner, change, rest.next, pass) }));
    case 'loop':
      return inside(rest.now, rest.pass).map((change) => ({
        ...change,
        ...again(machine, manner, change, rest.body, rest.pass),
      }));
    case 'parallel':
      return [
        ...inside(rest.left).map((change) => ({ ...change, ...both(change.rest, rest.right, change.memory) })),
        ...inside(rest.right).map((change) => ({ ...change, ...both(rest.left, change.rest, change.memory) })),
      ];
    case 'child':
      return childChanges(machine, manner, rest, memory, pass);
  }
}

function replyOrStart(
  machine: LittleMachine,
  manner: Manner,
  { call, args }: Extract<Rest, { at: 'call' }>,
  memory: Memory,
): Change {
  const name = callText(call);
  if (args === null)
    return {
      name: `start ${name}`,
      call: null,
      rest: { at: 'call', call, args: argsOf(machine, memory, call) },
      memory,
      act: null,
    };
  const answer = answerOf(call, args, manner.wrong === name);
  const acts = machine.tools.some((tool) => tool.name === call.tool && tool.class !== 'none');
  return {
    name,
    call,
    rest: END,
    memory: { ...memory, [keyOf(call.tool)]: written(machine, memory, call, answer) },
    act: acts ? actText(call, args, answer) : null,
  };
}

function childChanges(
  machine: LittleMachine,
  manner: Manner,
  rest: Extract<Rest, { at: 'child' }>,
  memory: Memory,
  pass: number | null,
): readonly Change[] {
  if (rest.inner === null) {
    const place = enter(machine, manner, rest.body, memory, pass);
    const inner = { memory: place.memory, now: place.rest };
    return [{ name: 'start child', call: null, rest: { ...rest, inner }, memory, act: null }];
  }
  return changes(machine, manner, rest.inner.now, rest.inner.memory, pass).map((change) => {
    const inner = { memory: change.memory, now: change.rest };
    if (change.rest.at !== 'end') return { ...change, memory, rest: { ...rest, inner } };
    const taken = toolsIn(rest.body).map((tool) => [keyOf(tool), change.memory[keyOf(tool)]] as const);
    return { ...change, rest: END, memory: { ...memory, ...Object.fromEntries(taken) } };
  });
}
