/** A wait for claims ends where a person cancels its run, and where its worker takes leave. */
import { afterEach, expect, test } from 'vitest';
import { claimsIn } from '../../src/effects/claims/kept.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { until } from '../poll.ts';
import { all, entries, small, stopped, taker, wait, working } from './small.ts';

afterEach(stopped);

test('a call of a run that is cancelled leaves the line: what is freed while the run ends is not given to it', async () => {
  const store = memoryStore();
  const near = claimsIn(store);
  const calls: string[] = [];
  const two = small({
    name: 'two',
    config: "tools:\n  take: { effect: idempotent, writes: ['desk:{args.key}'] }\nskeletons: {}\n",
    initial: 'one',
    states: {
      one: {
        invoke: {
          src: 'take',
          input: ({ context }: { context: { one: string } }) => ({ key: context.one }),
          onDone: 'two',
        },
      },
      two: {
        invoke: {
          src: 'take',
          input: ({ context }: { context: { two: string } }) => ({ key: context.two }),
          onDone: 'waiting',
        },
      },
      waiting: { on: { GO: 'over' } },
      over: { type: 'final' },
    },
    acts: { take: async ({ input }, run) => void calls.push(`${run} ${input.key}`) },
  });
  // The store is far away: that what the run had is free is heard of late.
  const release = async (run: string) => {
    await near.release(run);
    if (run === 'first') await wait(300);
  };
  const { client } = working(store, [two], { claims: { take: near.take.bind(near), release } });
  await client.start({ run: 'second', agent: 'two', input: { one: 'y', two: 'z' } });
  await until(() => calls.includes('second z'));
  await client.start({ run: 'first', agent: 'two', input: { one: 'x', two: 'y' } });
  await until(async () => (await store.claims.list()).waiting.length === 1);
  await client.cancel('first', { by: 'ann' });
  await until(async () => !(await store.claims.list()).held.some(({ run }) => run === 'first'));
  await client.send('second', 'GO');
  for (const [run, is] of [
    ['first', 'cancelled'],
    ['second', 'done'],
  ] as const)
    await until(async () => (await client.result(run)).is === is);
  expect((await store.claims.list()).held).toEqual([]);
  expect((await entries(store, 'first')).at(-1)).toMatchObject({ do: 'end', status: 'cancelled' });
});

test('a call that waits does not leave once its run is cancelled, though it only reads, and though another call is waited for', async () => {
  const store = memoryStore();
  const calls: string[] = [];
  const both = small({
    name: 'both',
    config:
      "tools:\n  slow: { effect: idempotent, timeout: 5s }\n  look: { effect: none, reads: ['desk:{args.key}'] }\nskeletons: {}\n",
    initial: 'both',
    states: {
      both: {
        type: 'parallel',
        states: {
          left: { initial: 'on', states: { on: { invoke: { src: 'slow', onDone: 'off' } }, off: {} } },
          right: { initial: 'on', states: { on: { invoke: { src: 'look', input: all, onDone: 'off' } }, off: {} } },
        },
      },
    },
    acts: {
      slow: async () => {
        calls.push('slow');
        await wait(400);
      },
      look: async () => void calls.push('look'),
    },
  });
  const { client } = working(store, [both, taker(calls)]);
  await client.start({ run: 'second', agent: 'taker', input: { key: '1' } });
  await until(() => calls.includes('second'));
  await client.start({ run: 'first', agent: 'both', input: { key: '1' } });
  await until(async () => (await store.claims.list()).waiting.length === 1 && calls.includes('slow'));
  await client.cancel('first', { by: 'ann' });
  await until(async () => (await entries(store, 'first')).some((entry) => entry.do === 'cancel'));
  await client.send('second', 'GO');
  await until(async () => (await client.result('first')).is === 'cancelled');
  expect([calls, (await store.claims.list()).held]).toEqual([['second', 'slow'], []]);
});

/** A run whose claims a person has freed, and that waits to be taken up for another one that has them now. */
async function freed(store = memoryStore(), claims = claimsIn(store)) {
  const given = { take: claims.take.bind(claims), release: claims.release.bind(claims) };
  const one = working(store, [taker([])], { claims: given });
  const { client, told } = one;
  await client.start({ run: 'first', agent: 'taker', input: { key: '1' } });
  await until(() => told.includes('first waits'));
  await store.claims.free('first', store.run('first')?.head ?? 0, 'ann');
  await client.start({ run: 'second', agent: 'taker', input: { key: '1' } });
  await until(() => told.includes('second waits'));
  await client.send('first', 'GO');
  await until(async () => (await store.claims.list()).waiting.length === 1);
  return one;
}

test('a run that waits to be taken up hears that it is cancelled', async () => {
  const { client } = await freed();
  await client.cancel('first', { by: 'ann' });
  await until(async () => (await client.result('first')).is === 'cancelled');
});

test('a worker that is stopped ends the wait of a run that is taken up, also with claims that its caller made', async () => {
  const { worker, told } = await freed();
  await worker.stop();
  expect(told.filter((each) => each.startsWith('first'))).toEqual(['first waits', 'first given_back']);
});
