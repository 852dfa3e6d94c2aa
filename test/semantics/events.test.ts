/** C1b: events from outside that a restore took back are redelivered only where they meet what they met. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

/** A tool's answer that takes its time, as those of real tools do. */
const later = async <T>(answer: T): Promise<T> => {
  await calm(30);
  return answer;
};

/** parallel{n0; wait GO ‖ b0; wait GO} */
function twoWaits(b: () => unknown) {
  const world = new World();
  const machine = machineOf(
    { n0: world.tool('n0', () => later('a')), b0: world.tool('b0', b) },
    {
      type: 'parallel',
      states: {
        p: { initial: 'n0', states: { n0: calls('n0', 'a', 'waiting'), waiting: { on: { GO: 'gone' } }, gone: {} } },
        q: { initial: 'b0', states: { b0: calls('b0', 'b', 'waiting'), waiting: { on: { GO: 'gone' } }, gone: {} } },
      },
    },
  );
  const config = configOf(
    { n0: 'writes: [a], effect: none', b0: 'writes: [b], effect: none' },
    {
      N: { states: ['p.n0'], at: 'p.n0 -> p.waiting', writes: ['a'] },
      B: { states: ['q.b0'], at: 'q.b0 -> q.waiting', writes: ['b'] },
    },
    'events: { GO: { reads: [b] } }',
  );
  return { world, machine, config };
}

/** loop{a0; if (a) { wait GO }}, two passes */
function loop(answers: readonly boolean[], pace: (answer: boolean) => unknown = later) {
  const world = new World();
  const next = {
    target: 'next',
    actions: assign({ pass: ({ context }: { context: { pass: number } }) => context.pass + 1 }),
  };
  const machine = machineOf(
    { a0: world.tool('a0', ({ nth }) => pace(answers[nth] ?? false)) },
    {
      context: { pass: 0 },
      initial: 'a0',
      states: {
        a0: calls('a0', 'a', 'choice'),
        choice: {
          always: [{ guard: ({ context }: { context: { a: boolean } }) => context.a, target: 'waiting' }, next],
        },
        waiting: { on: { GO: next } },
        next: {
          always: [{ guard: ({ context }: { context: { pass: number } }) => context.pass < 2, target: 'a0' }, 'rest'],
        },
        rest: {},
      },
    },
  );
  const config = configOf(
    { a0: 'writes: [a], effect: none' },
    { A: { states: ['a0'], at: 'a0 -> choice', writes: ['a'], rollback: 'joint: [A]' } },
    'events: { GO: { reads: [pass] } }',
  );
  return { world, machine, config };
}

describe('C1b: an event from outside is redelivered only at its own point', () => {
  test('an event that one region heard is not given to two because both wait by now', async () => {
    const first = held<string>();
    const { machine, config } = twoWaits(() => first.promise);
    const it = await run(machine, config);
    await it.at({ p: 'waiting', q: 'b0' });
    it.send('GO');
    await it.at({ p: 'gone', q: 'b0' });
    first.resolve('b');
    await it.at({ p: 'gone', q: 'waiting' });
    await it.wrong('N', 'a');
    await it.at({ p: 'waiting', q: 'waiting' });
    await calm();
    expect(it.value()).toEqual({ p: 'waiting', q: 'waiting' });
    expect(it.reports[0]?.takenBack).toEqual([{ type: 'GO' }]);
    expect(it.sidecar.status).toBe('running');
    it.send('GO');
    await it.at({ p: 'gone', q: 'gone' });
    await it.sidecar.close();
  });

  test('and it is given again where the other region has not come further', async () => {
    const { world, machine, config } = twoWaits(() => held().promise);
    const it = await run(machine, config);
    await it.at({ p: 'waiting', q: 'b0' });
    it.send('GO');
    await it.at({ p: 'gone', q: 'b0' });
    await it.wrong('N', 'a');
    await until(() => world.count('n0') === 2);
    await it.at({ p: 'gone', q: 'b0' });
    expect(world.count('b0')).toBe(1);
    await it.sidecar.close();
  });

  test('an approval that was given for one pass of a loop is not applied to another', async () => {
    const { machine, config } = loop([true, false, false, true]);
    const it = await run(machine, config);
    await it.at('waiting');
    it.send('GO');
    await it.at('rest');
    await it.wrong('A', 'a', 0);
    await it.at('waiting');
    await calm();
    expect([it.value(), it.context()]).toEqual(['waiting', { pass: 1, a: true }]);
    expect(it.reports[0]?.takenBack).toEqual([{ type: 'GO' }]);
    await it.sidecar.close();
  });

  test('and is redelivered where the replay comes to the very point at which it was heard', async () => {
    const { world, machine, config } = loop([true, false, true, false]);
    const it = await run(machine, config);
    await it.at('waiting');
    it.send('GO');
    await it.at('rest');
    await it.wrong('A', 'a', 0);
    await until(() => world.count('a0') === 4);
    await it.at('rest');
    expect(it.context()).toEqual({ pass: 2, a: false });
    await it.sidecar.close();
  });

  test('also where the replay comes there before the recovery is quite over', async () => {
    const { world, machine, config } = loop([true, false, true, false], (answer) => answer);
    const it = await run(machine, config);
    await it.at('waiting');
    it.send('GO');
    await it.at('rest');
    await it.wrong('A', 'a', 0);
    await until(
      () => world.count('a0') === 4,
      () => `the fourth call, but it is at ${JSON.stringify([it.value(), it.context()])}`,
    );
    await it.at('rest');
    await it.sidecar.close();
  });

  test('unless the caller keeps redelivery for itself', async () => {
    const { machine, config } = loop([true, false, true, false]);
    const it = await run(machine, config, { redeliver: false });
    await it.at('waiting');
    it.send('GO');
    await it.at('rest');
    await it.wrong('A', 'a', 0);
    await it.at('waiting');
    await calm();
    expect([it.value(), it.context().pass]).toEqual(['waiting', 0]);
    await it.sidecar.close();
  });

  test('an event that nothing heard is not redelivered', async () => {
    const { world, machine, config } = loop([false, false, true]);
    const it = await run(machine, config);
    it.send('GO');
    await it.at('rest');
    await it.wrong('A', 'a', 0);
    await it.at('waiting');
    await calm();
    expect([it.value(), world.count('a0'), it.reports[0]?.takenBack]).toEqual(['waiting', 3, []]);
    await it.sidecar.close();
  });
});
