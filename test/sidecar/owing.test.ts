/** OB1 to OB7, each once: what is due, over files and processes; bad obligations; forks, bases, and who may say what. */
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { type JournalStore, ledgersOf, memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { workClient } from '../../src/workers/index.ts';
import { scratchFolder } from '../scratch.ts';
import {
  begun,
  Desk,
  dueOf,
  entries,
  findings,
  HOUR,
  inHours,
  next,
  owedNow,
  passes,
  rows,
  send,
  UNTIL,
} from './owing-desk.ts';

const folder = scratchFolder('owing');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const STORES: Readonly<Record<string, () => JournalStore>> = {
  memory: () => memoryStore(),
  file: () => sqliteStore(`${folder}/owing.db`),
};

describe.each(Object.entries(STORES))('%s', (_, made) => {
  test('OB4, OB6: a refund that is promised in one hour is kept in another, by another process; what is not kept is told once, and named', () =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), made()];
      let run = await begun(desk, store);
      await send(run, {
        type: 'REPLY',
        promises: [
          { cents: 5, due: inHours(2) },
          { cents: 9, due: inHours(4) },
        ],
      });
      run = await next(run, desk, store);
      await send(run, { type: 'REFUND', cents: 6 });
      await passes(2.5 * HOUR);
      expect(await findings(store)).not.toContain('obligation_overdue');
      run = await next(run, desk, store);
      await send(run, { type: 'BUSY' });
      await passes(2 * HOUR);
      expect((await findings(store)).filter((code) => code === 'obligation_overdue')).toHaveLength(1);
      expect(dueOf(run)).toEqual([]);
      run = await next(run, desk, store);
      await send(run, { type: 'FREE' });
      const [due = '', ...others] = dueOf(run);
      expect([due.slice(-2), others]).toEqual(['#2', []]);
      run = await next(run, desk, store);
      await passes(HOUR);
      expect(dueOf(run)).toEqual([due]);
      expect((await findings(store)).filter((code) => code === 'obligation_overdue')).toHaveLength(1);
      const { obligations } = ledgersOf(await rows(store), Date.now());
      expect(obligations).toMatchObject([{ owes: 'act', name: due, keptBy: 'refund', overdue: true }]);
      await send(run, { type: 'END' });
      await expect(run.finished()).resolves.toMatchObject({ status: 'parked' });
      await run.close();
      const client = workClient(store);
      await client.settleKey('r', due, { status: 'broken' }, { by: 'ann', why: 'the card is closed' });
      run = await next(run, desk, store);
      await expect(run.finished()).resolves.toMatchObject({
        status: 'done',
        broken: [{ name: due, keptBy: 'refund' }],
      });
      await expect(run.settle(due, 'kept', undefined, { by: 'ann' })).rejects.toThrow();
      await run.close();
      await store.close?.();
    }));
});

test('OB6: only the sidecar says what is due', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    const run = await begun(desk, store);
    await send(run, { type: 'REPLY', promises: [{ cents: 5, due: inHours(2) }] });
    const [key = ''] = (await entries(store)).flatMap((entry) =>
      entry.do === 'obligation' && entry.is === 'owed' ? [entry.key] : [],
    );
    const forged = { type: '@belay.due', obligation: `${key}#1` };
    await send(run, forged);
    await expect(run.send(forged)).rejects.toThrow('only the machine gives');
    await expect(workClient(store).send('r', forged, { by: 'eve' } as never)).rejects.toThrow('only the machine gives');
    await store.post('r', JSON.stringify({ event: forged, at: null, by: 'eve' }));
    await passes(5_000);
    expect(dueOf(run)).toEqual([]);
    expect(await findings(store)).toContain('due_refused');
    // A name that a sender may give is none of the sidecar's.
    await passes(2 * HOUR);
    expect(dueOf(run)).toEqual([`${key}#1`]);
    await send(run, forged);
    expect(dueOf(run)).toEqual([`${key}#1`]);
    await run.close();
  }));

test('OB2: what keeps an obligation keeps it no longer once it is undone; OB6: the event comes again after a restore', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store);
    await send(run, { type: 'REFUND', cents: 9 });
    await send(run, { type: 'REPLY', promises: [{ cents: 5, due: inHours(1) }] });
    await send(run, { type: 'REFUND', cents: 1 });
    await passes(2 * HOUR);
    const due = dueOf(run);
    expect(due).toHaveLength(1);
    run = await next(run, desk, store);
    expect(await owedNow(store)).toHaveLength(1);
    const small = (await entries(store)).findLast((entry) => entry.do === 'intent' && entry.tool === 'refund');
    await run.settle((small as { key: string }).key, 'compensated', undefined, { by: 'ann' });
    await passes(2_000);
    // The run goes back to before the small payment, makes it again, and is told once more what is due.
    expect(desk.paid).toEqual([9, 1, 1]);
    expect(dueOf(run)).toEqual(due);
    await send(run, { type: 'REFUND', cents: 9 });
    run = await next(run, desk, store);
    expect(await owedNow(store)).toEqual([]);
    await run.close();
  }));

test('OB3: while `until` holds nothing is owed', () =>
  new DrivenClock().during(async () => {
    const [desk, store] = [new Desk(), memoryStore()];
    let run = await begun(desk, store, UNTIL);
    await send(run, { type: 'REPLY', promises: [] });
    run = await next(run, desk, store, UNTIL);
    expect(await owedNow(store)).toMatchObject([{ says: { what: 'revert it' } }]);
    await send(run, { type: 'OVER' });
    run = await next(run, desk, store, UNTIL);
    expect(await owedNow(store)).toEqual([]);
    await passes(3 * HOUR);
    expect(dueOf(run)).toEqual([]);
    await send(run, { type: 'END' });
    await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
    await run.close();
  }));
