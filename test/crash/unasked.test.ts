/** Crash, for real, with nobody to ask: a run stops at the call whose outcome nobody knows, and goes on as a person says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { atEveryAppend, byTheCounterparty, halfOf } from './plan.ts';
import { Trying } from './trying.ts';

const trying = new Trying();

beforeAll(() => trying.open());
afterAll(() => trying.close());

describe('with nobody to ask', () => {
  test('a run stops at the call whose outcome nobody knows, names it, and goes on as a person says', async () => {
    const { appends } = await trying.trials.reach('sequential', []);
    const sequential = await trying.all(halfOf(atEveryAppend('sequential', appends, ['durable'], false)));
    const { appends: more } = await trying.trials.reach('booking');
    const booking = await trying.all(halfOf(atEveryAppend('booking', more, ['durable'], false)));
    const stopped = [...sequential, ...booking].filter(({ parked }) => parked).length;
    expect(stopped).toBeGreaterThan(2);
    expect(stopped).toBeLessThan(sequential.length + booking.length);
  });

  test('neither a call that was applied nor one that was not is made again before a person has said so', async () => {
    const outcomes = await trying.all(byTheCounterparty(false));
    // The idempotent note is made again, and an undo too, under their keys: that is what these keys are for.
    // A commit is made again, too, and a call at its gate waits like any other once it has left.
    expect(outcomes.filter(({ parked }) => parked)).toHaveLength(12);
  });
});

test('at least 30 processes were killed, in the middle of calls and of recoveries too', () => {
  expect(trying.made.kills).toBeGreaterThanOrEqual(30);
  expect(trying.made.midCall).toBeGreaterThanOrEqual(10);
  expect(trying.made.midRecovery).toBeGreaterThanOrEqual(5);
});
