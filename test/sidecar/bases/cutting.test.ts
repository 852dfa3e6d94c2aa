/** A journal that is cut anywhere, with a base between its halves, comes to what it comes to whole. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryStore } from '../../../src/index.ts';
import { opened, steps } from './agent.ts';
import { differenceWith } from './cuts.ts';

type Act =
  | { readonly do: 'steps'; readonly count: number }
  | { readonly do: 'fail'; readonly key: string | null }
  | { readonly do: 'resume' };

const act = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('steps' as const), count: fc.integer({ min: 1, max: 12 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('fail' as const), key: fc.constantFrom(null, 'rows/row2', 'notes') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const) }) },
);

test('with steps, complaints, restores and resumes before and behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array<Act>(act, { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      async (acts, every) => {
        const store = memoryStore();
        let sidecar = await opened(store, 'attach', 7);
        for (const [index, each] of acts.entries()) {
          if (each.do === 'steps') steps(sidecar, index * 12, each.count);
          else if (each.do === 'resume') {
            await sidecar.close();
            sidecar = await opened(store, 'resume', 7);
          } else {
            const suspect = {
              instance: { skeleton: 'Work', entity: 'it', ordinal: 0 },
              ...(each.key !== null && { key: each.key }),
            };
            await sidecar.fail('CONTRACT_VIOLATION', suspect).catch(() => {}); // refused, where nothing was written
          }
          await sidecar.durable();
        }
        await sidecar.close();
        const rows = [...store.read('r')];
        expect(
          differenceWith(
            rows,
            rows.flatMap(({ seq }) => (seq % every === 0 ? [seq] : [])),
          ),
        ).toBeNull();
      },
    ),
    { numRuns: 25 },
  );
});
