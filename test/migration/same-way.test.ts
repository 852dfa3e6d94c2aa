/**
 * CO3, CO4, CO10: a run is taken up with another release, at each append of its journal, for each change of the catalogue and each failure afterwards. It ends as
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

/** Every change, append and failure; without `FULL` a fixed share of them. */
function cases(appends: number) {
  const all = Object.entries(CHANGES).flatMap(([name, now]) =>
    Array.from({ length: appends + 1 }, (_, index) =>
      FAILURES.map((failure) => ({ name, now, append: index + 1, failure })),
    ).flat(),
  );
  return isFull ? all : all.filter((_, index) => index % 11 === 0);
}

describe('CO3: same way or stay', () => {
  test('each change, each append, each failure: it ends as a run of its release, it parks, or it stays', async () => {
    const { appends } = await freshOf(CHANGES.nothing as Release);
    const wrong: unknown[] = [];
    const counts: Record<string, number> = {};
    for (const { name, now, append, failure } of cases(appends)) {
      const played = await play({ before: {}, now, death: { append, when: 'after' }, again: null, failure });
      const why = wrongWith(played, await freshOf(played.isMoved ? now : {}));
      if (why !== null) wrong.push({ name, append, failure, why, refused: played.refused });
      const count = `${name}: ${played.isMoved ? 'moved' : 'stayed'}${played.status === 'parked' ? ', parked' : ''}`;
      counts[count] = (counts[count] ?? 0) + 1;
    }
    if (isFull) console.log(counts);
    expect(wrong).toEqual([]);
  });

  test('a call under way stays with its unit where the config has another one there, at each append (CO10)', async () => {
    const now = CHANGES['the unit around a call'] as Release;
    const { appends } = await freshOf(now);
    const ends: unknown[] = [];
    for (let append = 1; append <= appends; append += 1) {
      const played = await play({ before: {}, now, death: { append, when: 'after' }, again: null, failure: 'none' });
      ends.push([played.isMoved, played.status, wrongWith(played, await freshOf(now))]);
    }
    expect(ends).toEqual(ends.map(() => [true, 'running', null]));
  });

  test.each([
    ['the input of a call', /the arguments of pay/],
    ['a delay', /the delays that are armed/],
  ] as const)('%s is named where it parts', async (name, named) => {
    const { appends } = await freshOf(CHANGES.nothing as Release);
    const refused: (string | null)[] = [];
    for (let append = 1; append <= appends; append += 1)
      refused.push(
        (await play({ before: {}, now: CHANGES[name] as Release, ...alone, death: { append, when: 'after' } })).refused,
      );
    expect(refused.filter((each) => each !== null && named.test(each))).not.toEqual([]);
  });
});
