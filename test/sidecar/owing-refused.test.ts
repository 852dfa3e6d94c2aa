/** OB5: what a call may take on. */
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { context } from '../semantics/dying.ts';

import { begun, DAY, Desk, entries, findings, send } from './owing-desk.ts';

describe('what a call may take on', () => {
  const CASES: readonly (readonly [string, unknown, string])[] = [
    ['no list', 'a refund', 'bad_obligation'],
    ['a list of numbers', [1], 'bad_obligation'],
    ['a time that is none', [{ cents: 5, due: 'on Friday' }], 'bad_obligation'],
    ['a time in a list', [{ cents: 5, due: [1] }], 'bad_obligation'],
    ['too many', Array.from({ length: 101 }, () => ({ cents: 1 })), 'bad_obligation'],
    ['what was due yesterday', [{ cents: 5, due: '1999-12-31' }], 'obligation_past_due'],
  ];
  test.each(CASES)('OB5: %s is refused before the call leaves', (_, promises, code) =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), memoryStore()];
      const run = await begun(desk, store);
      await send(run, { type: 'REPLY', promises });
      expect((context(run) as { error?: string }).error).toContain(code);
      expect(desk.told).toEqual([]);
      await send(run, { type: 'END' });
      await expect(run.finished()).resolves.toMatchObject({ status: 'done' });
      await run.close();
      expect(await findings(store)).toContain(code);
    }),
  );

  test('OB5: nothing, no time, a date and a number of milliseconds are taken; a date counts to its end', () =>
    new DrivenClock().during(async () => {
      const [desk, store] = [new Desk(), memoryStore()];
      const run = await begun(desk, store);
      const today = new Date(Date.now()).toISOString().slice(0, 10);
      await send(run, { type: 'REPLY', promises: [] });
      await send(run, {
        type: 'REPLY',
        promises: [{ cents: 1 }, { cents: 2, due: today }, { cents: 3, due: Date.now() + DAY }],
      });
      const owed = (await entries(store)).flatMap((entry) =>
        entry.do === 'obligation' && entry.is === 'owed' ? [entry.due] : [],
      );
      expect(owed).toEqual([[null, Date.parse(`${today}T00:00:00Z`) + DAY, expect.any(Number)]]);
      await run.close();
    }));
});
