/** One decision, one act (semantics.md ON1 to ON6): what a second call of the same act is answered, on machines. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { Bank, machineOf, type Payment, payers } from './once.ts';

const INVOICE: Payment = { invoice: 'i1', cents: 100 };
async function started(bank: Bank, plan: (unit: string) => Payment, config = payers('compensable'), more = {}) {
  const machine = machineOf(bank, plan);
  const journal = memoryStore();
  const attached = await attach(machine, {
    config,
    journal,
    run: 'r',
    reconcilers: bank.reconcilers,
    undo: bank.undos,
    ...more,
  });
  attached.actor.start();
  return attached;
}

/** A run that stands behind both of its payments. */
async function behindBoth(...given: Parameters<typeof started>) {
  const sidecar = await started(...given);
  for (const state of ['firstOver', 'secondOver'] as const) {
    sidecar.actor.send({ type: 'go' });
    await until(() => sidecar.actor.getSnapshot().matches(state));
  }
  return sidecar;
}

describe('ON2: a second call of the same act, with equal arguments', () => {
  test('is answered with what the first one was answered, and says which it repeats', async () => {
    const bank = new Bank();
    const sidecar = await behindBoth(bank, () => INVOICE);
    const { actor } = sidecar;
    expect(actor.getSnapshot().context).toEqual({ first: 1, second: 1 });
    expect(bank.acts).toHaveLength(1);
    actor.send({ type: 'go' });
    expect((await sidecar.finished()).status).toBe('done');
  });
});

describe('ON3: with other arguments', () => {
  test('it is refused to the machine, with the first act as its witness', async () => {
    const bank = new Bank();
    const { actor } = await behindBoth(bank, (unit) => ({ invoice: 'i1', cents: unit === 'first' ? 100 : 200 }));
    expect(actor.getSnapshot().context).toEqual({ first: 1, second: 'act_repeated' });
    expect(bank.acts).toHaveLength(1);
  });
});

describe('ON4: a repetition rests on the act', () => {
  for (const [skeleton, key] of [
    ['first', undefined],
    ['second', undefined],
    ['second', 'second'],
  ] as const)
    test(`the ${skeleton} is found wrong${key === undefined ? '' : ' by its key'}: both are made anew, as one act`, async () => {
      const bank = new Bank();
      let cents = 100;
      const sidecar = await behindBoth(bank, () => ({ invoice: 'i1', cents }));
      const { actor } = sidecar;
      cents = 200;
      const instance = { skeleton, entity: 'it' };
      await sidecar.fail('CONTRACT_VIOLATION', { instance, ...(key !== undefined && { key }) });
      await until(() => actor.getSnapshot().matches('firstOver') && actor.getSnapshot().context.first === 2);
      actor.send({ type: 'go' });
      await until(() => actor.getSnapshot().matches('secondOver'));
      expect(actor.getSnapshot().context).toEqual({ first: 2, second: 2 });
      expect(bank.standing('i1')).toBe(1);
      expect(bank.acts.map(({ is }) => is)).toEqual(['paid', 'refunded', 'paid']);
    });

  test('a repetition that is an act of its own by now is undone as any other act', async () => {
    const bank = new Bank();
    let invoice = 'i1';
    const sidecar = await behindBoth(bank, (unit) => ({ invoice: unit === 'first' ? invoice : 'i1', cents: 100 }));
    const { actor } = sidecar;
    invoice = 'i2';
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'first', entity: 'it' } });
    await until(() => actor.getSnapshot().context.first === 2);
    actor.send({ type: 'go' });
    await until(() => actor.getSnapshot().context.second === 3);
    await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'second', entity: 'it' }, key: 'second' });
    await until(() => actor.getSnapshot().context.second === 4);
    expect(bank.acts.map(({ is, invoice: of }) => `${is} ${of}`)).toEqual([
      ...['paid i1', 'refunded i1', 'paid i2', 'paid i1', 'refunded i1', 'paid i1'],
    ]);
    await sidecar.close();
  });
});
