/** `belay pools`: the budgets that runs of a store share, and a person who gives one another limit. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { PoolChange } from '../../src/journal/pools.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-pools-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const ask = (place: string, ...args: string[]) => belay(['pools', ...args, '--store', place], '', {}, root);

/** A store with two pools, of which two runs have spent, and one has something reserved. */
async function spent(place: string): Promise<void> {
  const store = sqliteStore(place);
  await store.pools?.join('team', 10);
  await store.pools?.join('alone', 5);
  for (const [run, change] of [
    ['a', { call: 'k1', amount: 0, spent: 3, open: false }],
    ['b', { call: 'k2', amount: 4, spent: 1, open: true }],
  ] as const) {
    const journal = await store.open(run, 'create');
    const pools: PoolChange[] = [{ pool: 'team', ...change }];
    journal.append([{ kind: 1, body: '{}', pools }]);
    await journal.close();
  }
  await store.close();
}

test('lists pools with who has spent and reserved, and gives one another limit', async () => {
  const place = join(root, 'one.sqlite');
  await spent(place);
  const all = await ask(place);
  expect(all.code).toBe(0);
  expect(all.out.split('\n').map((line) => line.trim().split(/ +/))).toEqual([
    ['POOL', 'LIMIT', 'SPENT', 'RESERVED', 'BY'],
    ['alone', '5', '0', '0'],
    ['team', '10', '4', '4'],
    ['3', '0', 'a'],
    ['1', '4', 'b'],
    [''],
  ]);
  expect((await ask(place, 'alone')).out).not.toContain('team');
  expect(JSON.parse((await ask(place, 'team', '--json')).out)).toEqual({
    name: 'team',
    limit: 10,
    spent: 4,
    reserved: [{ run: 'b', call: 'k2', amount: 4, open: true }],
    spentBy: [
      { run: 'a', spent: 3 },
      { run: 'b', spent: 1 },
    ],
  });
  // What is spent and reserved above a limit stays (ER13).
  expect(await ask(place, 'team', '--limit', '2')).toMatchObject({ code: 0, out: 'team has the limit 2\n' });
  expect(JSON.parse((await ask(place, 'team', '--json')).out)).toMatchObject({
    limit: 2,
    spent: 4,
    reserved: [{ amount: 4 }],
  });
  expect(JSON.parse((await ask(place, 'team', '--limit', '9', '--json')).out)).toEqual({ pool: 'team', limit: 9 });
  for (const limit of ['', '-1', '1.5', 'much', '1e3'])
    expect(await ask(place, 'team', `--limit=${limit}`), limit).toMatchObject({ code: 2, out: '' });
  expect(JSON.parse((await ask(place, 'team', '--json')).out)).toMatchObject({ limit: 9 });
});

test('says that there are none, none of a name, and what is wrong', async () => {
  const place = join(root, 'two.sqlite');
  await sqliteStore(place).close();
  expect(await ask(place)).toMatchObject({ code: 0, out: 'the store has no pools\n' });
  expect((await ask(place, '--json')).out).toBe('');
  expect(await ask(place, 'team')).toMatchObject({ code: 0, out: 'the store has no pool team\n' });
  expect(await ask(place, 'team', '--limit', '3')).toMatchObject({
    code: 2,
    err: expect.stringContaining('the store has no pool "team"'),
  });
  expect(await ask(place, '--limit', '3')).toMatchObject({ code: 2, out: '' });
  expect((await ask(join(root, 'none.sqlite'))).code).toBe(2);
});
