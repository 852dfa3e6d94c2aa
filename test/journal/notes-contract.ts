/** What every store must do with the note of a run (J6). A part of the contract. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { row } from './rows-of.ts';

/** Runs the rules of notes on stores that `newStore` makes, each empty. */
export function notesContract(
  newStore: () => JournalStore,
  journalOf: (store: JournalStore, run: string) => Promise<Journal>,
): void {
  const noteOf = async (store: JournalStore) => (await store.run('a'))?.note;

  test('a note is told of its run once it is durable, and stands until another comes (J6)', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    journal.append([row(1)], 'first');
    expect(await noteOf(store)).toBeUndefined();
    await journal.flush();
    expect([await noteOf(store), (await store.runs())[0]?.note]).toEqual(['first', 'first']);
    journal.append([row(2)], 'first');
    journal.append([row(3)], 'second \u{1F9FE}');
    expect(await noteOf(store)).toBe('first');
    await journal.flush();
    expect(await noteOf(store)).toBe('second \u{1F9FE}');
    journal.append([row(4)], 'second \u{1F9FE}');
    await journal.close();
    expect(await noteOf(store)).toBe('second \u{1F9FE}');
  });

  test('an append without a note removes the one there is, and one without rows changes nothing (J6)', async () => {
    const store = newStore();
    const journal = await journalOf(store, 'a');
    journal.append([row(1)], 'first');
    journal.append([], 'nothing');
    await journal.flush();
    expect(await noteOf(store)).toBe('first');
    await journal.close();
    const again = await journalOf(store, 'a');
    again.append([row(2)]);
    await again.flush();
    expect(await noteOf(store)).toBeUndefined();
    again.append([row(3)], 'third');
    await again.close();
    expect(await noteOf(store)).toBe('third');
    const other = await journalOf(store, 'b');
    await other.close();
    expect((await store.runs()).map(({ note }) => note)).toEqual(['third', undefined]);
  });
}
