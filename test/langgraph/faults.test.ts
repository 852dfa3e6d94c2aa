/** The toys under every fault, and with processes that die. `npm run prove soak-graphs` has them die at every append. */
import { describe, expect, test } from 'vitest';
import { MEETINGS } from './meetings.ts';
import { living, sweepFaults, sweepKills } from './sweep.ts';
import { TOYS } from './toys.ts';
import { UNIT_TOYS } from './unit-toys.ts';

/** A process dies at each so manieth append of a run. */
const EVERY = 67;

describe.each([...TOYS, ...UNIT_TOYS, ...MEETINGS])('the graph $name', (toy) => {
  test('has the same world and state under faults as without them', async () => {
    const right = await living(toy, null);
    expect(right).toMatchObject({ why: null, acts: right.world.length });
    const { wrong, trials, unheard } = await sweepFaults(toy);
    expect(wrong).toEqual([]);
    expect(unheard).toBeLessThanOrEqual(trials / 2);
  });

  test('has them where its process dies, too, or is parked with the reason', async () => {
    const { wrong, same, parked } = await sweepKills(toy, EVERY);
    expect(wrong).toEqual([]);
    expect(same).toBeGreaterThan(0);
    expect(parked).toBeLessThanOrEqual(same / 10);
  });
});
