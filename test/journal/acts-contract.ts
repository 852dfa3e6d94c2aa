/** Acts that are unique in a store (J9): taken and freed by the commits whose rows say so. */
import { expect, test } from 'vitest';
import type { Journal, JournalStore } from '../../src/journal/journal.ts';
import { row } from './rows-of.ts';

/** Runs the contract of acts on a store. */
export function actsContract(
  newStore: () => JournalStore,
  journalOf: (store: JournalStore, run: string, mode?: 'create' | 'resume' | 'either') => Promise<Journal>,
): void {
  const taking = (act: string, key: string) => ({ ...row(1), acts: [{ is: 'taken', act, key } as const] });
  const freeing = (key: string) => ({ ...row(1), acts: [{ is: 'freed', key } as const] });

  test('an act has the call that took it first, in whichever run, once that is durable', async () => {
    const store = newStore();
    const [one, two] = [await journalOf(store, 'one'), await journalOf(store, 'two')];
    expect(await one.actOf('once:pay/1')).toBeNull();
    one.append([taking('once:pay/1', 'k1')]);
    await one.flush();
    two.append([row(2), taking('once:pay/1', 'k2'), taking('once:pay/2', 'k3')]);
    await two.flush();
    expect(await two.actOf('once:pay/1')).toEqual({ run: 'one', key: 'k1' });
    expect(await one.actOf('once:pay/2')).toEqual({ run: 'two', key: 'k3' });
  });

  test('two runs that take one act at once: one call has it', async () => {
    const store = newStore();
    const runs = await Promise.all(['a', 'b', 'c'].map((run) => journalOf(store, run)));
    for (const [index, journal] of runs.entries()) journal.append([taking('once:pay/9', `k${index}`)]);
    await Promise.all(runs.map((journal) => journal.flush()));
    const held = await Promise.all(runs.map((journal) => journal.actOf('once:pay/9')));
    expect(new Set(held.map((each) => each?.key)).size).toBe(1);
  });

  test('a call that is undone frees its act, and no other one; taken and freed in one commit, it is free', async () => {
    const store = newStore();
    const [one, two] = [await journalOf(store, 'one'), await journalOf(store, 'two')];
    one.append([taking('once:pay/1', 'k1')]);
    await one.flush();
    two.append([freeing('k1')]);
    await two.flush();
    expect(await one.actOf('once:pay/1')).toEqual({ run: 'one', key: 'k1' });
    one.append([freeing('k1'), taking('once:pay/3', 'k4'), freeing('k4')]);
    await one.flush();
    expect([await one.actOf('once:pay/1'), await one.actOf('once:pay/3')]).toEqual([null, null]);
    two.append([taking('once:pay/1', 'k2')]);
    await two.flush();
    expect(await two.actOf('once:pay/1')).toEqual({ run: 'two', key: 'k2' });
  });

  test('an act outlives its journal, and the run that made it', async () => {
    const store = newStore();
    const one = await journalOf(store, 'one');
    one.append([taking('once:pay/1', 'k1')]);
    await one.close();
    expect(await store.delete('one', { head: 1, posts: 0 })).toBe(true);
    const two = await journalOf(store, 'two');
    expect(await two.actOf('once:pay/1')).toEqual({ run: 'one', key: 'k1' });
  });
}
