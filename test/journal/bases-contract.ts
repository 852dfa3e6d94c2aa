/** What every store must do with the base of a run (J7). A part of the contract. */
import { expect, test } from 'vitest';
import type { Base, Journal, JournalStore } from '../../src/journal/journal.ts';
import { row } from './rows-of.ts';

const base = (at: number, ...parts: (string | Buffer)[]): Base => ({
  at,
  parts: parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
});
const told = (kept: Base | null) => kept && [kept.at, ...kept.parts.map((part) => part.toString())];

/** Runs the rules of bases on stores that `newStore` makes, each empty. */
export function basesContract(
  newStore: () => JournalStore,
  journalOf: (store: JournalStore, run: string) => Promise<Journal>,
): void {
  test('a base is told once it is durable, and stands until another takes its place (J7)', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    expect([await journal.base(), await store.base('a')]).toEqual([null, null]);
    journal.append([row(1), row(2)]);
    journal.keep(base(2, 'head', 'state'));
    await journal.close();
    expect(told(await store.base('a'))).toEqual([2, 'head', 'state']);
    const again = await journalOf(store, 'a');
    const first = (await again.base()) as Base;
    expect(told(first)).toEqual([2, 'head', 'state']);
    again.append([row(3)]);
    again.keep(base(3, first.parts[1] as Buffer, 'more', ''));
    again.append([row(4)]);
    await again.close();
    expect(told(await store.base('a'))).toEqual([3, 'state', 'more', '']);
  });

  test('parts that bases share keep their bytes, however often a base is kept, and each run has its own (J7)', async () => {
    const store = newStore();
    const shared = Buffer.from('shared');
    for (const run of ['a', 'b']) {
      let journal = await journalOf(store, run);
      for (let at = 1; at <= 6; at += 1) {
        journal.append([row(at)]);
        journal.keep(base(at, `${run} ${at}`, shared));
        if (at % 3 !== 0) continue;
        await journal.close();
        journal = await journalOf(store, run);
        expect(told(await journal.base())).toEqual([at, `${run} ${at}`, 'shared']);
      }
      await journal.close();
    }
    expect(told(await store.base('a'))).toEqual([6, 'a 6', 'shared']);
    expect(told(await store.base('b'))).toEqual([6, 'b 6', 'shared']);
  });

  test('a run that is deleted takes its base with it (J7)', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    journal.append([row(1)]);
    journal.keep(base(1, 'gone'));
    await journal.close();
    expect(await store.delete('a', { head: 1, posts: 0 })).toBe(true);
    const again = await journalOf(store, 'a');
    again.append([row(2)]);
    await again.flush();
    expect(await again.base()).toBeNull();
    await again.close();
  });
}
