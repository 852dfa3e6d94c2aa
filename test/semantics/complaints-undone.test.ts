/** C12: a complaint about work that is undone or set aside already: its undo is made, owed, or the run is parked. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { held, run } from './little.ts';
import { IRREVERSIBLE, REVERSIBLE, shop } from './shop.ts';

describe('C12: a failure names a version', () => {
  test('a complaint about work that is undone already needs no answer', async () => {
    const second = held();
    const { world, machine, config } = shop({ ...REVERSIBLE, reads: ['looked'] }, second.promise, 'joint: [PAY]');
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect(it.verdicts()).toHaveLength(1);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay'), world.undone.length]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2, 1]);
    await it.sidecar.close();
  });

  test('work that is set aside is undone where that is possible, with no cut of its own', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    expect(it.aside()).toEqual(['PAY']);
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect([world.undone, it.verdicts()]).toEqual([[world.keys('pay')[0]], ['restore']]);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });

  test('where its undo fails the run is parked on it, until the undo works or a person has made it', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    let works = false;
    const un = ({ key }: { key: string }) => {
      if (!works) throw new Error('no refunds');
      world.undone.push(key);
    };
    const it = await run(machine, config, { undo: { un } });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect([(await it.ending()).status, it.codes(), world.count('pay')]).toEqual(['parked', ['unclaimed_effect'], 1]);
    works = true;
    await it.sidecar.reconcile();
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.undone.length, world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 1, 2]);
    await it.sidecar.close();
  });

  test('where the process dies between that undo and its outcome, the next one makes the undo again, and then the work', async () => {
    const second = held();
    const { world, machine, config } = shop(REVERSIBLE, second.promise);
    const journal = memoryStore();
    const undone: string[] = [];
    const dies = ({ undoKey }: { undoKey: string }) => {
      undone.push(undoKey);
      return new Promise<void>(() => {});
    };
    const it = await run(machine, config, { undo: { un: dies }, journal });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    void it.wrong('PAY', 'paid');
    await until(() => undone.length === 1);
    await it.sidecar.close();

    const un = ({ undoKey }: { undoKey: string }) => void undone.push(undoKey);
    const next = await resume(machine, { run: 'r', config, journal, undo: { un } } as never);
    second.resolve('anew');
    next.actor.start();
    await until(() => (next.actor.getSnapshot() as { value: unknown }).value === 'rest');
    expect([new Set(undone).size, undone.length, world.count('pay')]).toEqual([1, 2, 2]);
    await next.close();
  });

  test('and parks the run where that is not possible', async () => {
    const second = held();
    const { world, machine, config } = shop(IRREVERSIBLE, second.promise);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.wrong('PAY', 'paid');
    expect((await it.ending()).status).toBe('parked');
    expect([it.codes(), world.count('pay')]).toEqual([['unclaimed_effect'], 1]);
    await it.sidecar.close();
  });
});
