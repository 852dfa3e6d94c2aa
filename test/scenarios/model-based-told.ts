/** What a workshop is told, drawn at random. */
import fc from 'fast-check';
import type { Told } from './model-based-driver.ts';
import { REGIONS } from './model-based-workshop.ts';
import { ACTS, FAULTS } from './model-based-world.ts';

const region = fc.constantFrom(...REGIONS);
const key = fc.constantFrom('k0', 'k1');

/** What every run begins with: work in each region. */
export const BEGUN: readonly Told[] = REGIONS.map((name) => ({ do: 'begin', region: name, entity: 'e0' }));

/** Something that is found wrong. */
export const found: fc.Arbitrary<Told> = fc.record({
  do: fc.constant('found' as const),
  who: fc.nat({ max: 9 }),
  what: fc.option(fc.nat({ max: 5 }), { nil: null }),
});

/** One thing to tell. What makes no sense where the machine stands is ignored by it. */
export const told: fc.Arbitrary<Told> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('begin' as const), region, entity: fc.constantFrom('e0', 'e1') }),
  },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('write' as const), region, key }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('read' as const), region, key }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      region,
      act: fc.constantFrom(...ACTS),
      fault: fc.constantFrom('none' as const, ...FAULTS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('commit' as const), region }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('exit' as const), region }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), region }) },
  { weight: 4, arbitrary: found },
);

/** The same where no tool and no code of the machine's fails. */
export const calmly: fc.Arbitrary<Told> = told
  .filter((one) => one.do !== 'break')
  .map((one) => (one.do === 'call' ? { ...one, fault: 'none' } : one));
