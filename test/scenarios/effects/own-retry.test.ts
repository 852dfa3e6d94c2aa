/** Machines that call again by themselves, as most do: onError, a wait, and the same state (semantics.md E2, E3). */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../../src/index.ts';
import { resume } from '../../../src/xstate/index.ts';
import { until } from '../../poll.ts';
import { Bank, begin, machineOf, twoEqual } from './refunds.ts';

describe('a machine that calls again after an error', () => {
  test('hears the answer where the bank knows that the call has happened, and no error', async () => {
    const bank = new Bank();
    bank.lost = [0];
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, context()]).toEqual([1, 1, { at: 1, tries: 0, refunded: { 0: 'R1' } }]);
    await sidecar.close();
  });

  test('hears the error where the bank knows that it has not, and calls again under the same key', async () => {
    const bank = new Bank();
    bank.refused = [0, 1];
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, bank.asked, context().tries]).toEqual([1, 3, 2, 2]);
    await sidecar.close();
  });

  test('hears the error where it cannot be known, and its next call waits until a person says what became of the first', async () => {
    const bank = new Bank();
    bank.lost = [0];
    bank.knows = false;
    const { sidecar, context } = await begin(machineOf(bank, [60]), bank);
    expect((await sidecar.finished()).status).toBe('parked');
    expect([bank.calls, context().tries]).toEqual([1, 1]);
    await sidecar.settle(bank.paid[0]?.key as string, 'confirmed', 'R1');
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.length, bank.calls, context().refunded]).toEqual([1, 1, { 0: 'R1' }]);
    await sidecar.close();
  });

  test('with other arguments it waits as well: the first may have been the same refund', async () => {
    const bank = new Bank();
    bank.refused = [0];
    bank.knows = false;
    const { sidecar } = await begin(
      machineOf(bank, [60], false, (cents, tries) => ({ cents, tries })),
      bank,
    );
    expect(await sidecar.finished()).toMatchObject({ status: 'parked' });
    expect(bank.calls).toBe(1);
    const [pending] = sidecar.gates();
    await sidecar.settle(pending?.key as string, 'failed');
    expect((await sidecar.finished()).status).toBe('done');
    expect(bank.paid.map(({ input }) => input)).toEqual([{ cents: 60, tries: 1 }]);
    await sidecar.close();
  });
});

describe('a machine that goes on after an error, with an equal refund for the next item', () => {
  test('is asked about: where it is another act, it is made', async () => {
    const { bank, sidecar, gate, context } = await twoEqual();
    expect(gate).toMatchObject({
      like: bank.paid[0]?.key,
      tool: 'refund',
      reason: expect.stringContaining('another act'),
    });
    await sidecar.answer(gate.gate, 'approved', { by: 'Ada' });
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.paid.map(({ input }) => input), context().refunded]).toEqual([
      [{ cents: 60 }, { cents: 60 }],
      { 1: 'R2' },
    ]);
    await sidecar.close();
  });

  test('where it is the same act, it is answered and not made', async () => {
    const { bank, sidecar, gate, context } = await twoEqual();
    await sidecar.settle(gate.key, 'confirmed');
    expect((await sidecar.finished()).status).toBe('done');
    expect([bank.calls, context().refunded]).toEqual([1, { 1: 'R1' }]);
    await sidecar.close();
  });

  test('the question is put again by the next process, and its answer holds there', async () => {
    const journal = memoryStore();
    const { bank, sidecar } = await twoEqual(journal);
    await sidecar.close();
    const next = await begin(machineOf(bank, [60, 60], true), bank, journal, resume as never);
    await until(() => next.gates.length > 0);
    expect(next.gates[0]).toMatchObject({ like: bank.paid[0]?.key, asks: 'approval' });
    await next.sidecar.answer(next.gates[0]?.gate as string, 'approved', { by: 'Ada' });
    expect((await next.sidecar.finished()).status).toBe('done');
    expect(bank.paid.length).toBe(2);
    await next.sidecar.close();
  });
});
