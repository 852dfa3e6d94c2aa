import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instanceName } from '../../src/model/instance.ts';

test('K1: an instance prints as skeleton, entity and ordinal', () => {
  expect(instanceName({ skeleton: 'ResolveSlot', entity: 'slot[0]', ordinal: 0 })).toBe('ResolveSlot::slot[0]::0');
});

test('colons and percent signs in a name are escaped', () => {
  expect(instanceName({ skeleton: 'A::B', entity: '5%', ordinal: 1 })).toBe('A%3A%3AB::5%25::1');
});

test('no two instances print alike', () => {
  const part = fc.string({ unit: fc.constantFrom(':', '%', '3', 'A', '2', '5', 'x') });
  const id = fc.record({ skeleton: part, entity: part, ordinal: fc.nat({ max: 3 }) });
  fc.assert(
    fc.property(id, id, (a, b) => {
      const same = a.skeleton === b.skeleton && a.entity === b.entity && a.ordinal === b.ordinal;
      expect(instanceName(a) === instanceName(b)).toBe(same);
    }),
    { numRuns: 5_000 },
  );
});
