/** OB1 to OB7, each once: what is due, over files and processes; bad obligations; forks, bases, and who may say what. */
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { type JournalStore, ledgersOf, memoryStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { DrivenClock } from '../../src/testing/driven-clock.ts';
import { workClient } from '../../src/workers/index.ts';
import { scratchFolder } from '../scratch.ts';
import { begun, Desk, dueOf, findings, HOUR, inHours, next, passes, rows, send } from './owing-desk.ts';

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
