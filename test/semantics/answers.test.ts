/** C10: an answer that was found wrong is not served again. */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

/** look; rest. The answer of `look` is found wrong. */
function asked(effect: string, answer: (nth: number) => unknown) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look', ({ nth }) => answer(nth)) },
    { initial: 'look', states: { look: calls('look', 'looked', 'rest'), rest: {} } },
  );
  const config = configOf(
    { look: `writes: [looked], effect: ${effect}` },
    { LOOK: { states: ['look'], at: 'look -> rest', writes: ['looked'] } },
  );
  return { world, machine, config };
}

describe('C10: the answer of the suspect is never served again', () => {
  test('an idempotent call is asked again under the same key', async () => {
    const { world, machine, config } = asked('idempotent', (nth) => `look${nth}`);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    const [first, second] = world.keys('look');
    expect([world.count('look'), second, it.context()]).toEqual([2, first, { looked: 'look1' }]);
    await it.sidecar.close();
  });

  test('the reply of an idempotent call that is asked again is lost: its counterparty is not believed about the answer of before', async () => {
    const { world, machine, config } = asked('idempotent, reconcile: { ask: find, wait: 1ms }', (nth) => {
      if (nth === 1) throw new Error('connection reset');
      return nth === 0 ? 'wrong' : 'right';
    });
    const find = () => ({ is: 'applied', output: 'wrong' }) as const;
    const it = await run(machine, config, { reconcilers: { find } });
    await it.at('rest');
    // Without a key: an answer that the tool itself gives again would count as right.
    await it.wrong('LOOK');
    await it.at('rest');
    expect([world.count('look'), it.context()]).toEqual([3, { looked: 'right' }]);
    expect(new Set(world.keys('look')).size).toBe(1);
    await it.sidecar.close();
  });

  test('an equal answer is the same failure again, and once the budget is spent the run is parked', async () => {
    const { world, machine, config } = asked('idempotent', () => 'the same');
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('parked');
    expect(it.context()).toEqual({});
    expect(it.reports.at(-1)).toMatchObject({ signal: 'CONTRACT_VIOLATION' });
    expect(it.codes()).toContain('recovery_budget_spent');
    expect(new Set(world.keys('look')).size).toBe(1);
    await it.sidecar.close();
  });

  test('work that is merely undone is answered from the ledger', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'note'),
          note: calls('note', 'noted', 'more'),
          more: calls('look', 'more', 'rest', ['noted']),
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: 'reads: [noted], writes: [looked, more], effect: none', note: 'writes: [noted], effect: idempotent' },
      {
        LOOK: { states: ['look'], at: 'look -> note', writes: ['looked'] },
        NOTE: {
          states: ['note', 'more'],
          at: 'more -> rest',
          reads: ['looked'],
          writes: ['noted', 'more'],
          rollback: 'tries: 3',
        },
      },
    );
    const again = held();
    const slow = machine.provide({
      actors: { look: world.tool('look', ({ nth }) => (nth === 1 ? again.promise : `look${nth}`)) } as never,
    });
    const it = await run(slow as never, config);
    await until(() => world.count('look') === 2);
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([world.count('note'), it.context()]).toEqual([1, { looked: 'look2', noted: 'note0', more: 'look3' }]);
    await it.sidecar.close();
  });
});
