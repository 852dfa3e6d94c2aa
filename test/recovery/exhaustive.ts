/** What must hold of every history of five events; each kind of write has a test file of its own, so that both run at once. */
import { expect } from 'vitest';
import { sweep, table } from './sweep.ts';

/** Sweeps, prints the table, and expects the counts of the space and a faultless `line`. */
export function expectGreatestOfFive(writes: 'blind' | 'update'): void {
  const result = sweep(5, writes === 'blind');
  console.log(table([{ writes, result }]));
  expect([result.histories, result.failures]).toEqual([305_184, 873_664]);
  expect(result.tallies.line).toEqual({ unsafeAdmissions: 0, needlessBlocks: 0, notGreatest: 0, examples: [] });
  expect(result.tallies.static.unsafeAdmissions).toBe(0);
  expect(result.tallies.dart.unsafeAdmissions).toBeGreaterThan(0);
}
