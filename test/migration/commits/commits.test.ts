/**
 * Twenty commits to the five domains and the examples, each under runs that are parked at their waits: a fixed share of them is planned, moved and finished,
 * and held against a run without the sidecar that is switched there. All of them: `npm run prove commits`.
 */
import { expect, test } from 'vitest';
import { COMMITS, isRight, type Judged, judged, parkedRuns } from './count.ts';

/** The mail server of the others is a process of its own, which takes a second to start. */
const QUICK = COMMITS.filter(({ agent }) => agent !== 'schedule-form');

test('CO3: of the runs that twenty commits meet, most go over, all end right, and each plan comes true', async () => {
  expect(COMMITS.length).toBe(20);
  const all: Judged[] = [];
  for (const [commit, wait] of await parkedRuns(QUICK, 23)) all.push(await judged(commit, wait));
  const shown = all.map(({ commit: { what }, wait: { is, at }, wrong, broken }) => ({ what, is, at, wrong, broken }));
  expect(shown.filter(({ wrong, broken }) => wrong !== null || broken !== null)).toEqual([]);
  expect([all.length, all.filter(isRight).length, all.filter(({ isOver }) => !isOver).length]).toEqual([13, 10, 3]);
});

test('CO5: with a map, the runs go over that stay because of a name', async () => {
  const named = COMMITS.filter(({ agent, renamed }) => renamed !== undefined && agent !== 'etl-pipeline');
  const all: Judged[] = [];
  for (const [commit, wait] of await parkedRuns(named, 5)) all.push(await judged(commit, wait, true));
  expect(all.map(({ wrong, broken }) => [wrong, broken])).toEqual(all.map(() => [null, null]));
  expect([all.length, all.filter(isRight).length]).toEqual([5, 5]);
});
