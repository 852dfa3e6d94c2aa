/** The acts on the turns of small loops. */
import type { Turn, TurnAct } from './cases.ts';

/** The acts on each turn, while each turn from it on goes on or is over. */
export function* actsOn(turns: readonly Turn[]): Generator<TurnAct> {
  for (const [about] of turns.entries())
    for (let during = about; during < turns.length; during += 1)
      for (const moment of ['model', 'act', 'over'] as const)
        for (const [does, isBlind] of [
          ['revise', false],
          ['revise', true],
          ['retract', false],
        ] as const)
          yield { about, during, while: moment, does, isBlind };
}

/** The acts on each turn, with every later turn left before them: the turn under way, one before it, or one that waits. */
export function* actsAhead(turns: readonly Turn[]): Generator<TurnAct> {
  for (const act of actsOn(turns)) if (act.during < turns.length - 1) yield { ...act, ahead: true };
  for (let about = 1; about < turns.length; about += 1)
    for (let during = 0; during < about; during += 1)
      for (const moment of ['model', 'act', 'over'] as const)
        for (const does of ['revise', 'retract'] as const)
          yield { about, during, while: moment, does, isBlind: false, ahead: true };
}
