/** Pools (J10): what commits reserve and spend of them, never beyond their limits. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import type { PoolChange, PoolDesk } from '../../src/journal/pools.ts';
import { row } from './rows-of.ts';

const change = (call: string, amount: number, more: Partial<PoolChange> = {}) => ({
  ...row(1),
  pools: [{ pool: 'team', call, amount, spent: 0, open: true, ...more }],
});

/** Runs the contract of pools on a store. */
export function poolsContract(
  newStore: () => JournalStore,
  journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>,
): void {
  const begun = async (limit = 10) => {
    const store = newStore();
    const pools = store.pools as PoolDesk;
    expect(await pools.join('team', limit)).toBe(limit);
    return { store, pools, one: await journalOf(store, 'one'), two: await journalOf(store, 'two') };
  };
  const inPool = async (pools: PoolDesk) => {
    const pool = await pools.pool('team');
    return [pool?.spent, ...(pool?.reserved ?? []).map(({ run, call, amount }) => `${run} ${call} ${amount}`)];
  };

  test('a pool keeps the limit of the run that joins it first, until a person gives it another', async () => {
    const { pools } = await begun();
    expect(await pools.join('team', 12)).toBe(10);
    expect([await pools.limit('team', 12), await pools.limit('none', 1)]).toEqual([true, false]);
    expect(await pools.join('team', 10)).toBe(12);
    expect(await pools.pool('none')).toBeNull();
  });

  test('a commit reserves what the pool has room for, and nothing beyond it', async () => {
    const { pools, one, two } = await begun();
    one.append([change('k1', 6)]);
    await one.flush();
    two.append([change('k2', 5)]);
    two.append([change('k3', 4)]);
    await two.flush();
    expect(await inPool(pools)).toEqual([0, 'one k1 6', 'two k3 4']);
  });

  test('runs that reserve at once stay within the limit', async () => {
    const { store, pools, one, two } = await begun();
    const three = await journalOf(store, 'three');
    const all = [one, two, three];
    for (const journal of all) journal.append([change('k', 4)]);
    await Promise.all(all.map((journal) => journal.flush()));
    expect((await pools.pool('team'))?.reserved.map(({ amount }) => amount)).toEqual([4, 4]);
  });

  test('a charge takes the place of what was reserved; what is given back is there for others', async () => {
    const { pools, one, two } = await begun();
    one.append([change('k1', 6)]);
    one.append([change('k1', 0, { spent: 2, open: false })]);
    two.append([change('k2', 8)]);
    await one.flush();
    await two.flush();
    expect(await inPool(pools)).toEqual([2, 'two k2 8']);
    two.append([change('k2', 0)]);
    await two.flush();
    expect(await inPool(pools)).toEqual([2]);
    expect((await pools.list()).map(({ name, limit, spentBy }) => ({ name, limit, spentBy }))).toEqual([
      { name: 'team', limit: 10, spentBy: [{ run: 'one', spent: 2 }] },
    ]);
  });

  test('more for a call that has something reserved is refused whole; what was spent is a fact', async () => {
    const { pools, one } = await begun();
    one.append([change('k1', 6)]);
    one.append([change('k1', 11, { open: false })]);
    await one.flush();
    expect(await inPool(pools)).toEqual([0, 'one k1 6']);
    one.append([change('k1', 0, { spent: 13 })]);
    one.append([change('k2', 1)]);
    await one.flush();
    expect(await inPool(pools)).toEqual([13]);
  });

  test('a call says whether it is under way', async () => {
    const { pools, one } = await begun();
    one.append([change('k1', 6)]);
    await one.flush();
    expect((await pools.pool('team'))?.reserved[0]?.open).toBe(true);
    one.append([change('k1', 6, { open: false })]);
    await one.flush();
    expect((await pools.pool('team'))?.reserved[0]?.open).toBe(false);
  });

  test('what a deleted run has reserved counts as spent', async () => {
    const { store, pools, one } = await begun();
    one.append([change('k1', 6)]);
    await one.close();
    expect(await store.delete('one', { head: 1, posts: 0 })).toBe(true);
    expect(await inPool(pools)).toEqual([6]);
    const again = await journalOf(store, 'one', 'create');
    again.append([change('k1', 5)]);
    await again.flush();
    expect(await inPool(pools)).toEqual([6]);
  });

  test('waiting calls hear of what is given back', async () => {
    const { pools, one } = await begun();
    one.append([change('k1', 6)]);
    await one.flush();
    let freed = 0;
    const stop = pools.onFreed(() => {
      freed += 1;
    });
    one.append([change('k1', 0)]);
    await one.flush();
    await new Promise(setImmediate);
    stop();
    expect(freed).toBeGreaterThan(0);
  });
}
