/**
 * The word of a client that a step which threw is to be tried again (TH2, TH5): heard by the process that has the run, or by the next one; and
 * workers of another version, which need no word.
 */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assign } from 'xstate';
import { retryIn, retryMessage } from '../../src/effects/messages/retries.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Agent } from '../../src/xstate/agent.ts';
import { until } from '../poll.ts';
import { sharedFolder } from '../scratch.ts';
import { Parked } from './parked.ts';
import { small, stopped, wait, working } from './small.ts';

const folder = sharedFolder('retry');
const stores: JournalStore[] = [];
afterAll(async () => {
  for (const store of stores) await store.close();
});

/** A run in a store that is closed behind the tests. */
function parkedIn(store: JournalStore): Parked {
  stores.push(store);
  return new Parked(store);
}

let files = 0;
const MADE: [string, () => JournalStore][] = [
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(join(folder, `${++files}.sqlite`))],
];

test.each(MADE)('is heard by the process that has the run, and the run goes on (%s)', async (_, make) => {
  const it = parkedIn(make());
  const run = await it.opened();
  expect((await run.finished()).status).toBe('parked');
  await it.client.retry('r', { by: 'ann' });
  await until(async () => (await it.retried()).length === 1);
  expect((await run.finished()).status).toBe('parked');
  it.bug = false;
  expect(await it.client.retry('r', { by: 'ann', why: 'put right' })).toBe(2);
  await until(() => run.status !== 'parked');
  expect(await run.finished()).toMatchObject({ status: 'done' });
  expect(await it.retried()).toMatchObject([
    { post: 1, by: 'ann', why: null, refused: null },
    { post: 2, by: 'ann', why: 'put right', refused: null },
  ]);
  expect(await it.client.outcome('r', 2)).toMatchObject({ kind: 'retry', says: 'retry', by: 'ann', is: 'taken' });
  expect(it.paid).toBe(1);
  await run.close();
});

test.each(MADE)(
  'is heard by the process that takes the run next, also under the same version (%s)',
  async (_, make) => {
    const it = parkedIn(make());
    const first = await it.opened();
    await first.finished();
    await first.close();
    it.bug = false;
    await it.client.retry('r');
    const second = await it.opened();
    expect(await second.finished()).toMatchObject({ status: 'done' });
    expect(await it.retried()).toMatchObject([{ post: 1, by: null, why: null, refused: null }]);
    expect(it.paid).toBe(1);
    await second.close();
  },
);

test('is one word where the next process is of another version, too', async () => {
  const it = parkedIn(memoryStore());
  const first = await it.opened();
  await first.finished();
  await first.close();
  await it.client.retry('r', { by: 'ann' });
  const second = await it.opened('2');
  expect((await second.finished()).status).toBe('parked');
  expect(await it.retried()).toMatchObject([{ post: 1, by: 'ann', refused: null }]);
  await second.close();
});

test('is refused where no such run is, nothing threw, something is found wrong, or the run has ended', async () => {
  const it = parkedIn(memoryStore());
  await expect(it.client.retry('r')).rejects.toMatchObject({ code: 'run_unknown' });
  const run = await it.opened();
  await run.finished();
  await run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'Pay', entity: 'it' } });
  await expect(it.client.retry('r')).rejects.toThrow('what the step rests on is in question');
  await run.close();
  const other = parkedIn(memoryStore());
  other.bug = false;
  const ended = await other.opened();
  await ended.finished();
  await expect(other.client.retry('r')).rejects.toThrow('the run has ended: it is done');
  await ended.close();
});

test('said twice, the second finds no step that threw, and is refused in the journal', async () => {
  const it = parkedIn(memoryStore());
  const first = await it.opened();
  await first.finished();
  await first.close();
  it.bug = false;
  await it.client.retry('r', { by: 'ann' });
  await it.client.retry('r', { by: 'bob' });
  const second = await it.opened();
  await until(async () => (await it.retried()).length === 2);
  expect(await it.retried()).toMatchObject([
    { post: 1, refused: null },
    { post: 2, questions: [], refused: expect.stringMatching(/no step that threw|has ended/) },
  ]);
  expect(await second.finished()).toMatchObject({ status: 'done' });
  expect(it.paid).toBe(1);
  await second.close();
});

test('a complaint that comes with it comes first, and it is refused in the journal', async () => {
  const it = parkedIn(memoryStore());
  const first = await it.opened();
  await first.finished();
  await first.close();
  it.bug = false;
  const instance = { skeleton: 'Pay', entity: 'it' };
  await it.client.retry('r', { by: 'ann' });
  await it.client.fail('r', { signal: 'CONTRACT_VIOLATION', instance, by: 'bob' });
  const second = await it.opened();
  await until(async () => (await it.retried()).length === 1);
  expect(await it.retried()).toMatchObject([{ post: 1, refused: expect.stringContaining('in question') }]);
  expect((await second.finished()).status).toBe('parked');
  expect(it.paid).toBe(1);
  await second.close();
});

test('waits while the run is paused, and is heard once it goes on', async () => {
  const it = parkedIn(memoryStore());
  const run = await it.opened();
  await run.finished();
  await run.pause({ by: 'ann' });
  it.bug = false;
  await it.client.retry('r', { by: 'ann' });
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await it.retried()).toEqual([]);
  await run.unpause({ by: 'ann' });
  await until(async () => (await it.retried()).length === 1);
  expect(await it.retried()).toMatchObject([{ post: 1, refused: null }]);
  expect(await run.finished()).toMatchObject({ status: 'done' });
  await run.close();
});

test('its message is read as it was written, and a blank name is none', () => {
  const sent = { by: 'ann', why: 'put right' };
  expect(retryIn(retryMessage(sent))).toEqual(sent);
  expect(retryIn(retryMessage({ by: null, why: null }))).toEqual({ by: null, why: null });
  expect(() => retryMessage({ by: ' ', why: null })).toThrow(TypeError);
  for (const wrong of ['{"retry":false,"by":null,"why":null}', '{"retry":true}', '{"retry":true,"by":1,"why":null}'])
    expect(retryIn(wrong)).toBeNull();
});

/** A worker's agent whose step throws behind a payment, under every version but those that are right; it tells the versions that took the receipt. */
function versioned(right: readonly string[], taken: string[], paid: string[]): (version: string) => Agent {
  return (version) =>
    small({
      name: 'receipt',
      config: `tools: { pay: { writes: [id], effect: irreversible } }
skeletons: { Pay: { entity: '"it"', states: [paying], entry: [paying], outputs: [id], exit: [{ id: over, at: paying -> told, when: 'true' }], rollback: { anchors: [over], resume: paying } } }
`,
      initial: 'paying',
      states: {
        paying: {
          on: { GO: {} },
          invoke: {
            src: 'pay',
            onDone: {
              target: 'told',
              actions: assign(({ event }: { event: { output?: unknown } }) => {
                taken.push(version);
                if (!right.includes(version)) throw new TypeError('no receipt');
                return { id: event.output };
              }) as never,
            },
          },
        },
        told: { type: 'final' },
      },
      acts: { pay: async ({ key }) => void paid.push(String(key)) },
    });
}

test.each(MADE)(
  'a worker of another version takes a parked run by itself, and of no version twice (%s)',
  async (_, make) => {
    const store = make();
    const [taken, paid]: [string[], string[]] = [[], []];
    const agent = versioned(['3'], taken, paid);
    const one = working(store, [agent('1')], { version: '1' });
    await one.client.start({ run: 'a', agent: 'receipt' });
    await until(() => one.told.includes('a parked'));
    const two = working(store, [agent('2')], { version: '2' });
    await until(() => two.told.includes('a parked'));
    await wait(300);
    // Each version has thrown once: neither takes the run again, though both are there.
    expect([taken, one.told, two.told]).toEqual([['1', '2'], ['a parked'], ['a parked']]);
    expect((await store.work.order('a'))?.threw).toEqual(['1', '2']);
    // A message wakes a worker of either version, and the step is not tried again for it.
    await one.client.send('a', 'GO');
    await until(() => one.told.length + two.told.length === 3);
    await wait(100);
    expect(taken).toEqual(['1', '2']);
    const three = working(store, [agent('3')], { version: '3' });
    await until(() => three.told.includes('a done'));
    expect([taken, paid.length]).toEqual([['1', '2', '3'], 1]);
    await stopped();
  },
);

test('a worker without a version takes no such run by itself', async () => {
  const store = memoryStore();
  const [taken, paid]: [string[], string[]] = [[], []];
  const agent = versioned([], taken, paid);
  const one = working(store, [agent('none')]);
  await one.client.start({ run: 'a', agent: 'receipt' });
  await until(() => one.told.includes('a parked'));
  const other = working(store, [agent('none')]);
  await wait(300);
  expect([taken, other.told]).toEqual([['none'], []]);
  expect((await store.work.order('a'))?.threw).toEqual([]);
  const named = working(store, [agent('1')], { version: '1' });
  await until(() => named.told.includes('a parked'));
  expect(taken).toEqual(['none', '1']);
  await stopped();
});
