/**
 * CO3: a run that was moved dies at each append of the takeover and of what follows, and a person moves it back: it goes back where the release before
 * takes all that was done meanwhile the same way, and ends as a run of that release; else it stays, and ends as one of the release of now. `FULL=1` plays all changes.
 */
import { expect, test } from 'vitest';
import { CHANGES } from './catalogue.ts';
import type { Release } from './little.ts';
import { type Failure, type Played, play, wrongWith } from './play.ts';

const isFull = process.env.FULL === '1';
const alone = { death: null, again: null, failure: 'none' } as const;
const fresh = new Map<Release, Promise<Played>>();
const BEFORE: Release = {};

function freshOf(release: Release): Promise<Played> {
  const known = fresh.get(release) ?? play({ before: release, now: release, ...alone });
  fresh.set(release, known);
  return known;
}

/** The changes under which a run moves, and what it dies over. */
function takeovers() {
  const names = isFull ? Object.keys(CHANGES) : ['an edge that no run takes'];
  const appends = isFull ? [1, 4, 7, 10, 13] : [7];
  const failures: readonly Failure[] = isFull ? ['none', 'Look', 'Pay'] : ['none', 'Pay'];
  return names.flatMap((name) => appends.flatMap((at) => failures.map((failure) => ({ name, at, failure }))));
}

/** Plays one run that dies at an append; null where it was over before. */
async function playedAt(name: string, at: number, append: number, failure: Failure) {
  const now = CHANGES[name] as Release;
  const death = { append: at, when: 'after' } as const;
  const dying = { death, again: { append, when: 'after' }, failure, goesBack: true } as const;
  const played = await play({ before: BEFORE, now, ...dying });
  if (!played.isKilled) return null;
  const { isMoved, isBack, moves } = played;
  const why = wrongWith(played, await freshOf(isMoved && isBack !== true ? now : BEFORE));
  return { isBack, moves, why, name, at, append, failure };
}

test('CO3: --back at each moment of a run that was moved', async () => {
  const wrong: unknown[] = [];
  const counts = { back: 0, stayed: 0, unmoved: 0 };
  for (const { name, at, failure } of takeovers())
    for (let append = 1; ; append += 1) {
      const played = await playedAt(name, at, append, failure);
      if (played === null) break;
      counts[played.isBack === null ? 'unmoved' : played.isBack ? 'back' : 'stayed'] += 1;
      if (played.why !== null) wrong.push(played);
    }
  if (isFull) console.log(counts);
  expect(wrong).toEqual([]);
  expect(counts.back).toBeGreaterThan(10);
});
