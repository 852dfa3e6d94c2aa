/** E8: where an effect of the kept past is gone, the run itself finds its reply wrong. */
import { describe, expect, test } from 'vitest';
import { NotApplied } from '../../src/index.ts';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';
import { IRREVERSIBLE, shop } from './shop.ts';

/** charge; ship; end, in one unit or in two. The first reply of ship is lost. */
function order(units: 'one' | 'two') {
  const world = new World();
  const ship = world.tool('ship', ({ nth }) => {
    if (nth === 0) throw new Error('socket hang up');
    return `ship${nth}`;
  });
  const machine = machineOf(
    { charge: world.tool('charge'), ship },
    {
      initial: 'charge',
      states: {
        charge: calls('charge', 'receipt', 'ship'),
        ship: calls('ship', 'parcel', 'end', ['receipt']),
        end: { type: 'final' },
      },
    },
  );
  const tools = {
    charge: 'writes: [receipt], effect: irreversible',
    ship: 'reads: [receipt], writes: [parcel], effect: irreversible',
  };
  const one = { ORDER: { states: ['charge', 'ship'], at: 'ship -> end', writes: ['receipt', 'parcel'] } };
  const two = {
    CHARGE: { states: ['charge'], at: 'charge -> ship', writes: ['receipt'] },
    SHIP: { states: ['ship'], at: 'ship -> end', reads: ['receipt'], writes: ['parcel'] },
  };
  return { world, machine, config: configOf(tools, units === 'one' ? one : two) };
}

describe('E8: what is gone is found wrong', () => {
  test.each(['one', 'two'] as const)(
    'a charge that a person undid is made again before the open call behind it is settled in place (in %s unit)',
    async (units) => {
      const { world, machine, config } = order(units);
      const it = await run(machine, config);
      expect((await it.ending()).status).toBe('parked');
      const [charge, ship] = [world.keys('charge')[0], world.keys('ship')[0]] as [string, string];
      await it.sidecar.settle(charge, 'compensated');
      expect((await it.ending()).status).toBe('parked');
      await it.sidecar.settle(ship, 'failed');
      expect((await it.ending()).status).toBe('done');
      expect([world.count('charge'), world.count('ship'), it.context()]).toEqual([
        2,
        2,
        { receipt: 'charge1', parcel: 'ship1' },
      ]);
      expect(world.keys('charge')[1]).toBe(`${charge}~1`);
      await it.sidecar.close();
    },
  );

  test('an effect behind it that cannot be undone parks the run, which says what a person has to do', async () => {
    const { world, machine, config } = order('one');
    const it = await run(machine, config);
    await it.ending();
    const [charge, ship] = [world.keys('charge')[0], world.keys('ship')[0]] as [string, string];
    await it.sidecar.settle(charge, 'compensated');
    await it.sidecar.settle(ship, 'confirmed', 'ship0');
    const ending = await it.ending();
    expect(ending).toMatchObject({
      status: 'parked',
      decision: { verdict: 'escalate', unblock: { acts: [{ act: 'undo_by_hand', effect: { id: ship } }] } },
    });
    await it.sidecar.settle(ship, 'compensated');
    expect((await it.ending()).status).toBe('done');
    expect([world.count('charge'), world.count('ship')]).toEqual([2, 2]);
    await it.sidecar.close();
  });

  test('a person undoes what nothing advised to undo: it is made again, and after the end it is refused', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    const [key] = world.keys('pay') as [string];
    await it.sidecar.settle(key, 'compensated');
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    expect(it.context()).toEqual({ looked: 'look0', paid: 'pay1' });
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    const [, again] = world.keys('pay') as [string, string];
    await expect(it.sidecar.settle(again, 'compensated')).rejects.toMatchObject({ code: 'run_finished' });
    await it.sidecar.close();
  });

  test('the end of the machine that comes in the same moment waits until it is made again', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    const [key] = world.keys('pay') as [string];
    const told = it.sidecar.settle(key, 'compensated');
    it.send('close');
    await told;
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    expect([world.count('pay'), it.context()]).toEqual([2, { looked: 'look0', paid: 'pay1' }]);
    await it.sidecar.close();
  });

  test('a call whose answer a replay has received is relied on, also where the first run had made it in a second try', async () => {
    const world = new World();
    const pay = world.tool('pay', ({ nth }) => {
      if (nth === 0) throw new NotApplied('nothing happened');
      return `pay${nth}`;
    });
    const tried = calls('pay', 'paid', 'rest');
    const machine = machineOf(
      { pay },
      {
        initial: 'pay',
        states: {
          pay: { invoke: { ...tried.invoke, onError: 'wait' } },
          wait: { after: { 1: 'pay' } },
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { pay: 'writes: [paid], effect: irreversible' },
      { PAY: { states: ['pay', 'wait'], at: 'pay -> rest', writes: ['paid'] } },
    );
    const it = await run(machine, config);
    await it.at('rest');
    for (const times of [3, 4]) {
      const key = world.keys('pay').at(-1) as string;
      await it.sidecar.settle(key, 'compensated');
      await until(() => world.count('pay') === times);
      await it.at('rest');
    }
    expect(it.context()).toMatchObject({ paid: 'pay3' });
    await it.sidecar.close();
  });

  test('a checkpoint behind the call that is gone is refused, with that call as its witness', async () => {
    const world = new World();
    const machine = machineOf(
      { pay: world.tool('pay'), note: world.tool('note') },
      {
        initial: 'pay',
        states: {
          pay: calls('pay', 'paid', 'note'),
          note: calls('note', 'noted', 'rest'),
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { pay: 'writes: [paid], effect: irreversible', note: 'writes: [noted], effect: none' },
      {
        WORK: {
          states: ['pay', 'note', 'rest'],
          at: ['rest -> end'],
          writes: ['paid', 'noted'],
          rollback: 'outcome_checkpoints: true',
        },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    const [key] = world.keys('pay') as [string];
    await it.sidecar.settle(key, 'compensated');
    await until(() => world.count('pay') === 2);
    await it.at('rest');
    expect(it.codes()).toContain('effect_gone');
    expect(JSON.stringify(it.reports.at(-1)?.decision.refusals)).toContain('pay of');
    expect([world.count('note'), it.context()]).toEqual([2, { paid: 'pay1', noted: 'note1' }]);
    await it.sidecar.close();
  });
});
