/** Long work gives others their turn by its clock. */
import { expect, test } from 'vitest';
import { Turns } from '../../src/clock/turns.ts';

test('a turn is due once pieces have taken ten milliseconds together, whichever way the clock goes, and none is due after it', async () => {
  let now = 1_000;
  let given = 0;
  const turns = new Turns({
    now: () => now,
    turn: async () => {
      given += 1;
    },
  });
  const piece = (took: number) =>
    turns.spend(() => {
      now += took;
    });
  piece(4);
  now += 50;
  piece(-5);
  expect(turns.isDue).toBe(false);
  piece(1);
  expect(turns.isDue).toBe(true);
  await turns.next();
  expect([turns.isDue, given]).toEqual([false, 1]);
});
