/** Draws scenarios of forks by their numbers: the same number is the same scenario. */
import type { Move, Scenario } from './trial.ts';
import { type ActClass, UNITS } from './world.ts';

const CLASSES: readonly ActClass[] = ['none', 'idempotent', 'compensable', 'irreversible'];

const KEYS = [null, 'seat:1', 'seat:1', 'seat:2'];

/** The scenario of a number. */
export function drawn(seed: number): Scenario {
  let state = (seed * 2_654_435_761) >>> 0;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  draw(2);
  const move = (): Move => {
    const is = draw(10);
    if (is < 5) return { is: 'go' };
    if (is === 5) return { is: 'reopen' };
    if (is === 6) return { is: 'lost' };
    if (is === 7) return { is: 'refused' };
    return { is: 'fail', unit: UNITS[draw(UNITS.length)] as string };
  };
  const moves = (most: number) => Array.from({ length: draw(most + 1) }, move);
  const scenario: Scenario = {
    classes: UNITS.map(() => CLASSES[draw(CLASSES.length)] as ActClass),
    before: [{ is: 'go' }, ...moves(3)],
    at: draw(11) / 10,
    after: moves(5).map((each) => ({ run: draw(2) === 0 ? 'parent' : 'child', move: each })),
    says: draw(2) === 0 ? ('approved' as const) : ('denied' as const),
  };
  // Each second scenario has claims.
  return seed % 2 === 0 ? scenario : { ...scenario, keys: UNITS.map(() => KEYS[draw(KEYS.length)] as string | null) };
}
