/** A person on call who does only what is printed: no run that stands still is a dead end. */
import { expect, test } from 'vitest';
import { campaign } from './oncall.ts';

const RUNS = 20;

test(`${RUNS} runs that stand still go on, or say what is next, by the commands that belay explain prints`, async () => {
  const { met, failure } = await campaign(RUNS, 2);
  expect(failure).toBeNull();
  for (const stands of ['parked', 'parked, held', 'paused', 'paused, held', 'waiting', 'waiting, held'])
    expect([stands, met[`met ${stands}`] ?? 0]).not.toEqual([stands, 0]);
});
