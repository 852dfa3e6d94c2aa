/** C10: an answer that a complaint has found wrong is not served again to the replay of its work, and no other is asked for again. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';
import { shop } from './shop.ts';

describe('C12: a failure names a version', () => {
  test('an idempotent answer that was set aside and found wrong is asked for again, under its key', async () => {
    const second = held();
    const { world, machine, config } = shop({ effect: 'effect: idempotent' }, second.promise);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    second.resolve('anew');
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), new Set(world.keys('pay')).size]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('the answer of work that is undone already is not served again to its replay (C10)', async () => {
    const second = held();
    const { world, machine, config } = shop(
      { effect: 'effect: idempotent', reads: ['looked'] },
      second.promise,
      'joint: [PAY]',
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    // With equal arguments the ledger would have the answer.
    second.resolve('look0');
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), new Set(world.keys('pay')).size]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('nor is that of work which goes back with another complaint while its own waits (C10)', async () => {
    const { world, machine, config } = shop({ effect: 'effect: idempotent' }, Promise.resolve('look0'), 'joint: [PAY]');
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('PAY', 'paid')]);
    await it.at('rest');
    expect([it.context().paid, world.count('pay'), it.verdicts().length]).toEqual(['pay1', 2, 1]);
    await it.sidecar.close();
  });

  test('and of such work only the answers that were found wrong: the others are served to its replay (C10)', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look', () => 'look'), pay: world.tool('pay'), note: world.tool('note') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'note', ['looked']),
          note: calls('note', 'noted', 'rest', ['looked']),
          rest: {},
        },
      },
    );
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'reads: [looked], writes: [paid], effect: idempotent',
        note: 'reads: [looked], writes: [noted], effect: idempotent',
      },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback: 'joint: [PAY]' },
        PAY: { states: ['pay', 'note'], at: 'note -> rest', writes: ['paid', 'noted'], reads: ['looked'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('PAY', 'paid')]);
    await until(() => world.count('look') === 2);
    await it.at('rest');
    expect([it.undone(), world.count('pay'), world.count('note')]).toEqual([['LOOK', 'PAY'], 2, 1]);
    await it.sidecar.close();
  });

  test.each([
    ['a person has undone the rest of it, and then it is found wrong', undefined, true],
    ['its payment is found wrong, and then a person has undone the rest of it', 'paid', false],
  ])(
    'no payment of work whose record is given up is served or made again where %s (C10)',
    async (_, key, isUndoneFirst) => {
      const world = new World();
      const second = held();
      const machine = machineOf(
        {
          look: world.tool('look', ({ nth }) => (nth === 1 ? second.promise : `look${nth}`)),
          pay: world.tool('pay'),
          note: world.tool('note'),
        },
        {
          initial: 'look',
          states: {
            look: calls('look', 'looked', 'pay'),
            pay: calls('pay', 'paid', 'note'),
            note: calls('note', 'noted', 'rest'),
            rest: {},
          },
        },
      );
      const config = configOf(
        {
          look: 'writes: [looked], effect: none',
          pay: 'writes: [paid], effect: irreversible',
          note: 'writes: [noted], effect: reversible, undo: un',
        },
        {
          LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
          PAY: { states: ['pay', 'note'], at: 'note -> rest', writes: ['paid', 'noted'] },
        },
      );
      const journal = memoryStore();
      const it = await run(machine, config, { undo: world.undo, journal });
      await it.at('rest');
      await it.wrong('LOOK', 'looked');
      expect(it.aside()).toEqual(['PAY']);
      const undo = () => it.sidecar.settle(world.keys('note')[0] as string, 'compensated');
      if (isUndoneFirst) await undo();
      await it.wrong('PAY', key);
      expect((await it.ending()).status).toBe('parked');
      if (!isUndoneFirst) await undo();
      second.resolve('look1');
      await calm();
      expect([it.codes(), world.count('pay'), world.undone]).toEqual([['unclaimed_effect'], 1, []]);
      await it.sidecar.close();

      // The next process asks the same, and goes on once a person has undone the payment.
      const next = await resume(machine, { run: 'r', config, journal, undo: world.undo } as never);
      next.actor.start();
      expect(await next.finished()).toMatchObject({
        status: 'parked',
        decision: { refusals: [{ code: 'unclaimed_effect' }] },
      });
      await next.settle(world.keys('pay')[0] as string, 'compensated');
      await until(() => (next.actor.getSnapshot() as { value: unknown }).value === 'rest');
      expect([next.status, world.count('pay'), world.undone]).toEqual(['running', 2, []]);
      await next.close();
    },
  );
});
