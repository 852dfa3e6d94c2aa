/**
 * CO3, CO4: a process that takes a run over with another release dies at each append, of the takeover and of what follows; the next one takes the run up.
 * `FULL=1` plays all changes, else a fixed share.
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

/** The takeovers that are killed: a change that moves, one that goes on, and one that stays. */
function takeovers() {
  const names = isFull
    ? Object.keys(CHANGES)
    : ['a state that no run comes to', 'a guard that goes the same way', 'a tool of another version'];
  const appends = isFull ? [1, 4, 7, 10, 13, 16] : [7];
  const failures: readonly Failure[] = isFull ? FAILURES : ['none', 'Look'];
  return names.flatMap((name) =>
    appends.flatMap((at) =>
      failures.flatMap((failure) =>
        (['adopt', 'apply'] as const).map((by) => ({ name, now: CHANGES[name] as Release, at, failure, by })),
      ),
    ),
  );
}

describe('CO3: a takeover that is killed', () => {
  test.each(['before', 'after', 'lost'] as const)(
    '%s any append of a takeover and of what follows, the next process takes the run up under the one release or the other',
    async (when) => {
      const wrong: unknown[] = [];
      let deaths = 0;
      for (const { name, now, at, failure, by } of takeovers())
        for (let append = 1; ; append += 1) {
          const death = { append: at, when: 'after' } as const;
          const played = await play({ before: {}, now, death, again: { append, when }, failure, by });
          const why = wrongWith(played, await freshOf(played.isMoved ? now : {}));
          if (why !== null) wrong.push({ name, at, append, by, failure, why, refused: played.refused });
          if (!played.isKilled) break;
          deaths += 1;
        }
      expect(wrong).toEqual([]);
      expect(deaths).toBeGreaterThan(20);
    },
  );

  // What stands behind Look is paid: that decision parks in one entry.
  test.each([
    ['Look', 1],
    ['Pay', 5],
  ] as const)(
    'code with another text finishes a restore of %s that a process has left at any append',
    async (skeleton, least) => {
      const now = CHANGES['a guard that goes the same way'] as Release;
      let left = 0;
      for (let append = 1; ; append += 1) {
        const restoring = { skeleton, append };
        const played = await play({ before: {}, now, ...alone, restoring });
        if (!played.isLeft) break;
        left += 1;
        expect([append, played.isMoved, played.refused]).toEqual([append, true, null]);
        expect([append, wrongWith(played, await freshOf(now))]).toEqual([append, null]);
      }
      expect(left).toBeGreaterThanOrEqual(least);
    },
  );
});
