/** C12: a complaint names a version of a value: which ones are taken, and which are refused. */
import { describe, expect, test } from 'vitest';
import { memoryStore, SidecarError } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { held, run } from './little.ts';
import { IRREVERSIBLE, REVERSIBLE, shop } from './shop.ts';

describe('C12: a failure names a version', () => {
  test('the same complaint twice is answered once', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    await Promise.all([it.wrong('LOOK', 'looked'), it.wrong('LOOK', 'looked')]);
    await it.at('rest');
    expect([it.verdicts(), world.count('look'), world.count('pay')]).toEqual([['restore'], 2, 1]);
    await it.sidecar.close();
  });

  test('one about the version that has taken its place is another failure', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => it.context().looked === 'look1' && it.value() === 'rest');
    await it.wrong('LOOK', 'looked');
    await until(() => it.context().looked === 'look2' && it.value() === 'rest');
    expect([it.verdicts(), world.count('pay')]).toEqual([['restore', 'restore'], 1]);
    await it.sidecar.close();
  });

  test.each([
    ['a skeleton that the config does not have', { skeleton: 'LOKO', entity: 'it' }, undefined],
    ['work that never began', { skeleton: 'LOOK', entity: 'another' }, undefined],
    ['a key that the work never wrote', { skeleton: 'LOOK', entity: 'it' }, 'paid'],
  ])('%s is a typed error, and the run goes on', async (_, instance, key) => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const it = await run(machine, config);
    await it.at('rest');
    const complaint = it.sidecar.fail('CONTRACT_VIOLATION', { instance, ...(key !== undefined && { key }) });
    await expect(complaint).rejects.toMatchObject({ code: 'bad_failure' });
    await expect(complaint).rejects.toBeInstanceOf(SidecarError);
    expect([it.verdicts(), it.sidecar.status]).toEqual([[], 'running']);
    it.send('close');
    expect([(await it.ending()).status, world.count('look')]).toEqual(['done', 1]);
    await it.sidecar.close();
  });

  test.each([
    ['undone', { ...REVERSIBLE, reads: ['looked'] }, 'joint: [PAY]'],
    ['set aside', REVERSIBLE, ''],
  ])('a key that the work never wrote is a typed error where that work is %s, too', async (_, pay, rollback) => {
    const second = held();
    const { world, machine, config } = shop(pay, second.promise, rollback);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    for (const skeleton of ['LOOK', 'PAY'])
      await expect(it.wrong(skeleton, 'noted')).rejects.toMatchObject({ code: 'bad_failure' });
    // What it had written before it was undone is no unknown key.
    await it.wrong('LOOK', 'looked');
    await it.wrong('PAY', 'paid');
    expect([it.verdicts().length, it.sidecar.status]).toEqual([1, 'running']);
    second.resolve('anew');
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ looked: 'anew', paid: 'pay1' }, 2]);
    await it.sidecar.close();
  });

  test('one that waits makes no work to build on, in the process that takes the run up either', async () => {
    const { world, machine, config } = shop(IRREVERSIBLE);
    const journal = memoryStore();
    const it = await run(machine, config, { journal });
    await it.at('rest');
    // Alone, the look would be done again, and the payment set aside and claimed; but the payment is found wrong as well.
    void it.wrong('PAY', 'paid');
    await it.wrong('LOOK', 'looked');
    expect([(await it.ending()).status, world.count('pay')]).toEqual(['parked', 1]);
    await it.sidecar.close();
    const next = await resume(machine, { run: 'r', config, journal } as never);
    next.actor.start();
    expect((await next.finished()).status).toBe('parked');
    await calm();
    expect([world.count('look'), world.count('pay')]).toEqual([1, 1]);
    await next.close();
  });

  test('a run that has ended takes no complaint', async () => {
    const { world, machine, config } = shop(REVERSIBLE);
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    it.send('close');
    await it.ending();
    await expect(it.wrong('PAY', 'paid')).rejects.toMatchObject({ code: 'run_finished' });
    expect([world.undone, it.context().paid]).toEqual([[], 'pay0']);
    await it.sidecar.close();
  });
});
