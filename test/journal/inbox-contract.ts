/** What every store must do with messages (J5): a part of the contract in contract.ts. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore, Posted } from '../../src/journal/journal.ts';
import { failing, refused, row, told } from './rows-of.ts';

/** The stores that a contract is run on. */
interface Stores {
  readonly newStore: () => JournalStore;
  readonly journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>;
  /** Leaves so many messages for a run. */
  readonly fill: (store: JournalStore, run: string, messages: number) => Promise<void>;
  readonly setClock: (time: number) => void;
}

export function inboxContract({ newStore, journalOf, fill, setClock }: Stores): void {
  test('a message is there on return, numbered from 1 per run, for the writer and for readers (J5)', async () => {
    const store = newStore();
    const [a, b] = [await journalOf(store, 'a'), await journalOf(store, 'b')];
    expect([a.posted(0), await store.posts('a')]).toEqual([[], []]);
    expect(await store.post('a', 'approve')).toBe(1);
    setClock(900);
    expect([await store.post('a', 'refuse'), await store.post('b', 'approve')]).toEqual([2, 1]);
    const posts: Posted[] = [
      { number: 1, time: 1_000, body: 'approve' },
      { number: 2, time: 900, body: 'refuse' },
    ];
    expect([a.posted(0), await store.posts('a')]).toEqual([posts, posts]);
    expect(b.posted(0)).toEqual([{ number: 1, time: 900, body: 'approve' }]);
  });

  test('messages are told above a number, in order, and none twice', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    for (const body of ['one', 'two', 'three']) await store.post('a', body);
    const told = [-1, 0, 1, 2, 3, 4, 1e9].map((after) => journal.posted(after).map(({ body }) => body));
    expect(told).toEqual([['one', 'two', 'three'], ['one', 'two', 'three'], ['two', 'three'], ['three'], [], [], []]);
  });

  test('a message needs no lease, outlives the journal, and is no row', async () => {
    const store = newStore();
    const first = await journalOf(store, 'a');
    await store.post('a', 'while it is held');
    await first.close();
    await store.post('a', 'while nobody holds it');
    expect(() => first.posted(0)).toThrow(failing('journal_closed'));
    const second = await journalOf(store, 'a', 'resume');
    expect(second.posted(0).map(({ body }) => body)).toEqual(['while it is held', 'while nobody holds it']);
    expect([second.head, await told(second.read()), (await store.runs())[0]?.head]).toEqual([0, [], 0]);
  });

  test('a journal that has caught up tells every message that was left before', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    await store.post('a', 'left');
    await journal.catchUp();
    expect(journal.posted(0).map(({ body }) => body)).toEqual(['left']);
    await journal.close();
    expect(() => journal.posted(0)).toThrow(failing('journal_closed'));
  });

  test('a list of messages that was given does not change with the next one', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    const before = [journal.posted(0), await store.posts('a')];
    await store.post('a', 'later');
    expect(before).toEqual([[], []]);
  });

  test('a run that is not there has no messages and takes none', async () => {
    const store = newStore();
    for (const run of ['a', '', '__proto__']) {
      await refused(() => store.post(run, 'x'), 'run_unknown');
      await refused(() => store.posts(run), 'run_unknown');
    }
    expect(await store.runs()).toEqual([]);
  });

  test('a message has at most 64 KiB of UTF-8, and is whole', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    const limit = 64 * 1024;
    for (const body of ['x'.repeat(limit + 1), 'é'.repeat(limit / 2 + 1), '☃'.repeat(limit)])
      await refused(() => store.post('a', body), 'post_too_large');
    await refused(() => store.post('a', '\ud800'), 'journal_cannot_write');
    expect(journal.posted(0)).toEqual([]);
    const taken = ['x'.repeat(limit), 'é'.repeat(limit / 2), '', 'a\0b\u0000😀', '__proto__'];
    const numbers: number[] = [];
    for (const body of taken) numbers.push(await store.post('a', body));
    expect(numbers).toEqual([1, 2, 3, 4, 5]);
    expect(journal.posted(0).map(({ body }) => body)).toEqual(taken);
  });

  test('a run has at most 10,000 messages, and others go on', async () => {
    const store = newStore();
    const [a] = [await journalOf(store, 'a'), await journalOf(store, 'b')];
    await fill(store, 'a', 9_999);
    expect(await store.post('a', '10000')).toBe(10_000);
    await refused(() => store.post('a', 'one more'), 'inbox_full');
    expect(a.posted(9_999)).toEqual([{ number: 10_000, time: 1_000, body: '10000' }]);
    expect(await store.post('b', 'first')).toBe(1);
    expect(a.append([row(1)])).toBe(1);
  });

  test('a closed store takes no message and tells none', async () => {
    const store = newStore();
    await (await store.open('a', 'create')).close();
    await store.close();
    await refused(() => store.post('a', 'x'), 'journal_closed');
    await refused(() => store.posts('a'), 'journal_closed');
  });
}
