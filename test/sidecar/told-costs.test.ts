/** What a call has cost whose reply was lost: once it is known what became of it, what that says. */
import { describe, expect, test } from 'vitest';
import type { ReconcileResult } from '../../src/effects/counterparty.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import { until } from '../poll.ts';
import { Line } from './stations.ts';

const SPENDS = 'spends: { cents: { at_most: 20, charge: output.cents } }';
const BUDGET = 'budgets: { cents: 50 }';

/** A call that may take 20 cents and whose reply is lost, and the amount that its run has spent in the end. */
function lost(more = '', answer: (nth: number) => unknown = () => ({ cents: 5 })) {
  const config = `effect: irreversible, ${SPENDS}${more}`;
  return new Line(
    [{ name: 'a', tool: config }],
    {
      a: ({ nth }) => {
        if (nth === 0) throw new Error('connection reset');
        return answer(nth);
      },
    },
    BUDGET,
  );
}

/** The amount that a run has spent, folded from its journal. */
async function spent(run: Awaited<ReturnType<Line['begin']>>, journal: ReturnType<typeof memoryStore>) {
  await run.close();
  return readRun(await journal.read('r')).runState.budgets.spent('cents');
}

describe('a call whose reply was lost', () => {
  const asking = ', reconcile: { ask: bank, tries: 2, wait: 1ms }';
  const told = (is: ReconcileResult) => ({ bank: () => is });

  test('is charged what its counterparty tells', async () => {
    const [line, journal] = [lost(asking), memoryStore()];
    const run = await line.begin({ journal, reconcilers: told({ is: 'applied', output: { cents: 5 } }) });
    run.send('go');
    await run.at('rest');
    expect(await spent(run, journal)).toBe(5);
  });

  test('is charged what it may take at most where the answer does not say what it took', async () => {
    const [line, journal] = [lost(asking), memoryStore()];
    const run = await line.begin({ journal, reconcilers: told({ is: 'applied', output: {} }) });
    run.send('go');
    await run.at('rest');
    expect(await spent(run, journal)).toBe(20);
  });

  test('gives everything back where it has not happened, and is charged once it is made again', async () => {
    const [line, journal] = [lost(asking), memoryStore()];
    const run = await line.begin({ journal, reconcilers: told({ is: 'not_applied' }) });
    run.send('go');
    await run.at('rest');
    expect([line.called('a'), await spent(run, journal)]).toEqual([2, 5]);
  });

  test('is charged what a person tells', async () => {
    const [line, journal] = [lost(), memoryStore()];
    const run = await line.begin({ journal });
    run.send('go');
    expect((await run.finished()).status).toBe('parked');
    await run.sidecar.settle(line.calls[0]?.key as string, 'confirmed', { cents: 7 });
    await run.at('rest');
    expect(await spent(run, journal)).toBe(7);
  });

  test('is charged what it says itself after its deadline', async () => {
    const line = new Line(
      [{ name: 'a', tool: `effect: irreversible, ${SPENDS}, timeout: 20ms` }],
      {
        a: async () => {
          await new Promise((resolve) => setTimeout(resolve, 80));
          return { cents: 9 };
        },
      },
      BUDGET,
    );
    const journal = memoryStore();
    const run = await line.begin({ journal });
    run.send('go');
    const told = async () => [...readRun(await journal.read('r')).runState.ledger.all()][0]?.status;
    await until(async () => (await told()) === 'confirmed');
    expect(await spent(run, journal)).toBe(9);
  });

  test('lets a budget last for as many calls as it pays for', async () => {
    const line = new Line(
      [{ name: 'a', tool: `effect: irreversible, ${SPENDS}${asking}` }],
      {
        a: () => {
          throw new Error('connection reset');
        },
      },
      BUDGET,
    );
    const run = await line.begin({ reconcilers: told({ is: 'applied', output: { cents: 5 } }) });
    run.send('go');
    for (let round = 1; round < 7; round += 1) {
      await until(() => line.called('a') === round && run.value === 'rest');
      run.send('again');
    }
    await until(() => line.called('a') === 7 && run.value === 'rest');
    // Seven of 5 cents are spent, and none of 20.
    expect(line.called('a')).toBe(7);
    await run.close();
  });
});
