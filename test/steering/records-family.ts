/** Scenarios of units that receive an event inside, are finished, and are set aside by an act or a complaint (ST8, PA10). */
import { call, GO, OK } from './nodes.ts';
import { CLASSES, type Program } from './programs.ts';
import type { Scenario } from './scenario.ts';

const ACTS = [['retract', 0] as const, ['revise', 2] as const];

/** An event before the unit, which an act changes; or a call before the unit, which is found wrong. */
export function* recordScenarios(): Generator<Scenario> {
  for (const program of programs())
    for (const [act, to] of ACTS)
      for (const { sendAt, actAt, wrong, actsAtOnce } of when(program))
        yield { program, order: [], sendAt, act, to, actAt, actsAtOnce, ...(wrong !== null && { wrong }) };
}

function* when({ regions: [nodes = []] }: Program) {
  const isWrong = nodes[0]?.is === 'call';
  for (let actAt = 0; actAt <= nodes.length; actAt += 1)
    for (const at of isWrong ? [1, 2, 3, 4] : [null])
      for (const actsAtOnce of [true, false])
        yield { sendAt: 0, actAt, actsAtOnce, wrong: at === null ? null : { call: 'a0', at } };
}

function* programs(): Generator<Program> {
  const unit = { handler: false, joined: true, from: 1 } as const;
  for (const kind of CLASSES)
    for (const reads of [[], ['q']])
      for (const seen of [null, [], ['q'], ['ka1']])
        for (const last of CLASSES)
          yield { ...unit, seen, upTo: 4, regions: [[GO, call(reads, kind), OK, call([], last), call([])]] };
  // Asked again, a deciding tool answers something else.
  for (const first of ['none', 'deciding'] as const)
    for (const kind of CLASSES)
      for (const reads of [[], ['ka0'], ['q']])
        for (const last of CLASSES)
          yield { ...unit, upTo: 4, regions: [[call([], first), call([], kind), GO, call(reads, last), call([])]] };
}
