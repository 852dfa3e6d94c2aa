/** Flows that receive: turns, and what becomes of them (semantics.md RC1 to RC9). */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { Bank, deskOptions, desk } from './desk.ts';

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
