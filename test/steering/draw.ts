/** Scenarios of acts on events that are drawn. */
import { drawn } from './family.ts';
import { callsIn } from './programs.ts';
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
  const random = numbers(seed);
  for (;;) {
    const program = drawn(random);
    if (callsIn(program).size === 0) continue;
    const whole = Math.floor;
    const [act, to] = [['revise', 1.5] as const, ['revise', 2] as const, ['retract', 0] as const][
      whole(random() * 3)
    ] as ['revise', number] | ['retract', 0];
    const order = Array.from({ length: 8 }, () => whole(random() * 3));
    const sendAt = whole(random() * 3);
    yield { program, order, sendAt, act, to, actAt: sendAt + whole(random() * 6), actsAtOnce: random() < 0.5 };
  }
}
