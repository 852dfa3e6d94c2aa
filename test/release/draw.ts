/** Draws runs that meet, by their numbers: the same number is the same scenario. */
import type { Move, Scenario } from './trial.ts';
import type { Act } from './world.ts';

const KINDS = ['look', 'change', 'change', 'final'] as const;

/** The scenario of a number. @param runs how many runs meet. @param isWide true with deaths, lost replies, persons who free, promises and announcing. */
export function drawn(seed: number, runs = 2, isWide = false): Scenario {
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
  const fault = draw(isWide ? 16 : 8);
  if (fault >= 1 && fault <= 4) at({ run: 0, is: 'fail', act: draw(first.length) });
  if (fault === 5) at({ run: 0, is: 'abort' });
  if (fault === 4 || fault === 6) at({ run: 1, is: 'fail', act: 0 });
  if (draw(3) === 0) at({ run: draw(runs), is: 'reopen' });
  return isWide ? widened({ runs: programs, moves }, fault, { draw, at }) : { runs: programs, moves };
}

/** A scenario with more faults, and with what a config may say of claims. */
function widened(
  { runs, moves }: Scenario,
  fault: number,
  { draw, at }: { draw: (below: number) => number; at: (move: Move) => unknown },
): Scenario {
  const any = () => draw(runs.length);
  if (fault === 8 || fault === 9) at({ run: any(), is: 'free' });
  if (fault >= 10 && fault <= 13) at({ run: any(), is: 'die', append: 1 + draw(12) });
  if (fault === 13 || fault === 14) at({ run: 0, is: 'lose' });
  if (fault >= 11 && draw(2) === 0) at({ run: 0, is: 'fail', act: draw(runs[0]?.length ?? 1) });
  if (draw(6) === 0) at({ run: any(), is: 'free' });
  const release = draw(3) === 0 ? 'whole' : 'final';
  const lineUp = draw(3) === 0 ? 'announce' : 'first_touch';
  const promised = (acts: readonly Act[]) => acts.map((act) => ({ ...act, promises: draw(2) === 0 }));
  return { runs: draw(3) === 0 ? runs.map(promised) : runs, moves, claiming: { release, lineUp } };
}
