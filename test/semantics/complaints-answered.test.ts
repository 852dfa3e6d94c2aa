/** C13: an answer to a complaint holds only at the journal head at which it was given. */
import { describe, expect, test } from 'vitest';
import { calm, until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';
import { REVERSIBLE, shop } from './shop.ts';

describe('C13: an answer holds only at the journal head at which it was given', () => {
  /** The payment has read what is found wrong, and nobody may cross its promise: a rerun is advised. */
  async function advised() {
    const { world, machine, config } = shop({ ...REVERSIBLE, reads: ['looked'] });
    const state = { moved: null as string | null };
    const un = { undo: world.undo.un, moved: () => state.moved };
    const it = await run(machine, config, { undo: { un } as never });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await it.ending();
    expect(it.verdicts()).toEqual(['rerun']);
    return { world, it, state };
  }

  test('advice that is still right is carried out', async () => {
    const { world, it } = await advised();
    await it.sidecar.rerun();
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    expect([world.undone, it.context()]).toEqual([[world.keys('pay')[0]], { looked: 'look1', paid: 'pay1' }]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });

  test('advice that an approved payment has overtaken is not: the payment stands, and the other answer is shown', async () => {
    const world = new World();
    const names = ['look', 'pay', 'ship'] as const;
    const machine = machineOf(Object.fromEntries(names.map((name) => [name, world.tool(name)])), {
      type: 'parallel',
      states: {
        p: {
          initial: 'look',
          states: {
            look: calls('look', 'looked', 'pay'),
            pay: calls('pay', 'paid', 'rest', ['looked']),
            rest: {},
          },
        },
        q: { initial: 'ship', states: { ship: calls('ship', 'shipped', 'over'), over: {} } },
      },
    });
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'reads: [looked], writes: [paid], effect: none',
        ship: 'reads: [], writes: [shipped], effect: irreversible, gate: { expires: 1h }',
      },
      {
        LOOK: { states: ['p.look'], at: 'p.look -> p.pay', writes: ['looked'] },
        PAY: { states: ['p.pay'], at: 'p.pay -> p.rest', writes: ['paid'], reads: ['looked'] },
        SHIP: { states: ['q.ship'], at: 'q.ship -> q.over', writes: ['shipped'] },
      },
    );
    const it = await run(machine, config);
    await it.at({ p: 'rest', q: 'ship' });
    await it.wrong('LOOK', 'looked');
    await it.ending();
    expect(it.verdicts()).toEqual(['rerun']);
    const [gate] = it.sidecar.gates();
    await it.sidecar.answer((gate as { gate: string }).gate, 'approved', { by: 'Ada' });
    await until(() => world.count('ship') === 1);
    await calm();
    await it.sidecar.rerun();
    expect((await it.ending()).status).toBe('parked');
    expect([it.verdicts().at(-1), names.map((name) => world.count(name))]).toEqual(['escalate', [1, 1, 1]]);
    await it.sidecar.close();
  });

  test('advice that the world has overtaken is not: the other answer is shown, and nothing is done', async () => {
    const { world, it, state } = await advised();
    state.moved = 'the room was given to another guest';
    await it.sidecar.rerun();
    expect((await it.ending()).status).toBe('parked');
    expect([it.verdicts(), it.codes()]).toEqual([
      ['rerun', 'escalate'],
      ['committed_consumers_present', 'compensation_missing'],
    ]);
    expect([world.undone, world.count('look'), world.count('pay')]).toEqual([[], 1, 1]);
    await it.sidecar.close();
  });
});
