/**
 * Says whether a run may go on by another machine from where it stands, by the order of both machines (semantics.md CO6): guards are taken to go
 * either way. It knows no journal.
 */
import { Reach } from '../../boundaries/lint/reach.ts';
import type { EdgeShape, MachineShape } from '../../model/machine.ts';
import { isOfMove } from '../../model/moved-event.ts';
import { nameNow, pathNow, type Renames } from '../../model/renames.ts';

/** The part of a past that its order rests on, in the names of now. */
export interface Behind {
  /** The states in which control stands, with the states around them. */
  readonly active: ReadonlySet<string>;
  /** The states that it was in. */
  readonly passed: ReadonlySet<string>;
  /** The tools that were asked, those that are under way among them. */
  readonly asked: ReadonlySet<string>;
}

/** Where a machine stands behind the event of a move (CO11). */
export interface Put {
  readonly active: ReadonlySet<string>;
  /** The states that it has entered by that event. */
  readonly entered: ReadonlySet<string>;
}

/** The reason why a run does not go on from where it stands by another machine. */
export interface Disorder {
  readonly code: 'state_gone' | 'state_changed' | 'loop_changed' | 'would_be_done_again' | 'would_be_left_out';
  /** The state in which the run stands. */
  readonly from: string;
  /** The state or the tool. */
  readonly at: string;
}

/** A machine in the names of another release. */
export function renamedShape(shape: MachineShape, { states, tools }: Renames): MachineShape {
  const path = (of: string) => pathNow(states, of);
  return {
    ...shape,
    states: shape.states.map((state) => ({
      ...state,
      path: path(state.path),
      initial: state.initial === null ? null : path(state.initial),
      invokes: state.invokes.map(({ id, tool }) => ({ id, tool: tool === null ? null : nameNow(tools, tool) })),
    })),
    edges: shape.edges.map((edge) => ({ ...edge, from: path(edge.from), to: path(edge.to) })),
  };
}

/** The reason why another machine does not stand where a run stands; null where it does. */
export function elsewhereIn(then: MachineShape, now: MachineShape, behind: Behind): Disorder | null {
  const [before, after] = [new Order(then, behind.active), new Order(now, behind.active)];
  const isElse = (of: (order: Order, state: string) => string) =>
    first(behind.active, (state) => of(before, state) !== of(after, state));
  return (
    disorder(
      behind,
      'state_gone',
      first(behind.active, (state) => !after.states.has(state)),
    ) ??
    disorder(
      behind,
      'state_changed',
      isElse((order, state) => order.atState(state)),
    ) ??
    disorder(
      behind,
      'loop_changed',
      isElse((order, state) => order.loopOf(state)),
    )
  );
}

/**
 * Holds the order of another machine against that of the machine that the run was under.
 * @param put where it stands once it has taken the event of the move; null where it takes none.
 * @returns null where the run may go on.
 */
export function disorderOf(
  then: MachineShape,
  now: MachineShape,
  behind: Behind,
  put: Put | null = null,
): Disorder | null {
  const before = new Order(then, behind.active);
  const after = new Order(now, put?.active ?? behind.active, put?.entered);
  return (
    elsewhereIn(then, now, behind) ??
    disorder(behind, 'would_be_done_again', again(before, after, behind)) ??
    disorder(behind, 'would_be_left_out', leftOut(before, after, behind)) ??
    disorder(behind, 'would_be_left_out', put === null ? undefined : abandoned(after, behind, put))
  );
}

function disorder({ active }: Behind, code: Disorder['code'], at: string | undefined): Disorder | null {
  if (at === undefined) return null;
  return { code, from: [...active].toSorted((a, b) => b.length - a.length)[0] ?? '', at };
}

/** The state that the event of the move leaves for good, though the machine of now has it on its way. */
function abandoned(after: Order, { active }: Behind, put: Put): string | undefined {
  return first(active, (state) => after.isOnItsWay(state) && !put.active.has(state) && !after.ahead.has(state));
}

/** The reason in words, with what may be done. */
export function disorderText({ code, from, at }: Disorder): string {
  const on = from === '' ? 'from its beginning on' : `from ${from} on`;
  switch (code) {
    case 'state_gone':
      return `the run stands in ${at}, which this machine does not have. Name what it is called now under states of the map, or leave the run with its release`;
    case 'state_changed':
      return `the run stands in ${at}, which is of another sort or asks other tools in this machine, and nothing starts those. It goes over once it has left ${at}`;
    case 'loop_changed':
      return `the run stands in ${at}, which lies in a loop of other edges in this machine, and no order says what of that pass is done. It goes over once it has left the loop`;
    case 'would_be_done_again':
      return `${on}, this machine comes to ${at} again, which is done, and the one before would not. Leave the run with its release`;
    case 'would_be_left_out':
      return `${on}, this machine does not come to ${at}, which is not done, and the one before would. Leave the run with its release until it has`;
  }
}

/** What is done, the machine of now comes to again, and the machine of then would not. */
function again(before: Order, after: Order, { passed, asked }: Behind): string | undefined {
  return (
    first(after.tools, (tool) => asked.has(tool) && !before.tools.has(tool)) ??
    first(after.ahead, (state) => passed.has(state) && !before.ahead.has(state))
  );
}

/** What both machines have, is not done, the machine of then would come to, and the machine of now does not. */
function leftOut(before: Order, after: Order, { active, passed, asked }: Behind): string | undefined {
  return (
    first(before.tools, (tool) => after.has(tool) && !asked.has(tool) && !after.tools.has(tool)) ??
    first(
      before.ahead,
      (state) => after.states.has(state) && !passed.has(state) && !active.has(state) && !after.ahead.has(state),
    )
  );
}

/** A machine, as control goes on in it from where it stands. */
class Order {
  readonly states: Reach['states'];
  readonly ahead: ReadonlySet<string>;
  /** The tools that are ahead. */
  readonly tools: ReadonlySet<string>;
  readonly #reach: Reach;

  constructor(shape: MachineShape, active: ReadonlySet<string>, entered: Iterable<string> = []) {
    this.#reach = new Reach({ ...shape, edges: shape.edges.filter((edge) => !isOfMove(edge)) });
    this.states = this.#reach.states;
    this.ahead = new Set([...this.#reach.ahead(active), ...entered]);
    this.tools = new Set([...this.ahead].flatMap((state) => this.#toolsOf(state)));
  }

  /** True where a state asks a tool. */
  has(tool: string): boolean {
    return [...this.states.keys()].some((state) => this.#toolsOf(state).includes(tool));
  }

  /** True for a state that a run comes to which the machine has begun. */
  isOnItsWay(state: string): boolean {
    const first = this.#reach.entered('');
    return first.has(state) || this.#reach.ahead(first).has(state);
  }

  /** The sort of a state and the tools that it asks: nothing starts them where control is put. */
  atState(state: string): string {
    const { type, invokes } = this.states.get(state) ?? { type: null, invokes: [] };
    return JSON.stringify([type, invokes.map(({ tool }) => tool)]);
  }

  /** The edges of the loops that a state lies in: which pass of them is over, no order says. */
  loopOf(state: string): string {
    const behind = this.#reach.ahead([state]);
    if (!behind.has(state)) return '';
    const loop = new Set([...behind].filter((each) => this.#reach.ahead([each]).has(state)));
    const edges = this.#reach.shape.edges.filter(({ from, to }) => loop.has(from) && loop.has(to));
    return edges.map(edgeText).toSorted().join('\n');
  }

  #toolsOf(state: string): readonly string[] {
    return (this.states.get(state)?.invokes ?? []).flatMap(({ tool }) => tool ?? []);
  }
}

function edgeText({ from, to, event, guarded }: EdgeShape): string {
  // The events of a child and of a delay have the names of states in them.
  const kind = event.startsWith('xstate.') ? event.split('.').slice(0, 3).join('.') : event;
  return JSON.stringify([from, to, kind, guarded]);
}

function first(all: Iterable<string>, is: (each: string) => boolean): string | undefined {
  return [...all].toSorted().find(is);
}
