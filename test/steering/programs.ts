/** Little programs that events steer: their machines and their configs. */
import { type AnyStateMachine, assign } from 'xstate';
import { configOf, type Given, machineOf, type Unit } from '../semantics/little.ts';

export const CLASSES = ['none', 'idempotent', 'reversible', 'irreversible'] as const;
/** `deciding`: a tool of class none whose answers are decisions. It never answers the same question twice with the same. */
export type Class = (typeof CLASSES)[number] | 'deciding';

/** True for a class whose calls change the world. */
export function isActing(kind: Class | undefined): boolean {
  return kind !== 'none' && kind !== 'deciding';
}

/** A call that reads keys and writes `k` with its name. */
export interface CallNode {
  readonly is: 'call';
  readonly reads: readonly string[];
  readonly class: Class;
  /** True where its tool is one for all such calls, which are one act: a repetition is answered, or refused to the machine (ON2, ON3). */
  readonly once?: true;
  /** True where a person is asked before it leaves; what {@link isDenied} is refused to the machine (R4). */
  readonly gate?: true;
  /** NO leads out of its state, and its unit is discarded there, or just left (PA11). */
  readonly skip?: 'discard' | 'leave';
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
  /** How often a region goes through its nodes; once, if left out. */
  readonly rounds?: number;
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

/** The tool that all calls share which are one act. */
const ONE = 'one';

/** The tool of a call. */
export function toolOf(name: string, { once }: CallNode): string {
  return once === true ? ONE : name;
}

/** True for what the person at the gates denies. */
export function isDenied(output: string): boolean {
  return [...output].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 3 === 0;
}

/** The output of a call that its machine is refused. */
export const REFUSED = 'refused';

/** The input of a call in a context. */
export function givenTo({ reads, once }: CallNode, context: Readonly<Record<string, unknown>>): object {
  const act = once === true ? [['it', 1]] : [];
  return Object.fromEntries([...act, ...reads.map((key) => [key, context[key] ?? null])]);
}

/** The output of a call: what it was given, so that what rests on what shows. */
export function outputOf(name: string, input: unknown): string {
  return `${name}(${JSON.stringify(input)})`;
}

const heard = { GO: 'q', OK: 'p' } as const;
const keeps = (type: 'GO' | 'OK') =>
  assign({ [heard[type]]: ({ event }: { event: { v?: number } }) => event.v } as never);

/** The state of a call. */
function callState(name: string, node: CallNode, { src, target }: { readonly src: string; readonly target: string }) {
  const answered = ({ event }: { event: { output: unknown } }) => event.output;
  const refused = { target, actions: assign({ [`k${name}`]: () => REFUSED } as never) };
  return {
    ...(node.skip !== undefined && { on: { NO: target } }),
    invoke: {
      src,
      input: ({ context }: Given<unknown>) => givenTo(node, context),
      onDone: { target, actions: assign({ [`k${name}`]: answered } as never) },
      ...((node.once || node.gate) && { onError: refused }),
    },
  };
}

/** The state behind the nodes of a region: the next round, where there is one. */
const behind = ({ rounds = 1 }: Program) => (rounds > 1 ? 'again' : 'over');

function againState(region: number, rounds: number) {
  const key = `n${'abc'[region]}`;
  const round = (context: Readonly<Record<string, unknown>>) => Number(context[key] ?? 1);
  return {
    always: [
      {
        guard: ({ context }: Given<unknown>) => round(context) < rounds,
        target: 's0',
        actions: assign({ [key]: ({ context }: Given<unknown>) => round(context) + 1 } as never),
      },
      { target: 'over' },
    ],
  };
}

function statesOf(program: Program, region: number, srcOf: typeof toolOf): Record<string, object> {
  const nodes = program.regions[region] as readonly Node[];
  const states: Record<string, object> = { over: { type: 'final' } };
  const { rounds = 1 } = program;
  if (rounds > 1) states.again = againState(region, rounds);
  const at = (index: number) => (index < nodes.length ? `s${index}` : behind(program));
  const call = (name: string, node: CallNode, target: string) =>
    callState(name, node, { src: srcOf(name, node), target });
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

/** The machine of a program. @param more further states, which no event leads to. @param srcOf the name of the actor of a call. */
export function machineFor(
  program: Program,
  actors: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, object>> = {},
  srcOf: typeof toolOf = toolOf,
): AnyStateMachine {
  const regions = program.regions.map((nodes, region) => [
    'abc'[region],
    { initial: nodes.length > 0 ? 's0' : 'over', states: statesOf(program, region, srcOf) },
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
  for (const [name, node] of calls) {
    const { reads, skip } = node;
    const tool = toolOf(name, node);
    tools[tool] = toolText([...calls].filter(([other, each]) => toolOf(other, each) === tool));
    if (isJoined(program, name)) continue;
    const region = `both.${name[0]}`;
    const index = Number(name[1]);
    const nodes = program.regions['abc'.indexOf(name[0] as string)] as readonly Node[];
    const next = index + 1 < nodes.length ? `s${index + 1}` : behind(program);
    const state = `${region}.s${name.slice(1)}`;
    const at = `${state} -> ${region}.${next}`;
    const discard = skip === 'discard' ? { discard: at } : {};
    units[`U${name}`] = { states: [state], at, writes: [`k${name}`], reads, ...discard };
  }
  if (program.joined) Object.assign(units, joinedUnits(program));
  const seen = program.seen == null ? '' : `events: { OK: { reads: [${program.seen.join(', ')}] } }`;
  return configOf(tools, units, seen);
}

/** What a config says of the tool of some calls. */
function toolText(calls: readonly (readonly [string, CallNode])[]): string {
  const [[, { class: kind, once, gate }]] = calls as [[string, CallNode]];
  const reads = [...new Set(calls.flatMap(([, node]) => node.reads))];
  const undo = kind === 'reversible' ? ', undo: un' : '';
  const effect = kind === 'deciding' ? 'none, decides: true' : `${kind}, reconcile: ask`;
  const more = `${once === true ? ', once: [args.it]' : ''}${gate === true ? ', gate: true' : ''}`;
  const writes = calls.map(([name]) => `k${name}`);
  return `reads: [${reads.join(', ')}], writes: [${writes.join(', ')}], effect: ${effect}${undo}${more}`;
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
