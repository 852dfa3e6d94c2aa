import { expect, test } from 'vitest';
import { sweep } from './sweep.ts';

test.each([true, false])(
  'every history of three events is answered with the greatest safe line (blind: %s)',
  (blind) => {
    const { histories, failures, tallies } = sweep(3, blind);
    expect([histories, failures]).toEqual([600, 1_200]);
    expect(tallies.line).toEqual({ unsafeAdmissions: 0, needlessBlocks: 0, notGreatest: 0, examples: [] });
  },
);
