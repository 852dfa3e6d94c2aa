/** A run that goes on keeps the entries of its steps until a base has them, and reads them from there. */
import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../src/projection/run-state.ts';
import type { RecordedStep } from '../../../src/projection/state-types.ts';
import { stateOf } from './agent.ts';

const entriesOf = (runState: RunState) => runState.places.steps.all.map(({ entry }) => entry);

describe('the entries of its steps', () => {
  test('are let go of once a base has them, and are read there as they were, after that base and after the next', async () => {
    const { runState, base } = await stateOf(40);
    const before = entriesOf(runState);
    for (let round = 0; round < 2; round += 1) {
      base();
      const read = entriesOf(runState);
      expect(read).toEqual(before);
      expect(read.filter((entry, index) => entry === before[index])).toEqual([]);
    }
  });

  test('are kept where an event has less in a base than in the process', async () => {
    const { runState, base } = await stateOf(10);
    const third = runState.places.steps.all[2] as RecordedStep;
    const { event } = third.entry as { event: object };
    Object.assign(event, { callback: () => 1 });
    base();
    expect(third.entry?.event).toBe(event);
    expect(
      runState.places.steps.all.filter(({ entry }) => typeof Object(entry?.event).callback === 'function'),
    ).toEqual([third]);
    base();
    expect(third.entry?.event).toBe(event);
  });
});

test('contexts are kept of the newest steps, and of one in a thousand of the others', async () => {
  const { runState, base } = await stateOf(4_000);
  const kept = () => runState.places.steps.all.flatMap(({ nth, context }) => (context === null ? [] : [nth]));
  const newest = kept().filter((nth) => nth >= runState.places.steps.all.length - 1_024);
  base(1_024);
  const old = kept().filter((nth) => nth < runState.places.steps.all.length - 1_024);
  expect(kept().slice(old.length)).toEqual(newest);
  expect(old.length).toBeGreaterThanOrEqual(1);
  expect(old.length).toBeLessThanOrEqual(4);
});
