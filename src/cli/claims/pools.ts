/** The verb `pools`: lists the pools of a store, and gives one another limit. */
import type { PoolListed } from '../../journal/pools.ts';
import { openJournal } from '../reading/journal-key.ts';
import { journalProblem, reading, type Told } from '../reading/reading.ts';
import { table } from '../terminal/table.ts';
import type { Medium } from '../terminal/terminal.ts';

/** Lists the pools of a store, or the one of a name. Changes nothing in it. */
export async function listPools(place: string, name: string | null, json: boolean, medium: Medium): Promise<Told> {
  return reading(place, async (store) => {
    const pools = ((await store.pools?.list()) ?? []).filter((pool) => name === null || pool.name === name);
    if (json) return pools.map((pool) => `${JSON.stringify(pool)}\n`);
    if (pools.length === 0) return [name === null ? 'the store has no pools\n' : `the store has no pool ${name}\n`];
    const columns = ['POOL', 'LIMIT', 'SPENT', 'RESERVED', 'BY'].map((each) => ({ name: each }));
    return [table(columns, pools.flatMap(rowsOf), medium)];
  });
}

/** The pool, and a row for each run that has spent or reserved something of it. */
function rowsOf({ name, limit, spent, reserved, spentBy }: PoolListed): string[][] {
  const held = (run: string) => sum(reserved.filter((each) => each.run === run));
  const runs = [...new Set([...spentBy.map(({ run }) => run), ...reserved.map(({ run }) => run)])].sort();
  const own = (run: string) => spentBy.find((each) => each.run === run)?.spent ?? 0;
  return [
    [name, String(limit), String(spent), String(sum(reserved)), ''],
    ...runs.map((run) => ['', '', String(own(run)), String(held(run)), run]),
  ];
}

function sum(reserved: readonly { readonly amount: number }[]): number {
  return reserved.reduce((all, { amount }) => all + amount, 0);
}

/** Gives a pool another limit. @returns what is wrong, and the exit code; null where the pool has the limit. */
export async function limitPool(
  place: string,
  name: string,
  limit: number,
): Promise<{ readonly problem: string; readonly code: 1 | 2 } | null> {
  try {
    // What reads finds a place that is not there, and makes none.
    await (await openJournal(place, { readonly: true })).close();
    const store = await openJournal(place);
    try {
      if (await store.pools?.limit(name, limit)) return null;
      return { problem: `the store has no pool ${JSON.stringify(name)}`, code: 2 };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { problem: journalProblem(place, error), code: 2 };
  }
}
