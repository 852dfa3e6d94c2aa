/**
 * A process that is killed in the middle of a commit over rows, a file and mail, by three real adapters, and somebody else who writes before
 * the run is taken up: all of the commit is visible in the end, or what cannot go on is named (semantics.md E4). Every moment is in
 * `commit-soak.ts`; this is what each change is held to.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CommitTrials, type Trial, WRITERS } from './commit-trial.ts';
import { inPairs } from './plan.ts';

/** How many moments are tried. */
const SAMPLE = 8;

const trials = new CommitTrials();
beforeAll(() => trials.open());
afterAll(() => trials.close());

test('killed anywhere, a prefix of the fixed order is visible, and then all of it', async () => {
  const moments = await trials.moments();
  expect(moments).toBeGreaterThan(60);
  // The commit is made in the last third.
  const at = Array.from({ length: SAMPLE }, (_, i) => moments - Math.floor((i * moments) / (2.5 * SAMPLE)));
  const made: Trial[] = [];
  await inPairs(
    at.map((dieAt, i) => [dieAt, WRITERS[i % WRITERS.length] ?? 'nobody'] as const),
    async ([dieAt, writer]) => void made.push(await trials.trial(dieAt, writer)),
  );
  expect(made.flatMap(({ wrong }) => wrong ?? [])).toEqual([]);
  expect(new Set(made.map(({ visible }) => visible)).size).toBeGreaterThan(2);
});
