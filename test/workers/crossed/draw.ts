/** Draws what happens to a run of a program from outside. */
import { chance } from '../../chance.ts';
import type { Crossed, CrossedKind, Move } from './drive.ts';

/** The scenario of a number of a seed. */
export function drawnCrossed(kinds: readonly CrossedKind[], seed: number, nth: number): Crossed {
  const below = chance(seed * 1_000_003 + nth);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const words = (isGraph: boolean) =>
    isGraph ? pick(['quote', 'pay', 'quote pay']) : pick(['quote', 'pay', 'quote pay', 'pay pay']);
  const kind = nth % kinds.length;
  const isGraph = kind === kinds.length - 1;
  const said = isGraph ? 'stands' : pick(['stands', 'rewritten'] as const);
  const confirms = () => (below(3) === 0 ? Array.from({ length: 1 + below(2) }, () => below(8)) : []);
  const move = (): Move => {
    const what = pick([
      'turn',
      'turn',
      'turn',
      'retract',
      'revise',
      'revise',
      'fail',
      'pause',
      'unpause',
      'stop',
      'die',
      'die',
      'start',
    ] as const);
    switch (what) {
      case 'turn':
        return { do: 'turn', words: words(isGraph) };
      case 'retract':
        return { do: what, of: below(8), confirms: confirms() };
      case 'revise':
        return { do: what, of: below(8), words: words(isGraph), confirms: confirms() };
      case 'fail':
        return { do: what, nth: below(8) };
      case 'die':
        return { do: 'start', dies: below(30) };
      case 'start':
        return { do: what, dies: null };
      default:
        return { do: what };
    }
  };
  const turns = () => pick([0, 0, 1, 2, 5, 10, null, null]);
  const moves = [
    { move: { do: 'start', dies: below(2) === 0 ? null : below(40) } as Move, turns: 0 },
    { move: { do: 'turn', words: words(isGraph) } as Move, turns: turns() },
    ...Array.from({ length: 3 + below(9) }, () => ({ move: move(), turns: turns() })),
  ];
  if (below(12) === 0) moves.push({ move: { do: 'cancel' }, turns: 0 });
  return {
    kind: kinds[kind] as CrossedKind,
    pay: pick(['reversible', 'reversible', 'irreversible'] as const),
    said,
    moves,
  };
}
