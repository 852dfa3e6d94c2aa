/** C11, R5: nothing leaves while a plan is carried out, and what was about to leave when it restores has never left. */
import { describe, expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';
import { tripOf } from './trips.ts';

/** Turns of the event loop that an undo takes. */
const LONG = 6;
const ROLLBACK = 'joint: [BOOK, PAY], compensable: undo';

/** look; book; pay; rest until GO: both rest on what look answered, and the undo of a booking takes a while. */
function trip(effect: string) {
  const world = new World();
  const machine = tripOf(world);
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      book: 'reads: [looked], writes: [booked], effect: reversible, undo: un',
      pay: `reads: [looked], writes: [paid, "bank:it"], effect: ${effect}, check: fresh`,
    },
    {
      LOOK: { states: ['look'], at: 'look -> book', writes: ['looked'], rollback: ROLLBACK },
      BOOK: { states: ['book'], at: 'book -> pay', writes: ['booked'], rollback: 'compensable: undo' },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], rollback: 'compensable: undo' },
    },
  );
  const undo = {
    un: async (call: { key: string }) => {
      for (let turn = 0; turn < LONG; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      world.undo.un(call);
    },
  };
  return { world, machine, config, undo };
}

/** Waits so many turns of the queue of promises. */
async function passed(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await null;
}

describe.each(['irreversible', 'compensable, undo: un', 'reversible, undo: un', 'idempotent'])(
  'a payment, %s,',
  (effect) => {
    test.each(Array.from({ length: 16 }, (_, turns) => turns))(
      'C11: that is checked for %i turns before it leaves, while its work is found to rest on a wrong value, is made once, on the right one',
      async (turns) => {
        const { world, machine, config, undo } = trip(effect);
        const checks = { fresh: () => passed(turns).then(() => null) };
        const it = await run(machine, config, { undo, checks });
        let isFound = false;
        it.actor.subscribe(() => {
          if (isFound || it.value() !== 'pay') return;
          isFound = true;
          void it.wrong('LOOK', 'looked');
        });
        await until(() => it.value() === 'rest' || it.sidecar.status === 'parked');
        const paid = world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input);
        expect([it.sidecar.status, it.value(), paid]).toEqual(['running', 'rest', [{ looked: 'look1' }]]);
        expect(it.verdicts()).toEqual(['restore_joint']);
        await it.sidecar.close();
      },
    );
  },
);

test('C11, R5: a call waits while a plan is stuck over an undo, and leaves once that was made good in the same process', async () => {
  const world = new World();
  const region = (name: string, more: object) => ({ initial: name, states: { [name]: more, [`${name}Done`]: {} } });
  const machine = machineOf(
    { book: world.tool('book'), pay: world.tool('pay') },
    {
      type: 'parallel',
      states: {
        trip: region('book', calls('book', 'booked', 'bookDone')),
        bill: region('pay', calls('pay', 'paid', 'payDone')),
      },
    },
  );
  const config = configOf(
    {
      book: 'writes: [booked], effect: compensable, undo: un',
      pay: 'writes: [paid], effect: irreversible, check: fresh',
    },
    {
      BOOK: {
        states: ['trip.book'],
        at: 'trip.book -> trip.bookDone',
        writes: ['booked'],
        rollback: 'compensable: undo',
      },
      PAY: { states: ['bill.pay'], at: 'bill.pay -> bill.payDone', writes: ['paid'] },
    },
  );
  let isFresh = () => {};
  const fresh = new Promise<null>((resolve) => {
    isFresh = () => resolve(null);
  });
  const un = () => {
    throw new Error('no refunds');
  };
  const it = await run(machine, config, { undo: { un }, checks: { fresh: () => fresh } });
  await it.at({ trip: 'bookDone', bill: 'pay' });
  await it.wrong('BOOK', 'booked');
  const ending = await it.sidecar.finished();
  expect(ending.status).toBe('stuck');
  isFresh();
  await calm();
  expect(world.count('pay')).toBe(0);
  await it.sidecar.settle(world.keys('book')[0] as string, 'compensated');
  await it.at({ trip: 'bookDone', bill: 'payDone' });
  expect([world.count('book'), world.count('pay'), it.context()]).toEqual([2, 1, { booked: 'book1', paid: 'pay0' }]);
  await it.sidecar.close();
});
