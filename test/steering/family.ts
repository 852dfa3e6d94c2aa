/** The families of little programs, and the scenarios of each. */

import { input } from './input-family.ts';
import { call, GO, OK } from './nodes.ts';
import { CLASSES, type Node, type Program } from './programs.ts';
import type { Scenario } from './scenario.ts';

/** Programs of one region: up to one call before the wait, and up to one behind it, or a choice there. */
function* seq(): Generator<Program> {
  for (const before of [null, ...CLASSES])
    for (const kind of CLASSES)
      for (const reads of [[], ['q'], ['ka0']]) {
        if (reads[0] === 'ka0' && before === null) continue;
        const first = before === null ? [] : [call([], before)];
        yield { regions: [[...first, GO, call(reads, kind)]], handler: false };
      }
  for (const kind of CLASSES)
    for (const other of CLASSES)
      yield {
        regions: [[GO, { is: 'branch', yes: call(['q'], kind), no: call([], other) }]],
        handler: false,
      };
}

/** Programs of two regions: a wait and a call, beside up to one call that reads what the other wrote, or a wait for OK. */
function* par(): Generator<Program> {
  for (const kind of CLASSES)
    for (const other of CLASSES)
      for (const reads of [[], ['q'], ['ka1']])
        yield { regions: [[GO, call(['q'], kind)], [call(reads, other)]], handler: false };
  for (const kind of CLASSES)
    for (const seen of [null, [], ['q'], ['ka1']])
      yield {
        regions: [
          [GO, call(['q'])],
          [OK, call([], kind)],
        ],
        handler: false,
        seen,
      };
  for (const kind of CLASSES)
    yield {
      regions: [
        [GO, call(['q'], kind)],
        [GO, call(['q'], kind)],
      ],
      handler: false,
    };
}

/** Programs of two regions with two calls each, drawn. */
export function drawn(random: () => number): Program {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const count = pick([1, 2, 2, 3]);
  const keys = ['q', 'p'];
  const regions = Array.from({ length: count }, (_, region) => {
    const length = 1 + Math.floor(random() * 3);
    return Array.from({ length }, (__, index): Node => {
      const what = random();
      const some = () => keys.filter(() => random() < 0.35);
      if (what < 0.22) return GO;
      if (what < 0.32) return OK;
      const name = `k${'abc'[region]}${index}`;
      const node: Node =
        what < 0.42
          ? { is: 'branch', yes: call(some(), pick(CLASSES)), no: call(some(), pick(CLASSES)) }
          : call(some(), pick(CLASSES));
      if (node.is === 'call') keys.push(name);
      return node;
    });
  });
  return { regions, handler: random() < 0.15, seen: pick([null, [], ['q'], keys.slice(0, 3)]) };
}

/** Programs with a handler: GO is taken in every state. */
function* handlers(): Generator<Program> {
  for (const kind of CLASSES)
    for (const reads of [[], ['q']])
      for (const after of [[], ['q'], ['ka0']])
        yield { regions: [[call(reads, kind), call(after, kind)]], handler: true };
}

export const FAMILIES: Readonly<Record<string, () => Generator<Program>>> = { seq, par, handlers, input };

const ACTS = [['revise', 1.5] as const, ['revise', 2] as const, ['retract', 0] as const];

/** Every scenario of a program of a family. An input is never retracted. */
export function* scenariosOf(program: Program): Generator<Scenario> {
  const length = program.regions.flat().length;
  const acts = ACTS.slice(0, program.input === true ? 2 : 3);
  const orders = program.regions.length === 1 ? [[]] : [[], [1], [0, 1]];
  for (const order of orders)
    for (const sendAt of program.handler ? [0, 1] : [0])
      for (let actAt = sendAt; actAt <= length; actAt += 1)
        for (const actsAtOnce of [true, false])
          for (const [act, to] of acts) yield { program, order, sendAt, act, to, actAt, actsAtOnce };
}

/** A scenario in which a person undoes by hand what refuses an act. Each region has one call more, so that the run goes on meanwhile. */
export function undoneByHand(scenario: Scenario): Scenario {
  const { program } = scenario;
  const { regions, joined } = program;
  const longer = joined === true ? regions : regions.map((nodes) => [...nodes, call([])]);
  return { ...scenario, program: { ...program, regions: longer }, byHand: true };
}
