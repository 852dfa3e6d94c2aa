/** CH2, CH5, CH7: an event has the name that its sender gives it: twice is once, what its sender was shown has to be so still, and its outcome is told. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from '../semantics/little.ts';

const COUNTED = ({ context }: { context: { count?: number } }) => (context.count ?? 0) + 1;

/** Counts the events of a type. */
const assignCount = assign({ count: COUNTED } as never);

/** look; wait COUNT as often as it comes, and GO; pay what was seen. The undo of the look takes as long as it is told to. */
function shop(reads = '[price]') {
  const world = new World();
  const undoing = held();
  const machine = machineOf(
    { look: world.tool('look', ({ nth }) => 500 + 400 * nth), pay: world.tool('pay') },
    {
      initial: 'looking',
      states: {
        looking: calls('look', 'price', 'waiting'),
        waiting: { on: { COUNT: { actions: assignCount }, GO: 'paying' } },
        paying: calls('pay', 'paid', 'end', ['price']),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [price], effect: reversible, undo: un', pay: 'reads: [price], writes: [paid], effect: none' },
    { Look: { states: ['looking'], at: 'looking -> waiting', writes: ['price'] } },
    `events: { GO: { reads: ${reads} }, COUNT: { reads: [] } }`,
  );
  const undo = { un: async () => void (await undoing.promise) };
  return { world, machine, config, undo, undoing };
}

describe('CH2: an event that is sent twice under one id', () => {
  test('is taken once, and tells the same outcome again', async () => {
    const { machine, config, undo } = shop();
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    const first = await it.sidecar.send('COUNT', { id: 'k1' });
    expect(first).toEqual({ id: 'k1', is: 'taken', why: null });
    expect(await it.sidecar.send({ type: 'COUNT' }, { id: 'k1' })).toEqual(first);
    expect(it.context()).toMatchObject({ count: 1 });
    await expect(it.sidecar.send('GO', { id: 'k1' })).rejects.toMatchObject({ code: 'message_differs' });
    expect(it.value()).toBe('waiting');
    await it.sidecar.close();
  });

  test('is one message for a client, also after a lost acknowledgement and in the next process', async () => {
    const { machine, config, undo } = shop();
    const store = memoryStore();
    const client = workClient(store);
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    const number = await client.send('r', 'COUNT', { id: 'k1', by: 'till' });
    expect(await client.send('r', 'COUNT', { id: 'k1', by: 'till' })).toBe(number);
    await expect(client.send('r', { type: 'COUNT', n: 2 }, { id: 'k1' })).rejects.toMatchObject({
      code: 'message_differs',
    });
    await until(() => it.context().count === 1);
    await it.sidecar.close();
    const next = await resume(machine, { run: 'r', config, undo, journal: store } as never);
    next.actor.start();
    expect(await next.send('COUNT' as never, { id: 'k1' })).toMatchObject({ is: 'taken' });
    await calm();
    expect((next.actor.getSnapshot() as { context: object }).context).toMatchObject({ count: 1 });
    await next.close();
  });

  test('is taken once where two senders are as fast as each other: the second message is refused', async () => {
    const { machine, config, undo } = shop();
    const store = memoryStore();
    const client = workClient(store);
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    const body = (n?: number) =>
      JSON.stringify({ event: { type: 'COUNT', ...(n && { n }) }, at: null, by: null, id: 'k1' });
    const [one, other, different] = [body(), body(), body(2)].map((text) => store.post('r', text));
    await until(async () => (await client.outcome('r', different as number))?.is === 'refused');
    expect(it.context()).toMatchObject({ count: 1 });
    expect(await client.outcome('r', one as number)).toMatchObject({ is: 'taken', id: 'k1' });
    expect(await client.outcome('r', other as number)).toMatchObject({ why: 'it was sent before, as k1' });
    expect(await client.outcome('r', different as number)).toMatchObject({
      why: expect.stringMatching(/^message_differs/),
    });
    await it.sidecar.close();
  });
});

describe('CH5: an event whose sender says what it was shown', () => {
  test('is refused where that is another value by now', async () => {
    const { world, machine, config, undo } = shop();
    const it = await run(machine, config, { undo });
    await it.at('waiting');
    const told = await it.sidecar.send('GO', { id: 'g1', seen: { price: 400 } });
    expect(told).toEqual({ id: 'g1', is: 'refused', why: 'moved: price is not what its sender was shown' });
    expect([it.value(), world.count('pay')]).toEqual(['waiting', 0]);
    expect(await it.sidecar.send('GO', { seen: { price: 500 } })).toMatchObject({ is: 'taken' });
    await it.sidecar.close();
  });

  test.each(['[price]', '[]'])(
    'and that came while it was put back, is refused and never carried over (reads %s)',
    async (reads) => {
      const { world, machine, config, undo, undoing } = shop(reads);
      const it = await run(machine, config, { undo });
      await it.at('waiting');
      const failed = it.wrong('Look', 'price');
      await until(() => it.reports.length === 1);
      expect(await it.sidecar.send('GO', { id: 'g1', seen: { price: 500 } })).toMatchObject({ is: 'held' });
      undoing.resolve(null);
      await failed;
      await until(() => world.count('look') === 2 && it.value() === 'waiting');
      await calm();
      expect([it.value(), world.count('pay')]).toEqual(['waiting', 0]);
      expect(await it.sidecar.send('GO', { id: 'g1', seen: { price: 500 } })).toMatchObject({
        is: 'refused',
        why: expect.stringContaining('moved: price'),
      });
      await it.sidecar.close();
    },
  );
});

describe('CH7: the outcome of an event', () => {
  test('is told by any process: held, taken, taken back and taken again, never taken', async () => {
    const { machine, config, undo, undoing, world } = shop('[]');
    const store = memoryStore();
    const client = workClient(store);
    const it = await run(machine, config, { undo, journal: store });
    await it.at('waiting');
    await client.send('r', 'COUNT', { id: 'k1' });
    await until(async () => (await client.outcome('r', 'k1'))?.is === 'taken');
    const failed = it.wrong('Look', 'price');
    await until(() => it.reports.length === 1);
    await client.send('r', 'COUNT', { id: 'k2' });
    await client.send('r', 'STOP', { id: 'k3' });
    await until(async () => (await client.outcome('r', 'k3'))?.is === 'held');
    expect(await client.outcome('r', 'k2')).toMatchObject({ is: 'held', kind: 'event', says: 'COUNT' });
    undoing.resolve(null);
    await failed;
    await until(() => world.count('look') === 2);
    await until(async () => (await client.outcome('r', 'k2'))?.is === 'taken');
    expect(it.context()).toMatchObject({ count: 2 });
    expect(await client.outcome('r', 'k1')).toMatchObject({ is: 'taken' });
    expect(await client.outcome('r', 'nothing')).toBeNull();
    await it.sidecar.pause({ by: 'ann' });
    await client.send('r', 'COUNT', { id: 'k4' });
    await until(async () => (await client.outcome('r', 'k4'))?.is === 'held');
    await it.sidecar.close();
    expect(await client.outcome('r', 'k4')).toMatchObject({ is: 'held' });
    await client.cancel('r', { by: 'ann' });
    expect((await client.messages('r')).map(({ kind, is }) => `${kind} ${is}`).at(-1)).toBe('cancel left');
    await expect(client.messages('s')).rejects.toMatchObject({ code: 'run_unknown' });
  });
});
