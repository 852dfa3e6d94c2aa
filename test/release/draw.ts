/** Draws runs that meet, by their numbers: the same number is the same scenario. */
import type { Move, Scenario } from './trial.ts';
import type { Act } from './world.ts';

const KINDS = ['look', 'change', 'change', 'final'] as const;

/** The scenario of a number. @param runs how many runs meet. */
export function drawn(seed: number, runs = 2): Scenario {
  let state = (seed * 2_654_435_761) >>> 0;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  draw(2);
  const act = (): Act => ({ is: KINDS[draw(KINDS.length)] as Act['is'], key: draw(2) === 0 ? 'x' : 'y' });
  const programs = Array.from({ length: runs }, () => Array.from({ length: 1 + draw(2) }, act));
  const moves: Move[] = [];
  for (let left = programs.reduce((sum, acts) => sum + acts.length, 0) + 1; left > 0; left -= 1)
    moves.push({ run: draw(runs), is: 'go' });
  const at = (move: Move) => moves.splice(draw(moves.length + 1), 0, move);
  const [first] = programs as [Act[]];
  const fault = draw(8);
  if (fault >= 1 && fault <= 4) at({ run: 0, is: 'fail', act: draw(first.length) });
  if (fault === 5) at({ run: 0, is: 'abort' });
  if (fault === 4 || fault === 6) at({ run: 1, is: 'fail', act: 0 });
  if (draw(3) === 0) at({ run: draw(runs), is: 'reopen' });
  return { runs: programs, moves };
}
