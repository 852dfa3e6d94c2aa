/** Claims where they meet: a circle that closes through the line, a run that is taken up, and one that frees what it is being given. */
import { expect, test } from 'vitest';
import { claimsIn, claimsInMemory } from '../../src/effects/claims/kept.ts';
import type { ClaimCall } from '../../src/journal/claims.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { parseKey } from '../../src/model/key.ts';
import { calm, unlessItHangs, until } from '../poll.ts';
import { Line, type Station } from './stations.ts';

const on = (...keys: string[]) => keys.map((key) => ({ key: parseKey(key), shared: false }));

test('a place in line that closes a circle through the line has those look again who may pass now', async () => {
  const claims = claimsInMemory();
  const { signal } = new AbortController();
  const take = (run: string, ...keys: string[]) => claims.take(run, on(...keys), signal, () => {});
  await Promise.all([take('a', 'x:1'), take('c', 'x:3')]);
  const first = take('b', 'x:1', 'x:2');
  // Behind a call that waits for a run that does not wait.
  const behind = take('c', 'x:2');
  await calm();
  const last = take('a', 'x:3');
  expect(await unlessItHangs(behind)).toBe(null);
  claims.release('c');
  expect(await last).toBe(null);
  claims.release('a');
  expect(await first).toBe(null);
});

test('what a run frees includes what it is being given: its store answers late', async () => {
  const journal = memoryStore();
  const open = await journal.open('a', 'create');
  const near = journal.claims;
  const far = {
    ...{ pollMs: 50, leave: near.leave.bind(near), release: near.release.bind(near), onFreed: near.onFreed.bind(near) },
    ask: async (calls: readonly ClaimCall[]) => {
      await calm(40);
      return near.ask(calls);
    },
  };
  const rest = { freed: near.freed.bind(near), letGo: near.letGo.bind(near), takeBack: near.takeBack.bind(near) };
  const claims = claimsIn({ claims: { ...far, ...rest, free: near.free.bind(near), list: near.list.bind(near) } });
  const stop = new AbortController();
  const taking = claims.take('a', on('x:1'), stop.signal, () => {});
  stop.abort();
  await claims.release('a');
  await taking;
  expect((await near.list()).held).toEqual([]);
  await open.close();
});

test('a run that is taken up claims what an answered call has read, though the next call that waits wants it, too', async () => {
  const journal = memoryStore();
  const claims = claimsIn(journal);
  const reads = (name: string, ...keys: string[]): Station => ({
    name,
    tool: 'effect: none',
    outside: { reads: keys },
  });
  const other = new Line([{ name: 'a', tool: 'effect: idempotent', outside: { writes: ['x:2'] } }]);
  const second = await other.begin({ run: 'second', journal, claims });
  second.send('go');
  await second.at('rest');
  const line = new Line([reads('a', 'x:1'), reads('b', 'x:1', 'x:2')]);
  const first = await line.begin({ run: 'first', journal, claims });
  first.send('go');
  await until(async () => (await journal.claims.list()).waiting.length === 1);
  await first.close();
  await journal.claims.free('first', journal.run('first')?.head ?? 0, 'ann');
  const again = await line.resume({ run: 'first', journal, claims });
  const { held } = await journal.claims.list();
  expect(held.map(({ run, key }) => `${run} ${key}`)).toEqual(['second x:2', 'first x:1']);
  await again.close();
  await second.close();
});
