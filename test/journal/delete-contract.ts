/** What every store must do to delete a run: a part of the contract in contract.ts. */
import { expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { all, refused, row } from './rows-of.ts';

interface Stores {
  readonly newStore: () => JournalStore;
  readonly journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>;
}

const request = (run: string) => ({ run, agent: 'order', input: '', queue: 'default' });
const rest = { due: null, heard: 0, ended: true, digests: { machine: 'm', config: 'c' }, threw: null, output: null };

export function deleteContract({ newStore, journalOf }: Stores): void {
  async function written(store: JournalStore, run: string): Promise<void> {
    const journal = await journalOf(store, run, 'either');
    journal.append([row(`of ${run}`)], 'note');
    await journal.close(rest);
  }

  test('a run that is deleted is gone with its rows, messages and request, and no other is touched', async () => {
    const store = newStore();
    for (const run of ['a', 'b', 'c']) {
      await store.work.start(request(run));
      await written(store, run);
    }
    await store.post('b', 'hello');
    expect(await store.delete('b', { head: 1, posts: 1 })).toBe(true);
    expect([await store.run('b'), await store.work.order('b')]).toEqual([null, null]);
    await refused(async () => all(store.read('b')), 'run_unknown');
    await refused(async () => store.posts('b'), 'run_unknown');
    expect((await store.runs()).map(({ run }) => run)).toEqual(['a', 'c']);
    for (const run of ['a', 'c'])
      expect([...(await gathered(store.read(run)))].map(({ body }) => body)).toEqual([row(`of ${run}`).body]);
    await written(store, 'a');
    expect([...(await gathered(store.read('a')))]).toHaveLength(2);
  });

  test('its name begins another run, of which nothing is known', async () => {
    const store = newStore();
    await written(store, 'a');
    await written(store, 'b');
    expect(await store.delete('b', { head: 1, posts: 0 })).toBe(true);
    await written(store, 'b');
    await written(store, 'd');
    expect((await store.runs()).map(({ run, head }) => [run, head])).toEqual([
      ['a', 1],
      ['b', 1],
      ['d', 1],
    ]);
    expect(await store.posts('b')).toEqual([]);
  });

  test('a run that has moved on since it was seen stays, and so does one that is open', async () => {
    const store = newStore();
    await written(store, 'a');
    await store.post('a', 'hello');
    expect(await store.delete('a', { head: 1, posts: 0 })).toBe(false);
    expect(await store.delete('a', { head: 2, posts: 1 })).toBe(false);
    const journal = await journalOf(store, 'a', 'resume');
    await refused(async () => store.delete('a', { head: 1, posts: 1 }), 'lease_held');
    await journal.close();
    await refused(async () => store.delete('b', { head: 0, posts: 0 }), 'run_unknown');
    expect(await store.delete('a', { head: 1, posts: 1 })).toBe(true);
  });

  test('the runs that ended are told, the oldest first, and no others', async () => {
    const store = newStore();
    for (const run of ['a', 'b', 'c']) await store.work.start(request(run));
    await written(store, 'b');
    await written(store, 'a');
    expect([...(await store.work.ended('default', 0, 10))].sort()).toEqual(['a', 'b']);
    expect(await store.work.ended('default', 0, 1)).toHaveLength(1);
    expect(await store.work.ended('default', 3_600_000, 10)).toEqual([]);
    expect(await store.work.ended('other', 0, 10)).toEqual([]);
  });
}
