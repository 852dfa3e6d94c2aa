/** ON4 in work that has answers of its own beside that of the act which it repeats: a complaint is about each answer that it may mean. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';

/** A state that pays one invoice. */
const pays = (key: string, target: string) => ({
  invoke: { ...calls('pay', key, target).invoke, input: { invoice: 'i1' } },
});

/** A unit that pays, and one whose states look and pay again, in an order. */
function planned(effect: string, look: string, order: readonly ('look' | 'again')[]) {
  const world = new World();
  const pay = world.tool('pay');
  const states = {
    look: calls('look', 'looked', order[0] === 'look' ? 'again' : 'rest'),
    again: pays('paid', order[0] === 'again' ? 'look' : 'rest'),
  };
  const machine = machineOf(
    { pay, look: world.tool('look') },
    {
      initial: 'pay',
      states: {
        pay: pays('receipt', order[0] as string),
        ...states,
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      pay: `reads: [], writes: [receipt, paid], ${effect}, once: [args.invoice]`,
      look: `reads: [], writes: [looked], effect: ${look}`,
    },
    {
      PAY: { states: ['pay'], at: `pay -> ${order[0]}`, writes: ['receipt'], rollback: 'compensable: undo' },
      WORK: {
        states: [...order],
        at: `${order[1]} -> rest`,
        writes: [order[1] === 'look' ? 'looked' : 'paid', order[1] === 'look' ? 'paid' : 'looked'],
      },
    },
  );
  return { world, machine, config };
}

describe('ON4: a complaint without a key about work that looks and pays again', () => {
  test('is about the payment and about the look, where the payment was answered last', async () => {
    const { world, machine, config } = planned('effect: compensable, undo: un', 'idempotent', ['look', 'again']);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    expect([world.count('pay'), world.count('look')]).toEqual([1, 1]);
    await it.wrong('WORK');
    await until(() => world.count('pay') === 2 && world.count('look') === 2);
    await it.at('rest');
    expect([it.context(), world.undone.length]).toEqual([{ receipt: 'pay1', looked: 'look1', paid: 'pay1' }, 1]);
    await it.sidecar.close();
  });

  test('is about the look, where that was answered last: the payment stands, which cannot be taken back', async () => {
    const { world, machine, config } = planned('effect: irreversible', 'none', ['again', 'look']);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('WORK');
    await until(() => world.count('look') === 2);
    await it.at('rest');
    expect([world.count('pay'), it.context()]).toEqual([1, { receipt: 'pay0', paid: 'pay0', looked: 'look1' }]);
    await it.sidecar.close();
  });
});

test('ON4: a complaint about what a person has told the work that repeated a payment leaves the payment alone', async () => {
  const world = new World();
  const machine = machineOf(
    { pay: world.tool('pay') },
    {
      initial: 'pay',
      states: {
        pay: pays('receipt', 'again'),
        again: pays('paid', 'noting'),
        noting: { on: { note: { target: 'rest', actions: assign({ note: ({ event }) => event.text }) } } },
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { pay: 'reads: [], writes: [receipt, paid], effect: irreversible, once: [args.invoice]' },
    {
      PAY: { states: ['pay'], at: 'pay -> again', writes: ['receipt'] },
      WORK: { states: ['again', 'noting'], at: 'noting -> rest', writes: ['paid', 'note'] },
    },
  );
  const it = await run(machine, config);
  await it.at('noting');
  it.sidecar.actor.send({ type: 'note', text: 'for bob' } as never);
  await it.at('rest');
  await it.wrong('WORK', 'note');
  expect([it.verdicts(), it.undone()]).toEqual([['restore'], ['WORK']]);
  expect([world.count('pay'), it.context()]).toEqual([1, expect.objectContaining({ receipt: 'pay0' })]);
  await it.sidecar.close();
});

test('ON4: a complaint about a key of work that is being redone is about the payment that it repeated, whatever it asked for last', async () => {
  const world = new World();
  let answer: () => void = () => {};
  const look = world.tool('look', ({ nth }) =>
    nth === 0
      ? 'look0'
      : new Promise((resolve) => {
          answer = () => resolve(`look${nth}`);
        }),
  );
  const machine = machineOf(
    { pay: world.tool('pay'), look, note: world.tool('note') },
    {
      initial: 'pay',
      states: {
        pay: pays('receipt', 'look'),
        look: calls('look', 'looked', 'again'),
        again: pays('paid', 'note'),
        note: calls('note', 'noted', 'rest'),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      pay: 'reads: [], writes: [receipt, paid], effect: compensable, undo: un, once: [args.invoice]',
      look: 'reads: [], writes: [looked], effect: none',
      note: 'reads: [], writes: [noted], effect: idempotent',
    },
    {
      PAY: { states: ['pay'], at: 'pay -> look', writes: ['receipt'], rollback: 'compensable: undo' },
      WORK: { states: ['look', 'again', 'note'], at: 'note -> rest', writes: ['looked', 'paid', 'noted'] },
    },
  );
  const it = await run(machine, config, { undo: world.undo });
  await it.at('rest');
  await it.wrong('WORK', 'looked');
  await until(() => world.count('look') === 2);
  await it.wrong('WORK', 'paid');
  answer();
  await until(() => world.count('pay') === 2);
  await until(() => world.count('look') === 3);
  answer();
  await it.at('rest');
  expect([it.context().receipt, it.context().paid, world.undone.length]).toEqual(['pay1', 'pay1', 1]);
  await it.sidecar.close();
});

test('ON4: a complaint about a key that an event wrote first is about the payment that was repeated into it afterwards', async () => {
  const world = new World();
  const machine = machineOf(
    { pay: world.tool('pay') },
    {
      initial: 'pay',
      states: {
        pay: pays('receipt', 'noting'),
        noting: { on: { note: { target: 'again', actions: assign({ paid: ({ event }) => event.text }) } } },
        again: pays('paid', 'rest'),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { pay: 'reads: [], writes: [receipt, paid], effect: compensable, undo: un, once: [args.invoice]' },
    {
      PAY: { states: ['pay'], at: 'pay -> noting', writes: ['receipt'], rollback: 'compensable: undo, joint: [WORK]' },
      WORK: { states: ['noting', 'again'], at: 'again -> rest', writes: ['paid'] },
    },
    'events: { note: { reads: [] } }',
  );
  const it = await run(machine, config, { undo: world.undo });
  await it.at('noting');
  it.sidecar.actor.send({ type: 'note', text: 'not yet' } as never);
  await it.at('rest');
  expect(it.context()).toEqual({ receipt: 'pay0', paid: 'pay0' });
  await it.wrong('WORK', 'paid');
  await until(() => world.count('pay') === 2);
  await it.at('rest');
  expect([it.context(), world.undone.length]).toEqual([{ receipt: 'pay1', paid: 'pay1' }, 1]);
  await it.sidecar.close();
});
