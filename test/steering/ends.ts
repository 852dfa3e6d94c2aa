/** Every way in which plain xstate may take a little program: where it may end, and what it may do to the world. */
import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition, transition } from 'xstate';
import {
  type CallNode,
  callsIn,
  endText,
  givenTo,
  isActing,
  isDenied,
  machineFor,
  outputOf,
  type Program,
  REFUSED,
  toolOf,
  type Words,
} from './programs.ts';

/** What a program is told, and what tools that decide have said. */
export interface Heard {
  readonly words: Words;
  /** False where OK was never taken. */
  readonly isOk?: boolean;
  /** True where NO was taken. */
  readonly isNo?: boolean;
  /** What the input says; only where the program has one. */
  readonly input?: number;
  /** The answers that deciding tools have given, by what others give to the same question. */
  readonly decided?: ReadonlyMap<string, string>;
}

/** The ends of a program, and every act that may stand at any moment before. */
export interface Ways {
  readonly ends: ReadonlySet<string>;
  readonly acts: ReadonlySet<string>;
}

type Under = ReadonlyMap<string, { readonly name: string; readonly input: unknown }>;

interface Spot {
  readonly snapshot: AnyMachineSnapshot;
  readonly under: Under;
  readonly acts: readonly string[];
  readonly left: readonly string[];
}

/** The most places that a program is followed through: more are too many to judge by. */
const MOST = 20_000;

/**
 * Follows a program through whatever order its answers and events come in, to its ends: those in which each event was received, and those that wait for one.
 * A call may begin later than its state is entered: what it is given is then of that moment.
 * @throws RangeError where there are too many ways.
 */
export function waysOf(program: Program, heard: Heard): Ways {
  const { words, isOk = true, isNo = false, input = 1, decided = new Map<string, string>() } = heard;
  const calls = callsIn(program);
  const actors = Object.fromEntries([...calls.keys()].map((name) => [name, NEVER]));
  const machine = machineFor(program, actors, {}, (name) => name);
  const events: Readonly<Record<string, object>> = {
    ...(words !== null && { GO: { type: 'GO', ...words } }),
    ...(isOk && { OK: { type: 'OK', v: 9 } }),
    ...(isNo && { NO: { type: 'NO' } }),
  };
  const ways = { ends: new Set<string>(), acts: new Set<string>() };
  const walk: Walk = { machine, calls, events, decided };
  const seen = new Set<string>();
  const [first, started] = initialTransition(machine, (program.input === true ? { v: input } : undefined) as never);
  const none: Spot = { snapshot: first, under: new Map(), acts: [], left: Object.keys(events) };
  const todo: Spot[] = spotsAfter(none, first, started, calls);
  for (let spot = todo.pop(); spot !== undefined; spot = todo.pop()) {
    const { snapshot, under, acts } = spot;
    const text = spotText(spot, calls);
    if (seen.has(text)) continue;
    seen.add(text);
    if (seen.size > MOST) throw new RangeError('there are too many ways');
    for (const act of [...acts, ...[...under.values()].map((one) => textOf(one, calls))]) ways.acts.add(act);
    const told = whereTold(spot, walk);
    if (under.size === 0 && told === null) ways.ends.add(endText(snapshot.context, snapshot.value, acts));
    todo.push(...(told ?? []), ...whereAnswered(spot, walk));
  }
  return ways;
}

/** What a program is followed with. */
interface Walk {
  readonly machine: AnyStateMachine;
  readonly calls: ReadonlyMap<string, CallNode>;
  readonly events: Readonly<Record<string, object>>;
  readonly decided: ReadonlyMap<string, string>;
}

function spotText({ snapshot, under, acts, left }: Spot, calls: Walk['calls']): string {
  const asked = [...under.values()].map((one) => `${one.name}${textOf(one, calls)}`).sort();
  return JSON.stringify([endText(snapshot.context, snapshot.value, acts), asked, left]);
}

/** The spots behind a call: it begins later, or is answered. */
function whereAnswered(spot: Spot, { machine, calls, decided }: Walk): Spot[] {
  const { snapshot, under, acts } = spot;
  return [...under].flatMap(([id, one]) => {
    const node = calls.get(one.name) as CallNode;
    const later = givenTo(node, snapshot.context);
    const isLater = outputOf(one.name, later) !== outputOf(one.name, one.input);
    const begun = { ...spot, under: new Map(under).set(id, { name: one.name, input: later }) };
    const answer = answerTo(textOf(one, calls), node, acts, decided);
    const [after, actions] = transition(machine, snapshot, replyOf(id, answer.output) as never);
    const rest = new Map(under);
    rest.delete(id);
    const done = answer.isAct ? [...acts, textOf(one, calls)] : acts;
    const answered = spotsAfter({ ...spot, under: rest, acts: done }, after, actions, calls);
    return [...(isLater ? [begun] : []), ...answered];
  });
}

/** The spots behind an event; null where none is taken. */
function whereTold(spot: Spot, { machine, calls, events }: Walk): Spot[] | null {
  const { snapshot, left } = spot;
  const taken = left.filter((type) => snapshot.can(events[type] as never));
  if (taken.length === 0) return null;
  return taken.flatMap((type) => {
    const [after, actions] = transition(machine, snapshot, events[type] as never);
    return spotsAfter({ ...spot, left: left.filter((other) => other !== type) }, after, actions, calls);
  });
}

/** The act of a call, or its answer where it does nothing. */
function textOf(
  { name, input }: { readonly name: string; readonly input: unknown },
  calls: ReadonlyMap<string, CallNode>,
) {
  return outputOf(toolOf(name, calls.get(name) as CallNode), input);
}

/** What a call is answered in a world, and if that is an act. */
function answerTo(
  text: string,
  { once, gate, class: kind }: CallNode,
  acts: readonly string[],
  decided: ReadonlyMap<string, string>,
): { readonly output: string; readonly isAct: boolean } {
  const first = once === true ? acts.find((act) => act.startsWith(`${toolOf('', { once } as CallNode)}(`)) : undefined;
  if (first !== undefined) return { output: first === text ? text : REFUSED, isAct: false };
  if (gate === true && isDenied(text)) return { output: REFUSED, isAct: false };
  return { output: decided.get(text) ?? text, isAct: isActing(kind) };
}

function replyOf(id: string, output: string): object {
  if (output === REFUSED) return { type: `xstate.error.actor.${id}`, error: new Error(output), actorId: id };
  return { type: `xstate.done.actor.${id}`, output, actorId: id };
}

const NEVER = {
  transition: (state: unknown) => state,
  getInitialSnapshot: () => ({ status: 'active' }),
  getPersistedSnapshot: (state: unknown) => state,
};

/** A spot behind a step: a call whose state was left has happened, or has not; what a discard can undo is undone. */
function spotsAfter(
  spot: Spot,
  snapshot: AnyMachineSnapshot,
  actions: readonly { readonly type: string; readonly params?: unknown }[],
  calls: ReadonlyMap<string, CallNode>,
): Spot[] {
  const kept = [...spot.under].filter(([id]) => Object.hasOwn(snapshot.children, id));
  const left = [...spot.under].filter(([id]) => !Object.hasOwn(snapshot.children, id));
  const under = new Map(kept);
  for (const { type, params } of actions) {
    if (type !== 'xstate.spawnChild') continue;
    const { id, src, input } = params as { id: string; src: string; input: unknown };
    under.set(id, { name: src, input });
  }
  let worlds: (readonly string[])[] = [spot.acts];
  for (const [, one] of left) {
    const node = calls.get(one.name) as CallNode;
    const text = textOf(one, calls);
    const isUndone = node.skip === 'discard' && node.class === 'reversible';
    const isDone = isActing(node.class) && !isUndone && !(node.gate === true && isDenied(text));
    if (isDone) worlds = worlds.flatMap((acts) => [acts, [...acts, text]]);
  }
  return worlds.map((acts) => ({ ...spot, snapshot, under, acts }));
}
