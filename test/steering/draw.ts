/** Scenarios of acts on events that are drawn. */
import { type Crossed, crossedWith } from './crossed.ts';
import { drawn } from './family.ts';
import { type CallNode, type Class, callsIn, isActing, type Node, type Program } from './programs.ts';
import type { Scenario } from './scenario.ts';

/** Numbers from 0 up to 1, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Scenarios that are drawn, without end: the same for a seed. */
export function* drawnScenarios(seed: number): Generator<Scenario> {
  for (const { scenario } of drawing(seed)) yield scenario;
}

/** The same with a complaint, a second act, or both, at any moment. */
export function* mixedScenarios(seed: number): Generator<Scenario> {
  for (const drawn of drawing(seed)) if (hearsGo(drawn.scenario.program)) yield mixed(drawn);
}

/** The same with pauses, deaths of the process, and another release of the code. */
export function* crossedScenarios(seed: number): Generator<Crossed> {
  for (const drawn of drawing(seed)) {
    const isOfInput = drawn.random() < 0.3;
    const { program } = drawn.scenario;
    const scenario = isOfInput ? { ...drawn.scenario, program: { ...program, input: true } } : drawn.scenario;
    if (isOfInput || hearsGo(program)) yield crossedWith(mixed({ ...drawn, scenario }), drawn.random);
  }
}

/** What may come to crossed runs beside, by its name: each adds something to a scenario. */
export const WIDER: Readonly<Record<string, (scenario: Crossed, random: () => number) => Crossed>> = {
  cancels: (scenario, random) => ({
    ...scenario,
    cancel: { at: Math.floor(random() * 9), undo: random() < 0.6 },
  }),
  repeats: (scenario, random) => {
    const kind = (['idempotent', 'reversible', 'irreversible'] as const)[Math.floor(random() * 3)] as Class;
    return withCalls(scenario, (node) => (random() < 0.6 ? { ...node, class: kind, once: true } : node));
  },
  discards: (scenario, random) => ({
    ...withCalls(scenario, (node) =>
      random() < 0.6 ? { ...node, skip: random() < 0.75 ? 'discard' : 'leave' } : node,
    ),
    noAt: Math.floor(random() * 5),
  }),
  gates: (scenario, random) => ({
    ...withCalls(scenario, (node) =>
      isActing(node.class) && (node.once === true || random() < 0.7) ? { ...node, gate: true } : node,
    ),
    slow: Math.floor(random() * 4),
  }),
  early: (scenario) => ({ ...scenario, early: true }),
  // Plain xstate takes too many ways through more. A unit that writes what was there already does not certify, and its edge discards it (PA11).
  rounds: (scenario) => {
    if (scenario.program.regions.flat().length > 4) return scenario;
    const { program } = withCalls(scenario, (node) => (node.skip === 'discard' ? { ...node, skip: 'leave' } : node));
    return { ...scenario, program: { ...program, rounds: 2 } };
  },
};

/** Crossed scenarios to which more comes: of some names, each or some of it. */
export function* widerScenarios(seed: number, names: readonly string[]): Generator<Crossed> {
  const random = numbers(seed + 7_777);
  for (const scenario of crossedScenarios(seed)) {
    const some = names.filter(() => names.length === 1 || random() < 0.5);
    const wider = some.reduce((one, name) => (WIDER[name] as (typeof WIDER)[string])(one, random), scenario);
    // Most of a run is over where an act comes late.
    yield { ...wider, actAt: wider.sendAt + (wider.actAt % 3) };
  }
}

/** A scenario with other calls. */
function withCalls(scenario: Crossed, other: (node: CallNode) => CallNode): Crossed {
  const { program } = scenario;
  const regions = program.regions.map((nodes) =>
    nodes.map((node): Node => {
      if (node.is === 'call') return other(node);
      return node.is === 'branch' ? { ...node, yes: other(node.yes), no: other(node.no) } : node;
    }),
  );
  return { ...scenario, program: { ...program, regions } };
}

/** The same with acts on the input. */
export function* inputScenarios(seed: number): Generator<Scenario> {
  for (const { scenario, random } of drawing(seed))
    yield mixed({ scenario: { ...scenario, program: { ...scenario.program, input: true } }, random });
}

function mixed({ scenario, random }: Drawing): Scenario {
  const [what, when, other] = [random(), random(), random()];
  const [act, to] = ACTS[Math.floor(random() * 3)] as (typeof ACTS)[number];
  const calls = [...callsIn(scenario.program).keys()];
  const at = Math.floor(when * 8);
  const then = { act, to, at: scenario.actAt + Math.floor(random() * 4) };
  const wrong = { call: calls[Math.floor(other * calls.length)] as string, at };
  return { ...scenario, ...(what < 0.7 && { wrong }), ...(what > 0.4 && { then }) };
}

/** True for a program that GO may come to. */
function hearsGo({ regions, handler }: Program): boolean {
  return handler || regions.flat().some((node) => node.is === 'wait' && node.type === 'GO');
}

const ACTS = [['revise', 1.5] as const, ['revise', 2] as const, ['retract', 0] as const] as const;

interface Drawing {
  readonly scenario: Scenario;
  readonly random: () => number;
}

function* drawing(seed: number): Generator<Drawing> {
  const random = numbers(seed);
  for (;;) {
    const program = drawn(random);
    if (callsIn(program).size === 0) continue;
    const whole = Math.floor;
    const [act, to] = ACTS[whole(random() * 3)] as (typeof ACTS)[number];
    const order = Array.from({ length: 8 }, () => whole(random() * 3));
    const sendAt = whole(random() * 3);
    const actAt = sendAt + whole(random() * 6);
    yield { scenario: { program, order, sendAt, act, to, actAt, actsAtOnce: random() < 0.5 }, random };
  }
}
