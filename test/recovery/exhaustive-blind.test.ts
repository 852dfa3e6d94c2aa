import { expect, test } from 'vitest';
import { sweep, table } from './sweep.ts';

test('every history of five events with blind writes is answered with the greatest safe line', () => {
  const result = sweep(5, true);
  console.log(table([{ writes: 'blind', result }]));
  expect([result.histories, result.failures]).toEqual([305_184, 873_664]);
  expect(result.tallies.line).toEqual({ unsafeAdmissions: 0, needlessBlocks: 0, notGreatest: 0, examples: [] });
  expect(result.tallies.static.unsafeAdmissions).toBe(0);
  expect(result.tallies.dart.unsafeAdmissions).toBeGreaterThan(0);
});
