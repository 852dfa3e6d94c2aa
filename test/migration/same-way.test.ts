/**
 * CO3, CO4: a run is taken up with another release, at each append of its journal, for each change of the catalogue and each failure afterwards. It ends as
 * a run that the release has begun itself, it parks, or it stays and ends as if nothing had been tried. `FULL=1` plays all, else a fixed share.
 */
import { describe, expect, test } from 'vitest';
import { CHANGES } from './catalogue.ts';
import type { Release } from './little.ts';
import { type Failure, type Played, play, wrongWith } from './play.ts';

const isFull = process.env.FULL === '1';
const FAILURES: readonly Failure[] = ['none', 'Look', 'Pay', 'Look, waiting', 'Pay, waiting'];
const alone = { death: null, again: null, failure: 'none' } as const;
const fresh = new Map<Release, Promise<Played>>();

function freshOf(release: Release): Promise<Played> {
  const known = fresh.get(release) ?? play({ before: release, now: release, ...alone });
  fresh.set(release, known);
  return known;
}

describe('CO3: same way or stay', () => {
  test('each change, each append, each failure: it ends as a run of its release, it parks, or it stays', async () => {
    const { appends } = await freshOf(CHANGES.nothing as Release);
    const wrong: unknown[] = [];
    const counts: Record<string, { moved: number; parked: number; stayed: number }> = {};
    let nth = 0;
    for (const [name, now] of Object.entries(CHANGES)) {
      counts[name] = { moved: 0, parked: 0, stayed: 0 };
      for (let append = 1; append <= appends + 1; append += 1)
        for (const failure of FAILURES) {
          nth += 1;
          if (!isFull && nth % 11 !== 0) continue;
          const played = await play({ before: {}, now, death: { append, when: 'after' }, again: null, failure });
          const judged = await freshOf(played.isMoved ? now : {});
          const why = wrongWith(played, judged);
          if (why !== null) wrong.push({ name, append, failure, why, refused: played.refused });
          const count = counts[name] as { moved: number; parked: number; stayed: number };
          count[played.isMoved ? 'moved' : 'stayed'] += 1;
          if (played.status === 'parked') count.parked += 1;
        }
    }
    if (isFull) console.log(counts);
    expect(wrong).toEqual([]);
  }, 300_000);

  test('a process that dies in the takeover leaves the run under the one release or under the other', async () => {
    const now = CHANGES['a state that no run comes to'] as Release;
    const judged = await freshOf(now);
    const wrong: unknown[] = [];
    for (const append of [2, 6, 9])
      for (const at of [1, 2, 3])
        for (const when of ['before', 'after', 'lost'] as const)
          for (const failure of ['none', 'Pay, waiting'] as const) {
            const played = await play({
              before: {},
              now,
              death: { append, when: 'after' },
              again: { append: at, when },
              failure,
            });
            const why = wrongWith(played, judged);
            if (why !== null || !played.isMoved)
              wrong.push({ append, at, when, failure, why, refused: played.refused });
          }
    expect(wrong).toEqual([]);
  }, 100_000);
});
