/** Rows of sandboxes (semantics.md SB7): what runs leave, and what sweeps take. */
import { expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { SandboxDesk, SandboxRow } from '../../src/journal/sandboxes.ts';

const row = (run: string, until: number | null, more: Partial<SandboxRow> = {}): SandboxRow => ({
  ...{ run, name: 'box', key: `${run}/box`, provider: 'folder', until },
  ...more,
});

/** Runs the contract of the rows of sandboxes on a store. */
export function sandboxesContract(newStore: () => JournalStore): void {
  const deskOf = (store: JournalStore) => store.sandboxes as SandboxDesk;
  const begun = async (...rows: readonly SandboxRow[]) => {
    const desk = deskOf(newStore());
    for (const each of rows) await desk.put(each);
    return desk;
  };
  const runsOf = (rows: readonly SandboxRow[]) => rows.map(({ run }) => run);

  test('the row of a sandbox is listed by run and name, and a later one takes its place', async () => {
    const shell = row('one', null, { name: 'shell', key: 'one/shell' });
    const desk = await begun(row('two', null), shell, row('one', null), row('two', 9, { key: 'two/box~1' }));
    expect(await desk.list()).toEqual([row('one', null), shell, row('two', 9, { key: 'two/box~1' })]);
    expect(await desk.list('one')).toEqual([row('one', null), shell]);
    expect(await desk.list('three')).toEqual([]);
  });

  test('a sweep takes what is due, the longest due first and so many at most; none of it goes to another one meanwhile', async () => {
    const desk = await begun(
      row('late', 300),
      row('later', 301),
      row('early', 100),
      row('due', 200),
      row('runs', null),
    );
    expect(await desk.take(99, 9, 50)).toEqual([]);
    expect(runsOf(await desk.take(300, 2, 50)).toSorted()).toEqual(['due', 'early']);
    expect(runsOf(await desk.take(300, 9, 50))).toEqual(['late']);
    expect(await desk.take(300, 9, 50)).toEqual([]);
    // The sweeps have died: their rows are free again.
    expect(runsOf(await desk.take(350, 9, 50)).toSorted()).toEqual(['due', 'early', 'late', 'later']);
  });

  test('sweeps at once take each row once', async () => {
    const desk = await begun(...['a', 'b', 'c', 'd', 'e', 'f'].map((run) => row(run, 1)));
    const taken = await Promise.all([2, 2, 2, 2].map(async (limit) => desk.take(1, limit, 50)));
    expect(taken.flatMap(runsOf).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('a row is taken out while it says what the sweep has read, and no other', async () => {
    const desk = await begun(row('one', 1), row('two', 1));
    await desk.remove(row('one', 1, { key: 'one/box~1' }));
    await desk.put(row('two', null));
    await desk.remove(row('two', 1));
    expect(runsOf(await desk.list())).toEqual(['one', 'two']);
    await desk.remove(row('one', 1));
    expect(await desk.list()).toEqual([row('two', null)]);
  });
}
