/** EX1 to EX3: a share of the complaints about finished work, with exits restorable and without, against the shape of each machine. */
import { expect, test } from 'vitest';
import { machines } from './assignments.ts';
import { enumerateExits } from './enumerate-exits.ts';

test('an exit is restored where the policy says so and nobody is behind it, and nowhere else', async () => {
  const { told, ...counts } = await enumerateExits(machines(), { number: 0, of: 6000 });
  expect(told).toEqual([]);
  const { again: _, ...groups } = counts;
  for (const [group, cases] of Object.entries(groups)) expect(cases, group).toBeGreaterThan(0);
});
