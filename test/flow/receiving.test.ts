/** Flows that receive: turns, and what becomes of them (semantics.md RC1 to RC9). */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { Bank, desk, deskOptions } from './desk.ts';

test('a flow answers each turn, and goes on in another process without looking or paying again', async () => {
  const bank = new Bank();
  const options = deskOptions(bank, memoryStore());
  const run = await desk(bank).attach(options);
  expect(await run.invoke('quote', { id: 'm1' })).toEqual(['quoted 100']);
  expect(await run.invoke('pay', { id: 'm2' })).toEqual(['quoted 100', 'paid 100']);
  await run.close();
  const next = await desk(bank).resume(options);
  expect(await next.invoke('pay', { id: 'm2' })).toEqual(['quoted 100', 'paid 100']);
  await expect(next.invoke('quote', { id: 'm2' })).rejects.toMatchObject({ code: 'turn_differs', name: 'FlowError' });
  expect(await next.invoke('end', { id: 'm3' })).toEqual(['quoted 100', 'paid 100']);
  await expect(next.invoke('pay')).rejects.toMatchObject({ code: 'run_over' });
  expect(await next.finished()).toEqual({ status: 'done', output: ['quoted 100', 'paid 100'] });
  expect([bank.standing, bank.quotes]).toEqual([[100], 1]);
  await next.close();
});

test('a process that dies in a payment of a turn: the next one settles it, and takes no step again', async () => {
  const [bank, store] = [new Bank(), memoryStore()];
  const options = deskOptions(bank, store);
  const run = await desk(bank).attach(options);
  let pays = () => {};
  const isPaying = new Promise<void>((resolve) => {
    pays = resolve;
  });
  bank.onPay = () => {
    pays();
    return new Promise(() => {});
  };
  await run.invoke('quote', { id: 'm1' });
  run.invoke('pay quote', { id: 'm2' }).catch(() => {});
  await isPaying;
  await run.close();
  const next = await desk(bank).resume(options);
  await expect(next.invoke('quote')).rejects.toMatchObject({ code: 'turn_open' });
  expect(await next.invoke('pay quote', { id: 'm2' })).toEqual(['quoted 100', 'paid 100', 'quoted 100']);
  expect([bank.standing, bank.quotes]).toEqual([[100], 2]);
  await next.close();
});

test('what a turn has said stands, or is rewritten where its callers are programs (RC3, RC4)', async () => {
  const wrong = { instance: { skeleton: 'quote_', entity: '1' } };
  for (const said of ['stands', 'rewritten'] as const) {
    const bank = new Bank();
    const run = await desk(bank).attach(deskOptions(bank, memoryStore(), said, 'reversible'));
    await run.invoke('quote', { id: 'm1' });
    await run.invoke('pay', { id: 'm2' });
    bank.price = 120;
    if (said === 'stands') {
      await expect(run.fail('CONTRACT_VIOLATION', wrong)).rejects.toMatchObject({ code: 'said_to_person' });
      expect(await run.invoke()).toEqual(['quoted 100', 'paid 100']);
    } else {
      await run.fail('CONTRACT_VIOLATION', wrong);
      expect(await run.invoke()).toEqual(['quoted 120', 'paid 120']);
    }
    expect(bank.standing).toEqual([said === 'stands' ? 100 : 120]);
    await run.close();
  }
});

test('its reader revises and retracts turns, and a preview says what that comes to (RC8, RC9)', async () => {
  const bank = new Bank();
  const options = deskOptions(bank, memoryStore(), 'stands', 'reversible');
  const run = await desk(bank).attach(options);
  for (const [nth, words] of ['quote', 'pay', 'quote'].entries()) await run.invoke(words, { id: `m${nth + 1}` });
  expect(run.events().map(({ name, is }) => [name, is]).length).toBe(4);
  expect(await run.preview({ retract: 'm2' })).toMatchObject({ is: 'done', why: null });
  expect(bank.standing).toEqual([100]);
  expect(await run.retract('m2', { id: 'no-pay' })).toMatchObject({ is: 'done' });
  expect(await run.invoke()).toEqual(['quoted 100']);
  expect(bank.standing).toEqual([]);
  await expect(run.invoke('quote', { id: 'm3' })).rejects.toMatchObject({ code: 'turn_retracted' });
  expect(await run.invoke('pay', { id: 'm4' })).toEqual(['quoted 100', 'paid 100']);
  expect(await run.revise('m1', { input: 'quote quote' }, { later: { confirm: ['m4'] } })).toMatchObject({
    is: 'done',
  });
  expect(await run.invoke()).toEqual(['quoted 100', 'quoted 100', 'paid 100']);
  expect(bank.standing).toEqual([100]);
  await run.close();
});

test('a step of the changed turn that acts and is given the same is not taken again (PA12)', async () => {
  const bank = new Bank();
  const run = await desk(bank).attach(deskOptions(bank, memoryStore(), 'stands'));
  await run.invoke('quote', { id: 'm1' });
  await run.invoke('pay', { id: 'm2' });
  expect(await run.retract('m2')).toMatchObject({
    is: 'refused',
    why: expect.stringMatching(/^irreversible_effect_policy: pay/),
  });
  expect(await run.revise('m2', { input: 'pay quote' })).toMatchObject({ is: 'done', why: null });
  expect(await run.invoke()).toEqual(['quoted 100', 'paid 100', 'quoted 100']);
  expect([bank.standing, bank.quotes]).toEqual([[100], 2]);
  await run.close();
});

test('a flow that comes to receive() beside a step, or without one that its journal has, fails there (RC10)', async () => {
  const { flow } = await import('../../src/flow/flow.ts');
  const bank = new Bank();
  const store = memoryStore();
  const options = deskOptions(bank, store);
  const beside = flow<string>('desk', async (step, _, receive) => {
    const quote = step('quote@1', { of: '1' }, async () => 100);
    return Promise.all([quote, receive()]);
  });
  const run = await beside.attach(options);
  await expect(run.invoke('quote')).rejects.toMatchObject({
    code: 'run_parked',
    message: expect.stringContaining('receive() was called beside step "quote@1"'),
  });
  await run.close();
  const own = { ...options, run: 'other' };
  const first = await desk(bank).attach(own);
  await first.invoke('quote', { id: 'm1' });
  await first.close();
  const skips = flow<string>('desk', async (_, __, receive) => [await receive(), await receive()]);
  const second = await skips.resume(own);
  await expect(second.invoke('pay', { id: 'm2' })).rejects.toMatchObject({
    code: 'run_parked',
    message: expect.stringContaining('its journal has step "quote@1" before'),
  });
  await second.close();
});
