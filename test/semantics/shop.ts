/** A machine that looks, pays and rests, and its config: each test says what its payment may do. */
import { calls, configOf, machineOf, World } from './little.ts';

/** look; pay; rest. The second look takes as long as `second` does. */
export function shop(
  pay: { readonly effect: string; readonly reads?: string[] },
  second: Promise<unknown> = Promise.resolve('look1'),
  rollback = '',
) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look', ({ nth }) => (nth === 1 ? second : `look${nth}`)), pay: world.tool('pay') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'rest', pay.reads),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      pay: `reads: ${JSON.stringify(pay.reads ?? [])}, writes: [paid], ${pay.effect}`,
    },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], reads: pay.reads ?? [] },
    },
  );
  return { world, machine, config };
}

export const IRREVERSIBLE = { effect: 'effect: irreversible' };
export const REVERSIBLE = { effect: 'effect: reversible, undo: un' };
