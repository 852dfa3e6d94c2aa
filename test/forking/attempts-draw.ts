/** Draws groups of attempts by their numbers: the same number is the same group. And those of which a process dies at each append of the choice. */
import type { AttemptMove, AttemptsScenario } from './attempts-scenario.ts';
import type { AttemptsCourse } from './attempts-trial.ts';
import { type ActClass, UNITS } from './world.ts';

const CLASSES: readonly ActClass[] = [
  ...(['none', 'idempotent', 'compensable', 'compensable', 'irreversible'] as const),
  ...(['staged', 'staged', 'gated', 'gated-final', 'once', 'once-final', 'store', 'store-final'] as const),
];
const KEYS = [null, 'seat:1', 'seat:1', 'seat:2'];

/** The scenario of a number. */
export function drawnAttempts(seed: number): AttemptsScenario {
  let state = (seed * 2_654_435_761) >>> 0;
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  draw(2);
  const count = 2 + draw(2);
  const move = (): AttemptMove => {
    const is = draw(24);
    if (is < 13) return { is: 'go' };
    if (is < 15) return { is: 'fail', unit: UNITS[draw(UNITS.length)] as string };
    const rest = ['reopen', 'reopen', 'lost', 'refused', 'pause', 'unpause', 'abort', 'cancel', 'go'] as const;
    return { is: rest[is - 15] as (typeof rest)[number] };
  };
  const length = 3 + draw(7);
  const moves: AttemptsScenario['moves'][number][] = Array.from({ length }, () => ({ run: draw(count), move: move() }));
  const keeps = draw(3);
  for (let each = 0; each < keeps; each += 1)
    moves.splice(draw(moves.length + 1), 0, {
      is: 'keep',
      run: draw(count),
      dies: draw(2) === 0 ? null : draw(3),
      two: draw(3) === 0,
    });
  const score = draw(2) === 0;
  const deaths = Array.from({ length: draw(3) }, () => ({
    run: draw(count),
    at: 1 + draw(24),
    when: draw(2) === 0 ? ('before' as const) : ('after' as const),
  }));
  const scenario: AttemptsScenario = {
    classes: UNITS.map(() => CLASSES[draw(CLASSES.length)] as ActClass),
    count,
    score,
    deadline: score && draw(2) === 0,
    moves,
    deaths,
  };
  return seed % 2 === 0 ? scenario : { ...scenario, keys: UNITS.map(() => KEYS[draw(KEYS.length)] as string | null) };
}

/** The groups of two attempts that come to where they wait, of which one is kept: each pair of classes behind the common past, with each move after the choice. */
export function choices(): AttemptsScenario[] {
  const classes = [...new Set(CLASSES)];
  const go = [0, 1].flatMap((run) => Array.from({ length: 3 }, () => ({ run, move: { is: 'go' } as const })));
  return classes.flatMap((second) =>
    classes.flatMap((third) =>
      [0, 1].flatMap((run) =>
        [[], UNITS.slice(1, 2), UNITS.slice(2)].map((units): AttemptsScenario => {
          const after = units.map((unit) => ({ run, move: { is: 'fail', unit } as const }));
          const keep = { is: 'keep', run, dies: null, two: false } as const;
          return {
            ...{ classes: ['none', second, third], count: 2, score: false, deadline: false },
            ...{ moves: [...go, keep, ...after], deaths: [] },
          };
        }),
      ),
    ),
  );
}

/** The same group with a death of a process at each append and message from the choice on, and of the person who chooses at each message. */
export function deathsAt(scenario: AttemptsScenario, { moved }: AttemptsCourse): AttemptsScenario[] {
  const processes = Object.values(moved).flatMap(([from, to], run) =>
    Array.from({ length: to - from }, (_, index) => from + index + 1).flatMap((at) =>
      (['before', 'after'] as const).map((when): AttemptsScenario => ({ ...scenario, deaths: [{ run, at, when }] })),
    ),
  );
  const choosers = [0, 1].map((dies): AttemptsScenario => {
    const moves = scenario.moves.map((move) => ('is' in move ? { ...move, dies } : move));
    return { ...scenario, moves };
  });
  return [...processes, ...choosers];
}
