/** OB2, OB3 and OB6: what is undone is owed again, what the context releases, and who says what is due. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { workClient } from '../../src/workers/index.ts';
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
  send,
  UNTIL,
} from './owing-desk.ts';

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
