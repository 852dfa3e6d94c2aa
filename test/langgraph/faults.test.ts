import { describe, expect, test } from 'vitest';
import { MEETINGS } from './meetings.ts';
import { TOYS, type Toy } from './toys.ts';
import { course, type Fault } from './trial.ts';

/** The faults of a toy: each kind at the first call of each tool; found wrong at once, later and at the end. */
function faultsOf({ tools }: Toy): Fault[] {
  return tools.flatMap((tool): Fault[] => [
    { is: 'lost reply', tool },
    { is: 'throws', tool },
    { is: 'times out', tool },
    ...(tool === tools.at(-1) ? [] : [1, 2, 4].map((after): Fault => ({ is: 'found wrong', tool, after }))),
  ]);
}

/** A process dies at each so manieth append of a run; with KILLS=1 at every one. */
const EVERY = Number(process.env.KILLS ?? 67);

/** Runs trials side by side, a few at a time: most of them wait. */
async function atOnce<T, Found>(trials: Iterable<T>, run: (trial: T) => Promise<Found>): Promise<Found[]> {
  const [left, found] = [[...trials].entries(), [] as Found[]];
  const worker = async () => {
    for (const [nth, trial] of left) found[nth] = await run(trial);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return found;
}

describe.each([...TOYS, ...MEETINGS])('the graph $name', (toy) => {
  const faults = faultsOf(toy);

  test('has the same world and state under faults as without them', async () => {
    const right = await course(toy, null, null);
    expect(right).toMatchObject({ why: null, acts: right.world.length });
    let unheard = 0;
    const found = await atOnce(faults, (fault) => course(toy, fault, null));
    for (const [nth, { why, state, world, isUnheard }] of found.entries()) {
      const fault = faults[nth];
      if (isUnheard) unheard += 1;
      else expect({ fault, why, state, world }).toEqual({ fault, why: null, state: right.state, world: right.world });
    }
    // What is found wrong after the last act is heard by nobody.
    expect(unheard).toBeLessThanOrEqual(faults.length / 2);
  });

  test('has them where its process dies, too, or is parked with the reason', async () => {
    const right = await course(toy, null, null);
    const counted = { same: 0, parked: 0, unheard: 0 };
    const trials = (
      await atOnce([null, ...faults].entries(), async ([nth, fault]) => {
        const { appends } = fault === null ? right : await course(toy, fault, null);
        const moments = Array.from({ length: appends }, (_, dies) => dies).filter(
          (dies) => (dies + nth * 3) % EVERY === 0,
        );
        return moments.map((dies) => ({ fault, dies }));
      })
    ).flat();
    const found = await atOnce(trials, ({ fault, dies }) => course(toy, fault, dies));
    for (const [nth, { why, state, world, isUnheard }] of found.entries()) {
      const trial = trials[nth];
      if (isUnheard) counted.unheard += 1;
      else if (why === null) {
        expect({ trial, state, world }).toEqual({ trial, state: right.state, world: right.world });
        counted.same += 1;
      } else {
        expect(why).toMatch(/\((?:effect_outcome_unknown|unclaimed_effect)/);
        counted.parked += 1;
      }
    }
    if (process.env.KILLS !== undefined) console.log(toy.name, counted);
    expect(counted.same).toBeGreaterThan(0);
    expect(counted.parked).toBeLessThanOrEqual(counted.same / 10);
  });
});
