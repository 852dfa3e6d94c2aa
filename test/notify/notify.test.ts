/** Tells people that runs need them: each cause once, over receivers that fail and senders that die. */
import Database from 'better-sqlite3';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { NoticeBoard } from '../../src/journal/notices.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { lookingFor, type Notice, type NotifyTold } from '../../src/workers/notifying.ts';
import { webhook } from '../../src/workers/webhook.ts';
import { HANG } from '../poll.ts';
import { scratchFolder } from '../scratch.ts';
import { agentOf } from '../workers/shop.ts';
import { stopped, wait, working } from '../workers/small.ts';
import { asking, goesOn, Receiver } from './asking.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const folder = scratchFolder('notify');
const digests = { machine: 'm', config: 'c' };
const receivers: Receiver[] = [];
afterEach(() => {
  for (const each of receivers.splice(0)) each.close();
});
const receiver = async (...of: Parameters<typeof Receiver.listening>) => {
  const made = await Receiver.listening(...of);
  receivers.push(made);
  return made;
};
const until = async (is: () => boolean | Promise<boolean>) => {
  for (const end = Date.now() + HANG; !(await is()); ) {
    if (Date.now() > end) throw new Error('it did not come to that');
    await wait(20);
  }
};
/** A clock that a test moves. */
const moved = () => {
  const clock = { time: Date.parse('2026-01-01T00:00:00Z'), now: () => clock.time };
  return clock;
};
const gates = async (store: JournalStore, run: string) => workClient(store).requests({ run });

test('one look sends a message once, however long its receiver takes to fail', async () => {
  const clock = moved();
  const store = memoryStore({ now: clock.now });
  const sent: string[] = [];
  const notify = async ({ data: { run } }: Notice) => {
    sent.push(run);
    clock.time += 5_000;
    if (run === 'order-1' && sent.length < 3) throw new Error('the receiver is slow');
  };
  const looking = lookingFor({ store, notify });
  for (const run of ['order-1', 'order-2']) await asking(store, run);
  expect([await looking.once(), sent.toSorted()]).toEqual([1, ['order-1', 'order-2']]);
  expect([await looking.once(), sent.length]).toEqual([0, 3]);
});

test('a run that asks is told of once, signed, with its call and no secret; its answer is told, too', async () => {
  const store = memoryStore();
  const hook = await receiver([]);
  const looking = lookingFor({ store, notify: webhook({ url: hook.url, secret: SECRET }) });
  await asking(store, 'order-1');
  expect(await looking.once()).toBe(0);
  await looking.once();
  expect(hook.all.length).toBe(1);
  const [{ headers, body, notice }] = hook.all as [(typeof hook.all)[0]];
  // The reference implementation of Standard Webhooks takes the signature.
  expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(notice);
  expect(() => new Webhook(SECRET).verify(`${body} `, headers as Record<string, string>)).toThrow();
  const [gate] = await gates(store, 'order-1');
  expect(notice).toMatchObject({ type: 'belay.needed', data: { run: 'order-1', agent: 'shop', code: 'approval' } });
  expect(notice.data).toMatchObject({ gate: gate?.gate, act: 'approve', error: null, commands: [] });
  expect(notice.data.call).toMatchObject({ tool: 'pay', key: gate?.key, class: 'irreversible' });
  expect([notice.data.call?.args.includes('4900'), body.includes('4111')]).toEqual([true, false]);
  const { since, expires } = notice.data;
  expect(Math.round((Date.parse(expires as string) - Date.parse(since as string)) / 60_000)).toBe(120);
  expect(notice.text).toBe('order-1 needs a person: pay waits for an approval');
  await workClient(store).approve('order-1', gate?.gate as string, { by: 'ada' });
  await goesOn(store, 'order-1');
  await looking.once();
  expect(hook.all.map((each) => each.notice.type)).toEqual(['belay.needed', 'belay.resolved']);
  expect(hook.all[1]?.notice.data.cause).toBe(notice.data.cause);
  await looking.once();
  expect(hook.all.length).toBe(2);
});

test('a receiver that fails, drops and answers late is told until it takes the message, under one id', async () => {
  const clock = moved();
  const store = memoryStore({ now: clock.now });
  const hook = await receiver([500, 'drop', 'late', 429, 302], { 'retry-after': '3600' });
  const told: NotifyTold[] = [];
  const notify = webhook({ url: hook.url, secret: SECRET, patience: 3_000 });
  const looking = lookingFor({ store, notify, onTold: (each) => told.push(each) });
  await asking(store, 'order-1');
  for (let tries = 0; tries < 5; tries += 1) {
    expect(await looking.once()).toBe(1);
    // Nothing is sent before its time.
    expect([await looking.once(), hook.all.length]).toEqual([1, tries + 1]);
    clock.time += 60 * 60_000;
  }
  expect([await looking.once(), hook.all.length, hook.ids.length]).toEqual([0, 6, 1]);
  expect(told.map((each) => (each.is === 'put_off' ? `${each.why} ${each.again}` : each.is))).toEqual([
    'the receiver answered 500 3600000',
    expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET|other side closed|socket hang up) 2000$/),
    'no answer within 3000 ms 4000',
    'the receiver answered 429 3600000',
    'the receiver answered 302 3600000',
    'sent',
  ]);
});

test('what is over before it was told is told to no one; what may have been told is told as over', async () => {
  const clock = moved();
  const store = memoryStore({ now: clock.now });
  const hook = await receiver([500]);
  const looking = lookingFor({ store, notify: webhook({ url: hook.url, secret: null }) });
  for (const run of ['untold', 'tried']) await asking(store, run);
  const [first] = await gates(store, 'untold');
  await workClient(store).deny('untold', first?.gate as string, { by: 'ada' });
  await goesOn(store, 'untold').catch(() => {});
  const again = lookingFor({ store, notify: webhook({ url: hook.url, secret: null }), channel: 'other' });
  await looking.once();
  await again.once();
  const denied = hook.all.filter(({ notice }) => notice.data.run === 'untold' && notice.data.code === 'approval');
  expect(denied).toEqual([]);
  expect(hook.all[0]?.headers['webhook-signature']).toBeUndefined();
});

test('a run that was deleted needs no one', async () => {
  const store = memoryStore();
  const hook = await receiver([]);
  const looking = lookingFor({ store, notify: webhook({ url: hook.url, secret: null }) });
  await asking(store, 'order-1');
  await looking.once();
  const { head, posts = 0 } = (await store.run('order-1')) as { head: number; posts?: number };
  expect(await store.delete('order-1', { head, posts })).toBe(true);
  await looking.once();
  expect(hook.all.map(({ notice }) => notice.type)).toEqual(['belay.needed', 'belay.resolved']);
});

test('a pause is told, and what the run waited for before is told again behind it, as another round', async () => {
  const store = memoryStore();
  const hook = await receiver([]);
  const looking = lookingFor({ store, notify: webhook({ url: hook.url, secret: null }) });
  await asking(store, 'order-1');
  await looking.once();
  await workClient(store).pause('order-1', { by: 'ada' });
  await goesOn(store, 'order-1').catch(() => {});
  await looking.once();
  await workClient(store).unpause('order-1', { by: 'ada' });
  await goesOn(store, 'order-1');
  await looking.once();
  const told = hook.all.map(({ notice: { type, data } }) => `${type.slice(6)} ${data.code}`).sort();
  expect(told.filter((each) => each.endsWith('paused'))).toEqual(['needed paused', 'resolved paused']);
  expect(hook.ids.length).toBe(hook.all.length);
  expect(told.at(-1)).toBe('resolved paused');
  const open = (await store.notices?.list(null))?.filter(({ over }) => over === null);
  expect(open?.length).toBe(1);
});

/** A board whose process dies at its nth act: before the act is done, or behind it. */
function dying(board: NoticeBoard, at: number, behind: boolean): NoticeBoard {
  let acts = 0;
  const act = async <T>(work: () => T): Promise<Awaited<T>> => {
    acts += 1;
    if (acts > at) return new Promise<never>(() => {});
    if (acts < at) return await work();
    if (behind) await work();
    return new Promise<never>(() => {});
  };
  return {
    note: (seen) => act(() => board.note(seen)),
    take: (channel, limit, lease) => act(() => board.take(channel, limit, lease)),
    sent: (notice) => act(() => board.sent(notice)),
    putOff: (...put) => act(() => board.putOff(...put)),
    list: (channel) => act(() => board.list(channel)),
  };
}

test.each(['memory', 'sqlite'])('two senders, one of which dies at every act: each cause once (%s)', async (kind) => {
  let cases = 0;
  for (let at = 1; at <= 9; at += 1)
    for (const behind of [false, true])
      for (const behaviours of [[], [503]]) {
        const clock = moved();
        const file = `${folder}/${kind}-${at}-${behind}-${behaviours.length}.sqlite`;
        const store: JournalStore =
          kind === 'memory'
            ? memoryStore({ now: clock.now })
            : sqliteStore(file, { now: clock.now, key: Buffer.alloc(32, 3) });
        for (const run of ['a', 'b']) await asking(store, run);
        const taken: string[] = [];
        const answers = [...behaviours];
        const notify = async ({ id }: Notice) => {
          if (answers.shift() !== undefined) throw new Error('503');
          taken.push(id);
        };
        const dead = new Proxy(store, {
          get: (of, name) => {
            if (name === 'notices') return dying(of.notices as NoticeBoard, at, behind);
            const value = Reflect.get(of, name) as unknown;
            return typeof value === 'function' ? value.bind(of) : value;
          },
        });
        const other = lookingFor({ store, notify, leaseMs: 60_000 });
        const dies = lookingFor({ store: dead, notify, leaseMs: 60_000 });
        void dies.once().catch(() => {});
        await other.once();
        await new Promise((resolve) => setTimeout(resolve, 5));
        for (let looks = 0; looks < 4; looks += 1) {
          clock.time += 61_000;
          await other.once();
        }
        // A message whose sender died between the receiver's answer and the note of it is sent again, under the same id.
        expect(new Set(taken).size, `${at} ${behind}`).toBe(2);
        expect(taken.length - new Set(taken).size, `${at} ${behind}`).toBeLessThanOrEqual(1);
        expect((await store.notices?.list(null))?.map(({ told, due }) => [told, due])).toEqual([
          ['needed', null],
          ['needed', null],
        ]);
        await store.close();
        cases += 1;
      }
  expect(cases).toBe(36);
});

test('workers tell each cause once over all of them and their restarts, and go on with their runs', async () => {
  const store = memoryStore();
  const told: string[] = [];
  const notify = async ({ type, data }: Notice) => void told.push(`${type.slice(6)} ${data.run} ${data.code}`);
  const agent = agentOf('asks');
  const work = () => working(store, [agent], { notify });
  const first = [work(), work()];
  for (const run of ['n1', 'n2']) await workClient(store).start({ run, agent: 'asks' });
  await until(() => told.length === 2);
  await Promise.all(first.map(({ worker }) => worker.stop()));
  work();
  const [gate] = await gates(store, 'n1');
  await workClient(store).approve('n1', gate?.gate as string, { by: 'ada' });
  await until(async () => (await workClient(store).result('n1')).is === 'done');
  await until(() => told.length === 3);
  await stopped();
  expect([...told].sort()).toEqual(['needed n1 approval', 'needed n2 approval', 'resolved n1 approval']);
});

test('a run that has ended three processes is told of, and that it was taken up after all', async () => {
  const clock = moved();
  const file = `${folder}/crashed.sqlite`;
  const store = sqliteStore(file, { now: clock.now });
  await workClient(store).start({ run: 'deadly', agent: 'asks' });
  // A process that is gone gives nothing back: its lease runs out.
  const gone = new Database(file);
  gone.prepare('UPDATE work SET taken = 3').run();
  gone.close();
  const told: string[] = [];
  const notify = async ({ type, data }: Notice) => void told.push(`${type.slice(6)} ${data.code} ${data.act}`);
  const looking = lookingFor({ store, notify });
  for (let looks = 0; looks < 3; looks += 1) await looking.once();
  expect(told).toEqual(['needed worker_crashed resume']);
  await (await store.open('deadly', 'either')).close({
    due: 0,
    heard: 0,
    ended: false,
    digests,
    threw: null,
    output: null,
  });
  await looking.once();
  expect(told).toEqual(['needed worker_crashed resume', 'resolved worker_crashed resume']);
  await store.close();
});

test('addresses and secrets that cannot be used are refused', () => {
  for (const url of ['', 'ops.example', 'ftp://ops.example', 'https://ada:pw@ops.example/'])
    expect(() => webhook({ url, secret: null })).toThrow(/webhook/);
  for (const secret of ['', 'short', 'whsec_', `whsec_${'!'.repeat(40)}`])
    expect(() => webhook({ url: 'https://ops.example', secret })).toThrow(/secret/);
});
