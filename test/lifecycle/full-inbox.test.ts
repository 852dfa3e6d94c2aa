/** CH6: at most 1,000 events, and 1 MiB of them, wait for a run: what comes beyond that is refused to its sender, and no event that waited is lost. */
import { expect, test } from 'vitest';
import { assign } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { MOST_BYTES, MOST_WAITING, WaitingRoom } from '../../src/sidecar/run/waiting-room.ts';
import { workClient } from '../../src/workers/client.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { configOf, machineOf, run } from '../semantics/little.ts';

const machine = machineOf(
  {},
  {
    context: { count: 0 },
    initial: 'counting',
    states: {
      counting: {
        on: {
          ADD: {
            actions: assign({ count: ({ context }: { context: { count: number } }) => context.count + 1 } as never),
          },
        },
      },
      elsewhere: { on: { BACK: 'counting' } },
    },
  },
);
const config = configOf(
  { look: 'writes: [looked], effect: none' },
  { LOOK: { states: ['elsewhere'], at: 'elsewhere -> counting', writes: ['looked'] } },
);
const full = { is: 'refused', why: expect.stringMatching(/^inbox_full: /) };

async function paused() {
  const journal = memoryStore();
  const findings: string[] = [];
  const onFinding = ({ code }: { code: string }) => void findings.push(code);
  const it = await run(machine, config, { journal, onFinding });
  await it.at('counting');
  await it.sidecar.pause({ by: 'ann' });
  return { ...it, journal, findings };
}

test('a paused run holds 1,000 events: the next one is refused to program, client and actor, also by the next process', async () => {
  const it = await paused();
  for (let sent = 0; sent < MOST_WAITING; sent += 1) it.send('ADD');
  expect(it.findings).toEqual([]);
  expect(await it.sidecar.send('ADD', { id: 'late' })).toMatchObject(full);
  it.send('ADD');
  expect(it.findings).toEqual(['inbox_full']);
  const client = workClient(it.journal);
  const post = await client.send('r', 'ADD');
  await until(async () => (await client.outcome('r', post))?.is === 'refused');
  expect(await client.outcome('r', post)).toMatchObject(full);
  await it.sidecar.close();
  const later = await client.send('r', 'ADD', { id: 'of the next process' });
  await client.unpause('r', { by: 'ann' });
  const next = await resume(machine, { run: 'r', config, journal: it.journal });
  next.actor.start();
  const count = () => (next.actor.getSnapshot() as { context: { count: number } }).context.count;
  // What comes behind those that wait is taken once there is room.
  await until(() => count() >= MOST_WAITING);
  await until(async () => (await client.outcome('r', later))?.is !== 'left');
  expect(await client.outcome('r', post)).toMatchObject(full);
  const taken = (await client.outcome('r', later))?.is === 'taken' ? 1 : 0;
  expect(count()).toBe(MOST_WAITING + taken);
  await next.close();
});

test('events of 1 MiB together are held, and one byte more is refused', async () => {
  const it = await paused();
  const event = { type: 'ADD', text: 'x'.repeat(60_000) };
  const size = Buffer.byteLength(JSON.stringify(event));
  const most = Math.floor(MOST_BYTES / size);
  const outcomes: string[] = [];
  for (let sent = 0; sent <= most; sent += 1) outcomes.push((await it.sidecar.send(event as never)).is);
  expect(outcomes).toEqual([...Array.from({ length: most }, () => 'held'), 'refused']);
  // A small one still fits.
  expect(await it.sidecar.send('ADD')).toMatchObject({ is: 'held' });
  await it.sidecar.close();
});

test('1,000 events wait for a state that does not come; one that names no state passes', async () => {
  const it = await run(machine, config, { journal: memoryStore() });
  await it.at('counting');
  for (let sent = 0; sent < MOST_WAITING; sent += 1) void it.sidecar.send('ADD', { at: 'elsewhere' }).catch(() => {});
  expect(await it.sidecar.send('ADD', { at: 'elsewhere' })).toMatchObject(full);
  expect(await it.sidecar.send('ADD')).toMatchObject({ is: 'taken' });
  await it.sidecar.close();
});

test('3,000 messages that were left for a run that takes them are all taken', async () => {
  const journal = memoryStore();
  const it = await run(machine, config, { journal });
  await it.at('counting');
  await it.sidecar.close();
  for (let sent = 0; sent < 3 * MOST_WAITING; sent += 1)
    await journal.post('r', JSON.stringify({ event: { type: 'ADD' }, at: null, by: null }));
  const next = await resume(machine, { run: 'r', config, journal });
  next.actor.start();
  await until(() => (next.actor.getSnapshot() as { context: { count: number } }).context.count === 3 * MOST_WAITING);
  await next.close();
});

test('the room counts what waits, and the bytes of one event once', () => {
  const room = new WaitingRoom();
  const half = { type: 'x'.repeat(MOST_BYTES / 2) };
  expect(room.refusalOf(half, [])).toBeNull();
  expect(room.refusalOf({ ...half }, [half])).toMatch(/^inbox_full/);
  expect(room.refusalOf({ type: 'A' }, Array(MOST_WAITING - 1).fill({ type: 'A' }))).toBeNull();
  expect(room.refusalOf({ type: 'A' }, Array(MOST_WAITING).fill({ type: 'A' }))).toMatch(/^inbox_full/);
});
