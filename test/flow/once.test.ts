/** ON2 and ON3 in a flow: a step that asks for an act of an earlier step once more. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';

const text = `
belay: 1
agent: payments
tools:
  pay: { reads: [input], writes: ['steps/*'], effect: irreversible, once: [args.invoice] }
skeletons: {}
`;

async function paid(second: { invoice: string; cents: number }) {
  const { config, findings } = loadConfig(text, { file: 'payments.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  const paidOut: string[] = [];
  const body = flow<null>('payments', async (step) => {
    const pay = (name: string, of: { invoice: string; cents: number }) =>
      step(name, of, async () => `receipt ${paidOut.push(`${of.invoice} ${of.cents}`)}`);
    const first = await pay('pay@one', { invoice: 'i1', cents: 100 });
    const again = await pay('pay@two', second).catch((error: { code?: string }) => error.code);
    return [first, again];
  });
  const run = await body.attach({ run: 'r', config, journal: memoryStore(), input: null });
  return { ending: await run.finished(), paidOut };
}

test('is answered with what the first was answered, where its arguments are equal', async () => {
  const { ending, paidOut } = await paid({ invoice: 'i1', cents: 100 });
  expect(ending).toMatchObject({ status: 'done', output: ['receipt 1', 'receipt 1'] });
  expect(paidOut).toEqual(['i1 100']);
});

test('is another act, where its identity is another', async () => {
  const { ending, paidOut } = await paid({ invoice: 'i2', cents: 100 });
  expect(ending).toMatchObject({ status: 'done', output: ['receipt 1', 'receipt 2'] });
  expect(paidOut).toEqual(['i1 100', 'i2 100']);
});

test('never leaves with other arguments: the run is parked', async () => {
  const { ending, paidOut } = await paid({ invoice: 'i1', cents: 200 });
  expect(ending).toMatchObject({ status: 'parked' });
  expect(paidOut).toEqual(['i1 100']);
});
