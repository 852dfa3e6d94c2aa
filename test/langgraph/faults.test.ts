import { describe, expect, test } from 'vitest';
import { TOYS, type Toy } from './toys.ts';
import { course, type Fault } from './trial.ts';

/** The faults of a toy: each kind at the first call of each tool; found wrong at once and late. */
function faultsOf({ tools }: Toy): Fault[] {
  return tools.flatMap((tool): Fault[] => [
    { is: 'lost reply', tool },
    { is: 'throws', tool },
    { is: 'times out', tool },
    ...(tool === tools.at(-1) ? [] : [1, 2].map((after): Fault => ({ is: 'found wrong', tool, after }))),
  ]);
}

/** Which appends a process dies at: all of them are gone through with KILLS=1, in CI a few of each fault's, another few for each fault. */
const EVERY = Number(process.env.KILLS ?? 11);

describe.each(TOYS)('the graph $name', (toy) => {
  const faults = faultsOf(toy);

  test('has the same world and state under faults as without them', async () => {
    const right = await course(toy, null, null);
    expect(right).toMatchObject({ why: null, acts: right.world.length });
    let unheard = 0;
    for (const fault of faults) {
      const { why, state, world, isUnheard } = await course(toy, fault, null);
      if (isUnheard) unheard += 1;
      else expect({ fault, why, state, world }).toEqual({ fault, why: null, state: right.state, world: right.world });
    }
    // What is found wrong after the last act is heard by nobody.
    expect(unheard).toBeLessThan(faults.length / 4);
  });

  test('has them where its process dies, too, or is parked with the reason', async () => {
    const right = await course(toy, null, null);
    const counted = { same: 0, parked: 0, unheard: 0 };
    for (const [nth, fault] of [null, ...faults].entries()) {
      const { appends } = fault === null ? right : await course(toy, fault, null);
      for (let dies = nth % EVERY; dies < appends; dies += EVERY) {
        const { why, state, world, isUnheard } = await course(toy, fault, dies);
        if (isUnheard) counted.unheard += 1;
        else if (why === null) {
          expect({ fault, dies, state, world }).toEqual({ fault, dies, state: right.state, world: right.world });
          counted.same += 1;
        } else {
          console.log(fault, dies, why);
          expect(why).toMatch(/\((?:effect_outcome_unknown|unclaimed_effect)/);
          counted.parked += 1;
        }
      }
    }
    console.log(toy.name, counted);
    expect(counted.parked).toBeLessThanOrEqual(counted.same / 10);
  });
});
