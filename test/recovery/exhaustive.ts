/**
 * What must hold of histories of five events; each kind of write has a test file of its own, so that both run at once. They ask about one
 * history in four, another one for each kind; `npm run prove sweep -- 5` asks about all of them.
 */
import { expect } from 'vitest';
import { sweep, table } from './sweep.ts';

const EVERY = 4;
const FROM = { blind: 1, update: 3 } as const;
/** The failures in each share. */
const FAILURES = { blind: 217_576, update: 219_256 } as const;

/** Sweeps a share, prints the table, and expects the counts of the space, a faultless `line`, and that the share shows the faults of the others. */
export function expectGreatestOfFive(writes: 'blind' | 'update'): void {
  const result = sweep(5, writes === 'blind', { share: { every: EVERY, from: FROM[writes] } });
  console.log(table([{ writes, result }]));
  expect([result.histories, result.asked, result.failures]).toEqual([305_184, 305_184 / EVERY, FAILURES[writes]]);
  const { line, static: ofStatic, dart } = result.tallies;
  expect(line).toEqual({ unsafeAdmissions: 0, needlessBlocks: 0, notGreatest: 0, examples: [] });
  expect(ofStatic.unsafeAdmissions).toBe(0);
  for (const count of [ofStatic.needlessBlocks, ofStatic.notGreatest, dart.unsafeAdmissions])
    expect(count).toBeGreaterThan(0);
}
