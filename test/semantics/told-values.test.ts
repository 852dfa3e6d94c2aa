/** C6: an event that the last step of a record has raised or sent tells what the context was then, and a claim hands it on as it is. */
import { expect, test } from 'vitest';
import { assign, raise } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, type Given, machineOf, run, World } from './little.ts';

/** look; pay, which reads nothing; tell, with or without a value that look answered, at once or later; rest. */
function telling(withValue: boolean, delay?: number) {
  const world = new World();
  const told = ({ context }: Given<unknown>) => ({ type: 'TOLD', ...(withValue && { value: context.looked }) });
  const machine = machineOf(
    { look: world.tool('look'), pay: world.tool('pay') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'tell'),
        tell: {
          entry: raise(told as never, delay === undefined ? {} : { delay }),
          on: {
            TOLD: {
              target: 'rest',
              actions: assign({ told: ({ event }: { event: { value?: unknown } }) => event.value } as never),
            },
          },
        },
        rest: {},
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', pay: 'reads: [], writes: [paid], effect: irreversible' },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
      PAY: { states: ['pay'], at: 'pay -> tell', writes: ['paid'] },
    },
  );
  return { world, machine, config };
}

test.each([
  [true, 'look1'],
  [false, undefined],
])(
  'C6: with a value in it (%s), what is told behind a payment that stands is what the context says now',
  async (withValue, told) => {
    const { world, machine, config } = telling(withValue);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => it.value() === 'rest' && it.context().looked === 'look1');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'look1', paid: 'pay0', told }, 1]);
    await it.sidecar.close();
  },
);

test.each([
  [true, 'look1'],
  [false, undefined],
])(
  'C6: with a value in it (%s), an event that is still to come tells what the context says now',
  async (withValue, told) => {
    const { world, machine, config } = telling(withValue, 150);
    const it = await run(machine, config);
    await it.at('tell');
    await it.wrong('LOOK', 'looked');
    await until(() => it.value() === 'rest' && it.context().looked === 'look1');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'look1', paid: 'pay0', told }, 1]);
    await it.sidecar.close();
  },
);
