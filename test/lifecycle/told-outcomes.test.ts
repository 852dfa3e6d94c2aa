/** E2: the outcome of a call is told by its key, from any process, hours later: it is taken once, and a word that comes twice, late or contradicts is refused and journaled. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';

const ANN = { by: 'ann', why: 'asked the bank' };

/** pay, whose reply is lost; then the end. @param knows what the bank says when it is asked. */
function shop(knows: () => object = () => ({ is: 'unknown' })) {
  const world = new World();
  const pay = () => Promise.reject(new Error('connection reset'));
  const machine = machineOf(
    { pay: world.tool('pay', ({ nth }) => (nth === 0 ? pay() : 'receipt 2')) },
    { initial: 'paying', states: { paying: calls('pay', 'paid', 'end'), end: { type: 'final' } } },
  );
  const config = configOf(
    { pay: 'writes: [paid], effect: irreversible, reconcile: { ask: bank, tries: 1 }' },
    { Pay: { states: ['paying'], at: 'paying -> end', writes: ['paid'] } },
  );
  const store = memoryStore();
  const options = { run: 'r', config, journal: store, reconcilers: { bank: knows } } as never;
  return { world, machine, config, store, options, client: workClient(store) };
}

async function parked(it: ReturnType<typeof shop>) {
  const { machine, config, options, world } = it;
  const begun = await run(machine, config, options as object);
  expect(await begun.ending()).toMatchObject({ status: 'parked' });
  return { begun, key: world.keys('pay')[0] as string };
}

test('confirmed with its answer: the run goes on, and a second word is refused', async () => {
  const it = shop();
  const { begun, key } = await parked(it);
  const first = await it.client.settleKey('r', key, { status: 'confirmed', output: 'receipt 1' }, ANN);
  await until(() => begun.value() === 'end');
  expect(await begun.ending()).toMatchObject({ status: 'done' });
  expect([begun.context().paid, it.world.count('pay')]).toEqual(['receipt 1', 1]);
  await until(async () => (await it.client.outcome('r', first))?.is === 'taken');
  expect(await it.client.outcome('r', first)).toMatchObject({ kind: 'outcome', by: 'ann' });
  await expect(it.client.settleKey('r', key, { status: 'failed' }, ANN)).rejects.toThrow(/has ended/);
  await begun.sidecar.close();
});

test('failed: the call is made again under its key, once; what contradicts it is refused, with the reason', async () => {
  const it = shop();
  const { begun, key } = await parked(it);
  await begun.sidecar.pause({ by: 'ann' });
  const first = await it.client.settleKey('r', key, { status: 'failed' }, ANN);
  const twice = await it.client.settleKey('r', key, { status: 'failed' }, ANN);
  const other = await it.client.settleKey('r', key, { status: 'confirmed', output: 'receipt 1' }, ANN);
  await until(async () => (await it.client.outcome('r', other))?.is === 'refused');
  expect(await it.client.outcome('r', first)).toMatchObject({ is: 'taken' });
  expect(await it.client.outcome('r', twice)).toMatchObject({
    is: 'refused',
    why: 'the journal has it already: failed',
  });
  expect(await it.client.outcome('r', other)).toMatchObject({
    why: expect.stringContaining('failed as the journal has it'),
  });
  expect([it.world.count('pay'), begun.sidecar.status]).toEqual([1, 'paused']);
  await begun.sidecar.unpause({ by: 'ann' });
  await until(() => begun.value() === 'end');
  expect(it.world.count('pay')).toBe(2);
  await begun.sidecar.close();
});

test('a word that the counterparty contradicts is refused, and what the counterparty knows counts', async () => {
  let answer: object = { is: 'unknown' };
  const it = shop(() => answer);
  const { begun, key } = await parked(it);
  answer = { is: 'applied', output: 'receipt 1' };
  const word = await it.client.settleKey('r', key, { status: 'failed' }, ANN);
  await until(async () => (await it.client.outcome('r', word))?.is === 'refused');
  expect(await begun.ending()).toMatchObject({ status: 'done' });
  expect([it.world.count('pay'), begun.context().paid]).toEqual([1, 'receipt 1']);
  await begun.sidecar.close();
});

test('told while no process has the run: the next one takes it, and once', async () => {
  const it = shop();
  const { begun, key } = await parked(it);
  await begun.sidecar.close();
  const word = await it.client.settleKey('r', key, { status: 'confirmed', output: 'receipt 1' }, ANN);
  expect(await it.client.outcome('r', word)).toMatchObject({ is: 'left' });
  const next = await resume(it.machine, it.options);
  next.actor.start();
  await until(() => next.status === 'done');
  await until(async () => (await it.client.outcome('r', word))?.is === 'taken');
  expect(it.world.count('pay')).toBe(1);
  await next.close();
});

test('says what is wrong before it leaves anything: no such call, no person, an answer of a call that failed', async () => {
  const it = shop();
  const { begun, key } = await parked(it);
  await expect(it.client.settleKey('r', 'nothing', { status: 'failed' }, ANN)).rejects.toThrow(RangeError);
  await expect(it.client.settleKey('r', key, { status: 'failed' }, { by: ' ' })).rejects.toThrow(TypeError);
  await expect(it.client.settleKey('r', key, { status: 'failed', output: 1 }, ANN)).rejects.toThrow(TypeError);
  await expect(it.client.settleKey('s', key, { status: 'failed' }, ANN)).rejects.toMatchObject({ code: 'run_unknown' });
  expect(await it.client.messages('r')).toEqual([]);
  await begun.sidecar.close();
});
