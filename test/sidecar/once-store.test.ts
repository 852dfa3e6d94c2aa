/** ON6: what becomes of the row of an act that is one over all runs of a store. A restore that undoes frees it, and no end of a process does. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { until } from '../poll.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { Bank, machineOf, type PayClass, type Payment, payers } from './once.ts';

const INVOICE: Payment = { invoice: 'i1', cents: 100 };
const STORE = 'once: { by: [args.invoice], scope: store }';

const optionsOf = (bank: Bank, effect: PayClass) => ({
  config: payers(effect, STORE),
  reconcilers: bank.reconcilers,
  undo: bank.undos,
});

test('a run that takes its act back, and pays something else, leaves the act to another run', async () => {
  const bank = new Bank();
  const journal = memoryStore();
  let wanted: Payment = INVOICE;
  const options = { ...optionsOf(bank, 'compensable'), journal };
  const one = await attach(
    machineOf(bank, () => wanted, ['first']),
    { ...options, run: 'one' },
  );
  one.actor.start();
  one.actor.send({ type: 'go' });
  await until(() => one.actor.getSnapshot().matches('firstOver'));
  const told = async (run: string) => {
    const sidecar = await attach(
      machineOf(bank, () => INVOICE, ['first']),
      { ...options, run },
    );
    sidecar.actor.start();
    sidecar.actor.send({ type: 'go' });
    await until(() => sidecar.actor.getSnapshot().matches('firstOver'));
    const { first } = sidecar.actor.getSnapshot().context;
    await sidecar.close();
    return first;
  };
  expect(await told('two')).toBe('act_repeated');
  wanted = { invoice: 'i2', cents: 100 };
  await one.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'first', entity: 'it' } });
  await until(() => one.actor.getSnapshot().context.first === 2);
  expect(await told('three')).toBe(3);
  expect(await told('four')).toBe('act_repeated');
  expect([bank.standing('i1'), bank.standing('i2')]).toEqual([1, 1]);
  await one.close();
});

/** Drives a run behind its payment. @returns what the payment was answered */
async function paid({ actor, close }: Awaited<ReturnType<typeof attach>>): Promise<unknown> {
  actor.start();
  await until(() => {
    const snapshot = actor.getSnapshot();
    if (snapshot.matches('idle')) actor.send({ type: 'go' });
    return snapshot.matches('firstOver');
  });
  const { first } = actor.getSnapshot().context;
  await close();
  return first;
}

/**
 * The process of a run ends at an append; another run asks for the same act; then the first one is taken up.
 * @returns what both were answered; null where the process has not ended before its payment was over.
 */
async function dying(append: number, when: 'before' | 'after') {
  const bank = new Bank();
  const store = new MortalStore([{ append, when }]);
  const options = optionsOf(bank, 'irreversible');
  const machine = () => machineOf(bank, () => INVOICE, ['first']);
  let died = false;
  store.onDeath = () => {
    died = true;
  };
  const journal = await store.next('one');
  const over = attach(machine(), { ...options, run: 'one', journal }).then(paid);
  if (await Promise.race([over.then(() => !died), until(() => died).then(() => false)])) return null;
  const after = await store.next('one');
  const two = await paid(await attach(machine(), { ...options, run: 'two', journal: after }));
  const one = await paid(await resume(machine(), { ...options, run: 'one', journal: after }));
  return { answers: [one, two], standing: bank.standing('i1') };
}

test('a process that ends at any of its appends keeps its act, or has not begun it: one of two runs pays', async () => {
  const counts = { kills: 0, first: 0, other: 0 };
  for (const when of ['before', 'after'] as const)
    for (let append = 1; ; append += 1) {
      const ran = await dying(append, when);
      if (ran === null) break;
      counts.kills += 1;
      const isFirst = ran.answers[0] === 1;
      counts[isFirst ? 'first' : 'other'] += 1;
      const expected = isFirst ? [1, 'act_repeated'] : ['act_repeated', 1];
      expect([ran.answers, ran.standing], `${when} append ${append}`).toEqual([expected, 1]);
    }
  console.log(`once, kills over a store: ${JSON.stringify(counts)}`);
  expect(Math.min(counts.first, counts.other)).toBeGreaterThan(0);
});
