/** PE1 to PE7, each once: what an approval may change, what replays make of it, and acts that people make by hand. */
import { describe, expect, test } from 'vitest';
import { type JournalStore, ledgersOf, memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/index.ts';
import type { Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { context, value } from '../semantics/dying.ts';
import { entries, rows } from './owing-desk.ts';
import { page, Treasury } from './people-agent.ts';

const ADA = { by: 'ada' };
const RECEIPT = { instance: { skeleton: 'PAY', entity: 'it', ordinal: 0 }, key: 'receipt' } as never;
const is = (sidecar: Sidecar, state: string) =>
  until(
    () => value(sidecar) === state,
    () => `${String(value(sidecar))}, ${sidecar.status}`,
  );
const asked = async (sidecar: Sidecar) => {
  await until(
    () => sidecar.gates().length === 1,
    () => sidecar.status,
  );
  return sidecar.requests()[0] as ReturnType<Sidecar['requests']>[number];
};
const parked = (sidecar: Sidecar, as = 'parked') =>
  until(
    () => sidecar.status === as,
    () => sidecar.status,
  );
const refusals = async (store: JournalStore) =>
  (await entries(store)).flatMap((entry) => (entry.do === 'answer' && entry.verdict === 'refused' ? [entry.code] : []));

describe('an approval that changes arguments', () => {
  test('PE2: the changed arguments are sent, once, and the machine goes on with the answer', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { gate, args } = await asked(run);
    expect(args).toEqual({ cents: 500, to: 'ada', for: { what: 'tea' } });
    expect(await run.answer(gate, 'approved', { ...ADA, with: { cents: 300 } })).toBe(null);
    await is(run, 'rest');
    expect(bank.bodies.map(([, body]) => body)).toEqual([{ cents: 300, to: 'ada', for: { what: 'tea' } }]);
    expect(context(run)).toMatchObject({ receipt: 'paid 300' });
    await run.close();
  });

  test.each([
    [{ to: 'eve' }, 'edit_not_allowed'],
    [{ cents: 300, to: 'eve' }, 'edit_not_allowed'],
    [{}, 'edit_not_allowed'],
    [300, 'edit_not_allowed'],
    [JSON.parse('{"__proto__":{"cents":1}}'), 'edit_not_allowed'],
    [{ cents: 2000 }, 'bad_arguments'],
    [{ cents: 'all' }, 'bad_arguments'],
    [{ cents: () => 1 }, 'bad_arguments'],
  ])('PE1: %j is refused, and the request waits on', async (change, code) => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { gate } = await asked(run);
    expect(await run.answer(gate, 'approved', { ...ADA, with: change })).toMatch(code);
    expect(run.gates()).toHaveLength(1);
    expect(await refusals(store)).toEqual([code]);
    expect(bank.bodies).toEqual([]);
    await run.close();
  });

  test('PE1, PE4: a condition that the changed arguments do not meet, and a denial that changes', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const config = page({ more: ", when: 'args.cents >= 400'" });
    const run = await bank.begun(store, { config });
    const { gate } = await asked(run);
    expect(await run.answer(gate, 'approved', { ...ADA, with: { cents: 300 } })).toMatch('condition_unmet');
    expect(await run.answer(gate, 'denied', { ...ADA, with: { cents: 450 } })).toMatch('only an approval');
    const twice = [450, 460].map((cents) => run.answer(gate, 'approved', { ...ADA, with: { cents } }));
    expect(await Promise.all(twice)).toEqual([null, expect.stringMatching('is void: approved')]);
    await is(run, 'rest');
    expect(await refusals(store)).toEqual(['condition_unmet', 'edit_not_allowed', 'already_answered']);
    expect(bank.bodies).toHaveLength(1);
    await run.close();
  });

  test('PE2: the next process is answered from the journal, and the undo gets what was sent', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    let run = await bank.begun(store);
    await run.answer((await asked(run)).gate, 'approved', { ...ADA, with: { cents: 300 } });
    await is(run, 'rest');
    await run.close();
    run = await bank.resumed(store);
    await is(run, 'rest');
    expect(bank.bodies).toHaveLength(1);
    void run.fail('CONTRACT_VIOLATION', RECEIPT);
    const again = await asked(run);
    expect(again.args).toMatchObject({ cents: 500 });
    expect(bank.undone).toHaveLength(1);
    await run.answer(again.gate, 'approved', ADA);
    await is(run, 'rest');
    expect([...bank.paid.values()]).toMatchObject([{ cents: 300 }, { cents: 500 }]);
    await run.close();
  });

  test('PE2: a changed call that has not happened is another decision: it is proposed as the machine has it, under another key', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    bank.fates = ['refuses'];
    const run = await bank.begun(store);
    await run.answer((await asked(run)).gate, 'approved', { ...ADA, with: { cents: 300 } });
    const again = await asked(run);
    expect(again.args).toMatchObject({ cents: 500 });
    await run.answer(again.gate, 'approved', ADA);
    await is(run, 'rest');
    expect(new Set(bank.bodies.map(([key]) => key)).size).toBe(2);
    expect(bank.bodies.map(([, body]) => body)).toMatchObject([{ cents: 300 }, { cents: 500 }]);
    await run.close();
  });

  test('PE2: a lost reply is asked about with what was sent', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    bank.fates = ['lost'];
    const run = await bank.begun(store);
    await run.answer((await asked(run)).gate, 'approved', { ...ADA, with: { cents: 300 } });
    await is(run, 'rest');
    expect(context(run)).toMatchObject({ receipt: 'paid 300' });
    expect(bank.bodies).toHaveLength(1);
    await run.close();
  });

  test('PE1: a change that the config of the next process does not take is asked about anew', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { gate } = await asked(run);
    await run.close();
    await workClient(store).approve('r', gate, { ...ADA, with: { cents: 300 } });
    const next = await bank.resumed(store, { config: page({ edits: '[args.to]' }) });
    await until(async () => (await refusals(store)).length === 1);
    expect(await refusals(store)).toEqual(['edit_not_allowed']);
    expect(next.gates().map((each) => each.gate)).toEqual([gate]);
    await next.close();
  });
});

describe('an act that a person makes by hand', () => {
  test('PE5: instead of a call that waits for its approval', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { gate, key } = await asked(run);
    await expect(run.supply(key, 7, ADA)).rejects.toMatchObject({ code: 'bad_settlement' });
    await run.supply(key, 'cheque 9', { ...ADA, why: 'the bank is closed' });
    await is(run, 'rest');
    expect(context(run)).toMatchObject({ receipt: 'cheque 9' });
    expect([bank.bodies, bank.notes, run.gates()]).toEqual([[], ['cheque 9'], []]);
    expect(await run.answer(gate, 'approved', ADA)).toMatch('is void: settled');
    await expect(run.supply(key, 'twice', ADA)).rejects.toMatchObject({ code: 'not_suppliable' });
    await run.close();
  });

  test('PE6: a person undoes it: a restore that takes it back is stuck until then', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { key } = await asked(run);
    await run.supply(key, 'cheque 9', ADA);
    await is(run, 'rest');
    void run.fail('CONTRACT_VIOLATION', RECEIPT);
    await parked(run, 'stuck');
    expect(bank.undone).toEqual([]);
    await run.settle(key, 'compensated', undefined, ADA);
    const again = await asked(run);
    expect(again.key).not.toBe(key);
    await run.answer(again.gate, 'approved', ADA);
    await is(run, 'rest');
    expect(bank.bodies.map(([, body]) => body)).toMatchObject([{ cents: 500 }]);
    await run.close();
  });

  test.each(['reversible, undo: payback', 'compensable, undo: payback', 'irreversible'])(
    'PE5: instead of a call of unknown outcome: %s',
    async (effect) => {
      const [bank, store] = [new Treasury(), memoryStore()];
      bank.fates = ['unpaid'];
      const config = page({ effect: `${effect}` });
      const options = { ...bank.options(config, 'unknown') };
      const run = await bank.begun(store, options);
      await run.answer((await asked(run)).gate, 'approved', ADA);
      await parked(run);
      const [[key]] = bank.bodies as [[string, unknown]];
      await run.supply(key, 'cheque 9', ADA);
      await is(run, 'rest');
      expect(context(run)).toMatchObject({ receipt: 'cheque 9' });
      expect(bank.bodies).toHaveLength(1);
      const { effects } = ledgersOf(await rows(store), Date.now());
      expect(effects.find((each) => each.key === key)).toMatchObject({ byHand: 'ada' });
      await run.close();
    },
  );

  test('PE5: instead of a call that failed, and that the run is parked on', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    bank.fates = Array.from({ length: 9 }, () => 'refuses' as const);
    const run = await bank.begun(store, { config: page({ more: '' }) });
    while (run.status !== 'parked') {
      await until(() => run.gates().length > 0 || run.status === 'parked');
      const [one] = run.gates();
      if (one !== undefined) await run.answer(one.gate, 'approved', ADA);
    }
    const key = bank.bodies.at(-1)?.[0] as string;
    await run.supply(key, 'cheque 9', ADA);
    await is(run, 'rest');
    expect(context(run)).toMatchObject({ receipt: 'cheque 9' });
    await run.close();
  });

  test('PE7: a reply that comes in spite of that changes nothing, and a finding names the call', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    bank.slow = true;
    const config = page({ more: ', timeout: 20' });
    const run = await bank.begun(store, { ...bank.options(config, 'unknown') });
    await run.answer((await asked(run)).gate, 'approved', ADA);
    await parked(run);
    const [[key]] = bank.bodies as [[string, unknown]];
    await run.supply(key, 'cheque 9', ADA);
    bank.comes();
    const twice = async () =>
      (await entries(store)).some(
        (entry) => entry.do === 'finding' && entry.code === 'made_twice' && entry.effect === key,
      );
    await until(twice);
    await is(run, 'rest');
    expect(context(run)).toMatchObject({ receipt: 'cheque 9' });
    await run.close();
  });

  test.each([
    [
      'a call that is under way',
      async (run: Sidecar, bank: Treasury) => {
        bank.slow = true;
        await run.answer((await asked(run)).gate, 'approved', ADA);
        await until(() => bank.bodies.length === 1);
        return bank.bodies[0]?.[0] as string;
      },
    ],
    [
      'a call that was answered',
      async (run: Sidecar, bank: Treasury) => {
        await run.answer((await asked(run)).gate, 'approved', ADA);
        await is(run, 'rest');
        return bank.bodies[0]?.[0] as string;
      },
    ],
  ])('PE5: not instead of %s', async (_, made) => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const key = await made(run, bank);
    await expect(run.supply(key, 'cheque 9', ADA)).rejects.toMatchObject({ code: 'not_suppliable' });
    await expect(run.supply('no key', 'cheque 9', ADA)).rejects.toMatchObject({ code: 'bad_settlement' });
    bank.comes();
    await is(run, 'rest');
    expect(context(run)).toMatchObject({ receipt: 'paid 500' });
    await run.close();
  });

  test('PE5: an approval that was given before does not let the call leave', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    let free = () => {};
    const checks = {
      fresh: () =>
        new Promise<null>((resolve) => {
          free = () => resolve(null);
        }),
    };
    const run = await bank.begun(store, { config: page({ more: ', check: fresh' }), checks });
    await until(() => bank.looks === 1);
    await until(() => free.toString() !== '() => { }');
    free();
    const { gate, key } = await asked(run);
    await run.answer(gate, 'approved', ADA);
    await run.supply(key, 'cheque 9', ADA);
    for (let nth = 0; nth < 50 && value(run) !== 'rest'; nth += 1) {
      free();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await is(run, 'rest');
    expect([bank.bodies, context(run)]).toMatchObject([[], { receipt: 'cheque 9' }]);
    await run.close();
  });

  test('PE5: a message for a run that no process has is taken by the next one', async () => {
    const [bank, store] = [new Treasury(), memoryStore()];
    const run = await bank.begun(store);
    const { key } = await asked(run);
    await run.close();
    await workClient(store).supply('r', key, 'cheque 9', ADA);
    await workClient(store).supply('r', key, 'cheque 10', ADA);
    const next = await bank.resumed(store);
    await is(next, 'rest');
    expect([bank.bodies, context(next)]).toMatchObject([[], { receipt: 'cheque 9' }]);
    const words = async () =>
      (await entries(store)).flatMap((entry) => (entry.do === 'settled' ? [entry.refused] : []));
    await until(async () => (await words()).length === 2);
    expect(await words()).toMatchObject([null, expect.stringMatching('cannot be made by hand')]);
    await next.close();
  });
});
