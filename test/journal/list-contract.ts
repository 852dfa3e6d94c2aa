/** What every store must do with the list of its runs. A part of the contract. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore, RunsFilter } from '../../src/journal/journal.ts';
import { refused, row } from './rows-of.ts';

/** Runs the rules of lists on stores that `newStore` makes, each empty. */
export function listContract({
  newStore,
  journalOf,
  setClock,
  begin,
}: {
  readonly newStore: () => JournalStore;
  readonly journalOf: (store: JournalStore, run: string) => Promise<Journal>;
  readonly setClock: (time: number) => void;
  /** Begins so many runs, named by their number. */
  readonly begin: (store: JournalStore, count: number) => Promise<void>;
}): void {
  test('runs are listed in the order of their beginning, with what is durable of them', async () => {
    const store = newStore();
    const [b, a] = [await journalOf(store, 'b'), await journalOf(store, 'a')];
    setClock(2_000);
    a.append([row(1), row(2)]);
    await a.flush();
    a.append([row(3)]);
    await b.close();
    expect(await store.runs()).toEqual([
      { run: 'b', head: 0, time: 0, held: false },
      { run: 'a', head: 2, time: 2_000, held: true },
    ]);
  });

  test('a run that has messages is told with their number', async () => {
    const store = newStore();
    const [a, b] = [await journalOf(store, 'a'), await journalOf(store, 'b')];
    for (const body of ['one', 'two']) await store.post('b', body);
    expect((await store.runs()).map(({ posts }) => posts)).toEqual([undefined, 2]);
    expect([(await store.run('a'))?.posts, (await store.run('b'))?.posts]).toEqual([undefined, 2]);
    for (const journal of [a, b]) await journal.close();
  });

  test('a run is told by its name, and runs by those that they follow', async () => {
    const store = newStore();
    expect(await store.run('a')).toBeNull();
    const journals = [];
    for (const run of ['d', 'c', 'b', 'a']) journals.push(await journalOf(store, run));
    journals[1]?.append([row(1)]);
    await journals[1]?.close();
    await journals[2]?.close();
    const names = async (filter: RunsFilter) => (await store.runs(filter)).map(({ run }) => run);
    expect(await store.run('c')).toEqual({ run: 'c', head: 1, time: 1_000, held: false });
    expect([await store.run('__proto__'), await store.run('')]).toEqual([null, null]);
    expect(await names({ after: 'c' })).toEqual(['b', 'a']);
    expect(await names({ after: 'd', limit: 2 })).toEqual(['c', 'b']);
    expect([await names({ after: 'a' }), await names({ limit: 0 })]).toEqual([[], []]);
    expect(await names({ state: 'held' })).toEqual(['d', 'a']);
    expect(await names({ state: 'free', limit: 1 })).toEqual(['c']);
    await refused(() => store.runs({ after: 'e' }), 'run_unknown');
    await refused(() => store.runs({ limit: -1 }), 'journal_cannot_read');
  });

  test('a list that is longer than what is read at once is whole and in order, and ends where it is told to', async () => {
    const store = newStore();
    await begin(store, 4_001);
    const names = async (filter: RunsFilter = {}) => (await store.runs(filter)).map(({ run }) => run);
    const all = Array.from({ length: 4_001 }, (_, index) => `run ${index + 1}`);
    expect(await names()).toEqual(all);
    for (const limit of [999, 1_000, 1_001, 2_000, 2_001, 4_000])
      expect(await names({ limit, state: 'free' })).toEqual(all.slice(0, limit));
    expect(await names({ after: 'run 1' })).toEqual(all.slice(1));
    expect(await names({ after: 'run 1000', limit: 3_000 })).toEqual(all.slice(1_000, 4_000));
  });
}
