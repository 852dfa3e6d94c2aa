/** C11: a call in flight whose control or reads are undone is dropped. */
import { describe, expect, test } from 'vitest';
import { NotApplied } from '../../src/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

/** look; pay, which is under way when `look` is found wrong; rest */
function underWay(effect: string, pay: (nth: number, signal: AbortSignal) => unknown) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), pay: world.tool('pay', ({ nth, signal }) => pay(nth, signal)) },
    { initial: 'look', states: { look: calls('look', 'looked', 'pay'), pay: calls('pay', 'paid', 'rest'), rest: {} } },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', pay: `writes: [paid], ${effect}` },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
      PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'] },
    },
  );
  return { world, machine, config };
}

const aborted = (signal: AbortSignal, error: unknown) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(error)));

describe('C11: a call in flight whose control or reads are undone is dropped', () => {
  test('a late reply changes nothing, and an idempotent call is asked again under its key', async () => {
    const first = held<string>();
    const { world, machine, config } = underWay('effect: idempotent', (nth) =>
      nth === 0 ? first.promise : `pay${nth}`,
    );
    const it = await run(machine, config);
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    expect(it.reports[0]?.decision.dropped).toEqual([world.keys('pay')[0]]);
    await it.at('rest');
    first.resolve('late');
    await calm();
    expect([it.context(), new Set(world.keys('pay')).size]).toEqual([{ looked: 'look1', paid: 'pay1' }, 1]);
    await it.sidecar.close();
  });

  test('an irreversible one is aborted, and made again if it says that nothing happened', async () => {
    const { world, machine, config } = underWay('effect: irreversible', (nth, signal) =>
      nth === 0 ? aborted(signal, new NotApplied('aborted')) : `pay${nth}`,
    );
    const it = await run(machine, config);
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([it.verdicts(), it.context()]).toEqual([['restore'], { looked: 'look1', paid: 'pay1' }]);
    await it.sidecar.close();
  });

  test('its counterparty is asked where the call itself cannot tell', async () => {
    const { world, machine, config } = underWay('effect: irreversible, reconcile: find', (nth, signal) =>
      nth === 0 ? aborted(signal, new Error('aborted')) : `pay${nth}`,
    );
    const find = () => ({ is: 'not_applied' }) as const;
    const it = await run(machine, config, { reconcilers: { find } });
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([it.verdicts(), world.count('pay')]).toEqual([['restore'], 2]);
    await it.sidecar.close();
  });

  test('and what is known to stand stops the decision', async () => {
    const { world, machine, config } = underWay('effect: irreversible, reconcile: find', (_, signal) =>
      aborted(signal, new Error('aborted')),
    );
    const find = () => ({ is: 'applied', output: 'paid' }) as const;
    const it = await run(machine, config, { reconcilers: { find } });
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('parked');
    expect([it.codes(0), world.count('pay')]).toEqual([['irreversible_effect_policy'], 1]);
    await it.sidecar.close();
  });

  test('so does one of which nobody can tell', async () => {
    const { world, machine, config } = underWay('effect: irreversible', (_, signal) =>
      aborted(signal, new Error('aborted')),
    );
    const it = await run(machine, config);
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('parked');
    expect([it.codes(0), world.count('pay')]).toEqual([['effect_outcome_unknown'], 1]);
    await it.sidecar.close();
  });

  test('one that had not left yet leaves no more once its counterparty has said that it did not happen', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), pay: world.tool('pay') },
      {
        initial: 'look',
        states: { look: calls('look', 'looked', 'pay'), pay: calls('pay', 'paid', 'rest'), rest: {} },
      },
    );
    const config = configOf(
      {
        look: 'writes: [looked], effect: reversible, undo: slow',
        pay: 'writes: [paid], effect: irreversible, reconcile: find',
      },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'] },
      },
    );
    const before: number[] = [];
    const it = await run(machine, config, {
      reconcilers: { find: () => ({ is: 'not_applied' }) },
      undo: {
        slow: async () => {
          // While the plan is carried out, the intent of the payment becomes durable.
          await calm(20);
          before.push(world.count('pay'));
        },
      },
    });
    let isFirst = true;
    it.actor.subscribe(() => {
      if (it.value() !== 'pay' || !isFirst) return;
      isFirst = false;
      setImmediate(() => void it.wrong('LOOK', 'looked'));
    });
    await it.at('rest');
    expect([before, world.count('pay'), it.context().looked]).toEqual([[0], 1, 'look1']);
    await it.sidecar.close();
  });

  test.each([
    ['says that it did not happen', () => new NotApplied('too late')],
    ['says nothing', () => new Error('connection reset')],
  ])('an earlier try that comes back late and %s leaves what a later one has done', async (_, error) => {
    const first = held();
    const { world, machine, config } = underWay('effect: reversible, undo: un, reconcile: find', (nth) =>
      nth === 0
        ? first.promise.then(() => {
            throw error();
          })
        : `pay${nth}`,
    );
    const it = await run(machine, config, {
      undo: world.undo,
      reconcilers: { find: () => ({ is: 'not_applied' }) as const },
    });
    await until(() => world.count('pay') === 1);
    // Its counterparty refuses it from now on, its work goes back, and the replay pays under the same key.
    await it.sidecar.reconcile();
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    first.resolve(null);
    await calm();
    // The payment stands: it is undone before it is made again.
    await it.wrong('PAY', 'paid');
    await it.at('rest');
    expect([it.context(), world.undone]).toEqual([{ looked: 'look1', paid: 'pay2' }, [world.keys('pay')[1]]]);
    await it.sidecar.close();
  });

  test('the reply of a call that was asked about and undone meanwhile does not bring it back', async () => {
    const [first, look] = [held<string>(), held<string>()];
    const { world, machine, config } = underWay('effect: reversible, undo: un, reconcile: find', (nth) =>
      nth === 0 ? first.promise : `pay${nth}`,
    );
    const slow = machine.provide({
      actors: { look: world.tool('look', ({ nth }) => (nth === 1 ? look.promise : `look${nth}`)) } as never,
    });
    const it = await run(slow as never, config, {
      undo: world.undo,
      reconcilers: { find: () => ({ is: 'applied', output: 'pay0' }) as const },
    });
    await until(() => world.count('pay') === 1);
    await it.sidecar.reconcile();
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    first.resolve('pay0');
    await calm();
    look.resolve('look1');
    await it.at('rest');
    expect([it.context(), world.undone]).toEqual([{ looked: 'look1', paid: 'pay1' }, [world.keys('pay')[0]]]);
    expect(new Set(world.keys('pay')).size).toBe(2);
    await it.sidecar.close();
  });

  test('a call that changes nothing is not waited for', async () => {
    const { world, machine, config } = underWay('effect: none, timeout: 1h', (nth) =>
      nth === 0 ? held().promise : `pay${nth}`,
    );
    const it = await run(machine, config);
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'look1', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });

  test('a call that did not happen after all needs no undo: a person who says it was undone is right, and the work is done again', async () => {
    const first = held<string>();
    const world = new World();
    const machine = machineOf(
      {
        look: world.tool('look'),
        pay: world.tool('pay', ({ nth }) =>
          nth === 0 ? first.promise.then(() => Promise.reject(new NotApplied('refused'))) : `pay${nth}`,
        ),
      },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'rest', ['looked']),
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'reads: [looked], writes: [paid], effect: idempotent' },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> rest', reads: ['looked'], writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    await until(() => world.count('pay') === 1);
    await it.wrong('LOOK', 'looked');
    await it.ending();
    expect(it.codes()).toEqual(['effect_diverged']);
    first.resolve('refuses');
    await calm();
    await it.sidecar.settle(world.keys('pay')[0] as string, 'compensated');
    await it.at('rest');
    expect([it.context(), new Set(world.keys('pay')).size]).toEqual([{ looked: 'look1', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });
});
