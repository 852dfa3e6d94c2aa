/** Little programs that events steer: their machines, their configs, and every way in which plain xstate may end them. */
import { type AnyMachineSnapshot, type AnyStateMachine, assign, initialTransition, transition } from 'xstate';
import { configOf, type Given, machineOf, type Unit } from '../semantics/little.ts';

export const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible'] as const;
/** `deciding`: a tool of class none whose answers are decisions. It never answers the same question twice with the same. */
export type Class = (typeof CLASSES)[number] | 'deciding';

/** True for a class whose calls change the world. */
export function isActing(kind: Class | undefined): boolean {
  return kind !== 'none' && kind !== 'deciding';
}

/** A call that reads keys and writes `k` with its name. */
interface CallNode {
  readonly is: 'call';
  readonly reads: readonly string[];
  readonly class: Class;
}

/** A wait for GO, which writes q; a choice by q; or a call. */
export type Node =
  | CallNode
  | { readonly is: 'wait'; readonly type: 'GO' | 'OK' }
  | { readonly is: 'branch'; readonly yes: CallNode; readonly no: CallNode };

/** The regions of a program; `handler`: GO is taken in every state, and moves no control. */
export interface Program {
  readonly regions: readonly (readonly Node[])[];
  readonly handler: boolean;
  /** The keys that the sender of OK has seen; null where it names none. */
  readonly seen?: readonly string[] | null;
  /** True where q is what the input says, until GO says something else. */
  readonly input?: boolean;
  /** True where all calls of a region are one unit, and not one each. */
  readonly joined?: boolean;
  /** The nodes of a region whose calls are that unit: from one, and up to before another; all if left out. */
  readonly from?: number;
  readonly upTo?: number;
}

/** The words of GO; null where it is never sent. */
export type Words = { readonly v: number } | null;

const nameAt = (region: number, index: number, side = '') => `${'abc'[region]}${index}${side}`;

/** Every call of a program, by its name. */
export function callsIn({ regions }: Program): ReadonlyMap<string, CallNode> {
  return new Map(
    regions.flatMap((nodes, region) =>
      nodes.flatMap((node, index): [string, CallNode][] => {
        if (node.is === 'call') return [[nameAt(region, index), node]];
        if (node.is === 'wait') return [];
        return [
          [nameAt(region, index, 'y'), node.yes],
          [nameAt(region, index, 'n'), node.no],
        ];
      }),
    ),
  );
}

/** The input of a call in a context. */
function givenTo({ reads }: Pick<CallNode, 'reads'>, context: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(reads.map((key) => [key, context[key] ?? null]));
}

/** The output of a call: what it was given, so that what rests on what shows. */
export function outputOf(name: string, input: unknown): string {
  return `${name}(${JSON.stringify(input)})`;
}

const heard = { GO: 'q', OK: 'p' } as const;
const keeps = (type: 'GO' | 'OK') =>
  assign({ [heard[type]]: ({ event }: { event: { v?: number } }) => event.v } as never);

function statesOf(nodes: readonly Node[], region: number): Record<string, object> {
  const states: Record<string, object> = { over: { type: 'final' } };
  const at = (index: number) => (index < nodes.length ? `s${index}` : 'over');
  const call = (name: string, { reads }: Pick<CallNode, 'reads'>, target: string) => ({
    invoke: {
      src: name,
      input: ({ context }: Given<unknown>) => givenTo({ reads }, context),
      onDone: {
        target,
        actions: assign({ [`k${name}`]: ({ event }: { event: { output: unknown } }) => event.output } as never),
      },
    },
  });
  for (const [index, node] of nodes.entries()) {
    const next = at(index + 1);
    if (node.is === 'call') states[at(index)] = call(nameAt(region, index), node, next);
    else if (node.is === 'wait')
      states[at(index)] = { on: { [node.type]: { target: next, actions: keeps(node.type) } } };
    else {
      const [yes, no] = [`s${index}y`, `s${index}n`];
      const guard = ({ context }: Given) => (context.q ?? 0) >= 2;
      states[at(index)] = { always: [{ guard, target: yes }, { target: no }] };
      states[yes] = call(nameAt(region, index, 'y'), node.yes, next);
      states[no] = call(nameAt(region, index, 'n'), node.no, next);
    }
  }
  return states;
}

/** The machine of a program. @param more further states, which no event leads to. */
export function machineFor(
  program: Program,
  actors: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, object>> = {},
): AnyStateMachine {
  const regions = program.regions.map((nodes, region) => [
    'abc'[region],
    { initial: nodes.length > 0 ? 's0' : 'over', states: statesOf(nodes, region) },
  ]);
  return machineOf(actors, {
    initial: 'both',
    ...(program.input === true && { context: ({ input }: { input: { v: number } }) => ({ q: input.v }) }),
    ...(program.handler && { on: { GO: { actions: keeps('GO') } } }),
    states: {
      both: { type: 'parallel', states: Object.fromEntries(regions), onDone: 'end' },
      end: { type: 'final' },
      ...more,
    },
  });
}

/** The config of a program: each call is a unit of its own. */
export function configFor(program: Program) {
  const calls = callsIn(program);
  const tools: Record<string, string> = {};
  const units: Record<string, Unit> = {};
  for (const [name, { reads, class: kind }] of calls) {
    const undo = kind === 'reversible' ? ', undo: un' : '';
    const effect = kind === 'deciding' ? 'none, decides: true' : `${kind}, reconcile: ask`;
    tools[name] = `reads: [${reads.join(', ')}], writes: [k${name}], effect: ${effect}${undo}`;
    if (isJoined(program, name)) continue;
    const region = `both.${name[0]}`;
    const index = Number(name[1]);
    const nodes = program.regions['abc'.indexOf(name[0] as string)] as readonly Node[];
    const next = index + 1 < nodes.length ? `s${index + 1}` : 'over';
    const state = `${region}.s${name.slice(1)}`;
    units[`U${name}`] = { states: [state], at: `${state} -> ${region}.${next}`, writes: [`k${name}`], reads };
  }
  if (program.joined) Object.assign(units, joinedUnits(program));
  const seen = program.seen == null ? '' : `events: { OK: { reads: [${program.seen.join(', ')}] } }`;
  return configOf(tools, units, seen);
}

/** True for a call of the one unit of its region. */
export function isJoined({ joined = false, from = 0, upTo = 9 }: Program, name: string): boolean {
  const index = Number(name[1]);
  return joined && index >= from && index < upTo;
}

/** One unit for each region, whose last node is a call. */
function joinedUnits(program: Program): Record<string, Unit> {
  const calls = [...callsIn(program)];
  return Object.fromEntries(
    program.regions.map((nodes, nth) => {
      const { from = 0, upTo = nodes.length } = program;
      const [letter, last] = ['abc'[nth], upTo - 1];
      const own = calls.filter(([name]) => name[0] === letter && isJoined(program, name));
      const states = nodes.map((_, index) => `both.${letter}.s${index}`).slice(from, upTo);
      const target = upTo < nodes.length ? `s${upTo}` : 'over';
      const reads = [...new Set(own.flatMap(([, { reads: read }]) => read))];
      const said = nodes.slice(from, upTo).flatMap((node) => (node.is === 'wait' ? [heard[node.type]] : []));
      const writes = [...own.map(([name]) => `k${name}`).reverse(), ...said];
      return [`U${letter}`, { states, at: `both.${letter}.s${last} -> both.${letter}.${target}`, writes, reads }];
    }),
  );
}

/** An end of a run, or a place where nothing is under way: the context, control, and the acts that the world has. */
export function endText(context: unknown, value: unknown, acts: readonly string[]): string {
  return JSON.stringify([Object.entries(context as object).sort(), value, [...acts].sort()]);
}

interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly under: ReadonlyMap<string, { readonly name: string; readonly input: unknown }>;
  readonly acts: readonly string[];
  readonly left: readonly string[];
}

/**
 * Every end of a program in plain xstate, whatever order its answers come in: those in which each event was received, and those that wait for one. A call
 * may begin later than its state is entered: what it is given is then of that moment.
 * @param isOk false where OK was never taken.
 * @param input what the input says; only where the program has one.
 * @param decided the answers that deciding tools have given, by what others give to the same question.
 */
export function endsOf(
  program: Program,
  words: Words,
  isOk = true,
  input: number = 1,
  decided: ReadonlyMap<string, string> = new Map(),
): ReadonlySet<string> {
  const calls = callsIn(program);
  const answerOf = (name: string, given: unknown) => {
    const plain = outputOf(name, given);
    return decided.get(plain) ?? plain;
  };
  const actors = Object.fromEntries([...calls.keys()].map((name) => [name, NEVER]));
  const machine = machineFor(program, actors);
  const events: Readonly<Record<string, object>> = {
    ...(words !== null && { GO: { type: 'GO', ...words } }),
    ...(isOk && { OK: { type: 'OK', v: 9 } }),
  };
  const ends = new Set<string>();
  const seen = new Set<string>();
  const [first, started] = initialTransition(machine, (program.input === true ? { v: input } : undefined) as never);
  const todo: Spot[] = [
    spotAfter({ snapshot: first, under: new Map(), acts: [], left: Object.keys(events) }, first, started, calls),
  ];
  for (let spot = todo.pop(); spot !== undefined; spot = todo.pop()) {
    const { snapshot, under, acts, left } = spot;
    const text = JSON.stringify([
      endText(snapshot.context, snapshot.value, acts),
      [...under.values()].map(({ name, input }) => outputOf(name, input)).sort(),
      left,
    ]);
    if (seen.has(text)) continue;
    seen.add(text);
    const taken = left.filter((type) => snapshot.can(events[type] as never));
    if (under.size === 0 && taken.length === 0) ends.add(endText(snapshot.context, snapshot.value, acts));
    for (const [id, { name, input }] of under) {
      const later = givenTo(calls.get(name) as CallNode, snapshot.context);
      if (outputOf(name, later) !== outputOf(name, input)) {
        const others = acts.filter((act) => act !== outputOf(name, input));
        const begun = !isActing(calls.get(name)?.class) ? acts : [...others, outputOf(name, later)];
        todo.push({ ...spot, under: new Map(under).set(id, { name, input: later }), acts: begun });
      }
      const done = { type: `xstate.done.actor.${id}`, output: answerOf(name, input), actorId: id };
      const [after, actions] = transition(machine, snapshot, done as never);
      const rest = new Map(under);
      rest.delete(id);
      todo.push(spotAfter({ ...spot, under: rest }, after, actions, calls));
    }
    for (const type of taken) {
      const [after, actions] = transition(machine, snapshot, events[type] as never);
      todo.push(spotAfter({ ...spot, left: left.filter((other) => other !== type) }, after, actions, calls));
    }
  }
  return ends;
}

const NEVER = {
  transition: (state: unknown) => state,
  getInitialSnapshot: () => ({ status: 'active' }),
  getPersistedSnapshot: (state: unknown) => state,
};

function spotAfter(
  spot: Spot,
  snapshot: AnyMachineSnapshot,
  actions: readonly { readonly type: string; readonly params?: unknown }[],
  calls: ReadonlyMap<string, CallNode>,
): Spot {
  const under = new Map(spot.under);
  const acts = [...spot.acts];
  for (const { type, params } of actions) {
    if (type !== 'xstate.spawnChild') continue;
    const { id, src, input } = params as { id: string; src: string; input: unknown };
    under.set(id, { name: src, input });
    if (isActing(calls.get(src)?.class)) acts.push(outputOf(src, input));
  }
  return { ...spot, snapshot, under, acts };
}
