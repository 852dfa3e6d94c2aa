/** Scenarios of runs that spend of one pool, drawn from a seed. */
import { chance } from '../chance.ts';
import type { Kind, Move, Scenario, Spender } from './trial.ts';

const KINDS: readonly Kind[] = ['none', 'idempotent', 'compensable', 'irreversible', 'held'];
const SPENDS = [
  [1, 0],
  [1, 1],
  [2, 1],
  [2, 2],
  [3, 1],
] as const;
const MOVES = ['go', 'go', 'go', 'lose', 'refuse', 'hang', 'answer', 'reopen', 'abort', 'fail', 'die'] as const;

export function drawn(seed: number): Scenario {
  const below = chance(seed);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const runs = Array.from(
    { length: 2 + below(2) },
    (): Spender => ({ kind: pick(KINDS), spends: Array.from({ length: 1 + below(3) }, () => pick(SPENDS)) }),
  );
  const moves = Array.from({ length: 4 + below(10) }, (): Move => {
    const run = below(runs.length);
    const is = pick(MOVES);
    return is === 'die' ? { run, is, append: 1 + below(4) } : { run, is };
  });
  return { limit: 2 + below(6), runs, moves };
}
