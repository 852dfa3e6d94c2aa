/** Scenarios of an event that a complaint takes back, and that its sender revises or retracts while it waits (ST7, ST9). */
import { call, GO } from './nodes.ts';
import type { Class, Program } from './programs.ts';
import type { Scenario } from './scenario.ts';

const ACTS = [['retract', 0] as const, ['revise', 2] as const];

/** A call before GO, an act behind it, and up to one call more; the first call is found wrong. */
export function* waitingScenarios(): Generator<Scenario> {
  for (const program of programs())
    for (const [act, to] of ACTS)
      for (const moments of when()) {
        const { at, ...others } = moments;
        yield { program, order: [0, 0, 0, 0, 0, 0, 0, 0], act, to, ...others, wrong: { call: 'a0', at } };
      }
}

function* when() {
  for (const at of [0, 1, 2, 3])
    for (const sendAt of [0, 1, 2])
      for (let actAt = Math.max(at, sendAt); actAt < 5; actAt += 1)
        for (const actsAtOnce of [true, false]) yield { at, sendAt, actAt, actsAtOnce };
}

function* programs(): Generator<Program> {
  for (const kind of ['idempotent', 'reversible', 'irreversible'] as const)
    for (const reads of [[], ['q'], ['ka0']])
      for (const last of [null, 'none', 'idempotent'] as const satisfies readonly (Class | null)[])
        for (const joined of last === null ? [false, true] : [false]) {
          const behind = last === null ? [] : [call([], last)];
          yield { regions: [[call([]), GO, call(reads, kind), ...behind]], handler: false, joined };
        }
}
