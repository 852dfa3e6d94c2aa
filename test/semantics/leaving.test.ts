/** C11: a call that is about to leave, or has come back in this very turn, when the work that it relies on is found wrong. */
import { expect, test } from 'vitest';
import { kindOf } from '../../src/journal/entry-codec.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';
import { tripOf } from './trips.ts';

/** look; pay; rest until GO: the payment reads what look answered. */
function paying(effect: string, onPay: () => void | Promise<void> = () => {}) {
  const world = new World();
  const machine = machineOf(
    {
      look: world.tool('look'),
      pay: world.tool('pay', async ({ input }) => {
        await onPay();
        return `paid for ${input.looked}`;
      }),
    },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'rest', ['looked']),
        rest: { on: { GO: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', pay: `reads: [looked], writes: [paid, "bank:it"], effect: ${effect}` },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'] },
    },
  );
  return { world, machine, config };
}

/** A store that says when the intent of the nth call is taken, which is on its way to the disk then. */
function telling(onIntent: () => void, nth = 1, store = memoryStore()): JournalStore {
  let intents = 0;
  const open: JournalStore['open'] = async (...how) => {
    const journal = await store.open(...how);
    const append = journal.append.bind(journal);
    journal.append = (rows, note) => {
      const head = append(rows, note);
      if (rows.some((row) => kindOf({ ...row, seq: head, time: 0 }) === 'intent')) {
        intents += 1;
        if (intents === nth) onIntent();
      }
      return head;
    };
    return journal;
  };
  return Object.assign(Object.create(store) as JournalStore, { open });
}

/** Ends a run that has paid on the right value, and fails for one that is parked. */
async function ended(it: Awaited<ReturnType<typeof run>>): Promise<void> {
  await until(() => it.context().paid === 'paid for look1' || it.sidecar.status === 'parked');
  it.send('GO');
  expect(await it.ending()).toMatchObject({ status: 'done' });
}

/** Does something so many turns of the queue of promises later. */
async function later(turns: number, act: () => void): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await null;
  act();
}

test.each(Array.from({ length: 16 }, (_, turns) => turns))(
  'C11: a payment that comes back %i turns after it is found to rest on a wrong value is known, undone, and made anew',
  async (turns) => {
    let complain: (() => void) | null = null;
    const { world, machine, config } = paying('reversible, undo: un', async () => {
      complain?.();
      complain = null;
      await later(turns, () => {});
    });
    const it = await run(machine, config, { undo: world.undo });
    complain = () => void it.wrong('LOOK', 'looked');
    await ended(it);
    expect(world.undone).toEqual([world.keys('pay')[0]]);
    expect([world.count('pay'), it.context()]).toEqual([2, { looked: 'look1', paid: 'paid for look1' }]);
    await it.sidecar.close();
  },
);

test.each([0, 1, 2, 3, 5, 8, 13])(
  'C11: a payment that is about to leave is withdrawn, and made once on the right value, %i turns after its intent',
  async (turns) => {
    let complain = async () => {};
    const { world, machine, config } = paying('irreversible');
    const journal = telling(() => void complain());
    const it = await run(machine, config, { journal });
    complain = () =>
      later(turns, () => {
        expect(world.count('pay')).toBe(0);
        void it.wrong('LOOK', 'looked');
      });
    await ended(it);
    expect(world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input)).toEqual([{ looked: 'look1' }]);
    await it.sidecar.close();
  },
);

test('C11: a payment that was withdrawn, and whose run is parked over something else, waits for the answer, and is made on the right value', async () => {
  const world = new World();
  const machine = tripOf(world);
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      book: 'reads: [looked], writes: [booked], effect: compensable',
      pay: 'reads: [looked], writes: [paid], effect: irreversible',
    },
    {
      LOOK: { states: ['look'], at: 'look -> book', writes: ['looked'], rollback: 'joint: [BOOK, PAY]' },
      BOOK: { states: ['book'], at: 'book -> pay', writes: ['booked'] },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'] },
    },
  );
  const store = memoryStore();
  let complain = () => {};
  const journal = telling(() => complain(), 2, store);
  const it = await run(machine, config, { journal });
  complain = () => void it.wrong('LOOK', 'looked');
  await until(() => it.sidecar.status === 'parked');
  await calm();
  const told = entriesOf(store.read('r')).flatMap((entry) => {
    if (entry.do === 'intent' && entry.tool === 'pay') return [entry.key];
    return entry.do === 'outcome' && entry.error?.startsWith('withdrawn') ? [entry.status] : [];
  });
  expect([told, world.count('pay')]).toEqual([[expect.any(String), 'failed'], 0]);
  // A call that waits for a person's word keeps no process: another one can take the run up.
  expect(it.sidecar.rest().idle).toBe(true);
  await it.sidecar.settle(world.keys('book')[0] as string, 'compensated');
  await it.at('rest');
  expect(world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input)).toEqual([{ looked: 'look1' }]);
  await it.sidecar.close();
});
