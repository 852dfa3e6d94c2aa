/** Staged rows stay invisible until they are published together, if the invariants hold. */
import { describe, expect, test } from 'vitest';
import { rowAdapter } from '../../src/adapters/index.ts';
import type { StagedCall } from '../../src/effects/counterparty.ts';
import { asked, callOf, newKey, thrown, undoOf } from './calls.ts';
import { cents, everything, OPTIONS } from './ledger.ts';
import { all, balance, commit, db, eachOnNewRows, rows, staged } from './rows-at-work.ts';

eachOnNewRows();

describe('the buffer', () => {
  const transfer = (n: number) => [cents('ada', 100 - n), cents('bank', n - 100)] as const;

  test('keeps staged writes invisible until they are published, together and with one audit row', async () => {
    const before = everything(db).account;
    const calls = await staged(...transfer(30));
    expect(calls[0]?.staged).toEqual({ table: 'account', change: 'staged' });
    expect(everything(db).account).toEqual(before);
    await rows.buffer.publish(calls, commit('c1'));
    expect([balance('ada'), balance('bank')]).toEqual([70, -70]);
    expect(all('SELECT * FROM belay_commit')).toEqual([
      {
        id: 'c1',
        run: 'r',
        instance: 'Pay::ada::0',
        boundary: 'paid',
        writes: 2,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
    expect(everything(db).belay_staged).toEqual([]);
  });

  test('publishes once, also when it is asked again after others have written', async () => {
    const calls = await staged(...transfer(30));
    await rows.buffer.publish(calls, commit('c1'));
    await rows.write(callOf(cents('ada', 1)));
    const after = everything(db);
    await rows.buffer.publish(calls, commit('c1'));
    expect(everything(db)).toEqual(after);
  });

  test('publishes none of them where one is refused', async () => {
    const calls = await staged(cents('ada', 70), cents('bank', 2_000_000));
    const before = everything(db);
    expect(await thrown(() => rows.buffer.publish(calls, commit('c1')))).toEqual({
      applied: 'no',
      message: expect.stringContaining('CHECK'),
    });
    expect(everything(db)).toEqual(before);
  });

  test.each([
    ['balanced', [cents('ada', 70)]],
    ['no-debts', [cents('ada', -20), cents('bank', 20)]],
  ])('publishes none of them where the invariant %s would not hold, and names it', async (id, writes) => {
    const calls = await staged(...writes);
    const before = everything(db);
    expect(await thrown(() => rows.buffer.publish(calls, commit('c1')))).toEqual({
      applied: 'no',
      message: `the invariant ${id} would not hold`,
    });
    expect(everything(db)).toEqual(before);
  });

  test('takes no answer, NULL and texts of an invariant for a no', async () => {
    for (const sql of ['SELECT 1 WHERE 0', 'SELECT NULL', "SELECT 'true'", 'SELECT 0, 1']) {
      const doubtful = rowAdapter(db, { ...OPTIONS, invariants: [{ id: 'doubt', sql }] });
      expect((await thrown(() => doubtful.buffer.publish([], commit('c1')))).applied).toBe('no');
    }
    expect(() => rowAdapter(db, { ...OPTIONS, invariants: [{ id: 'typo', sql: 'SELEC 1' }] })).toThrow('syntax');
  });

  test('publishes none of them where one was not staged', async () => {
    const [call] = await staged(cents('ada', 100));
    const stranger = { ...(call as StagedCall), key: newKey() };
    expect((await thrown(() => rows.buffer.publish([call as StagedCall, stranger], commit('c1')))).applied).toBe('no');
    expect(everything(db).belay_effect).toEqual([]);
  });

  test('staging with the same key again is the same, before and after it was published', async () => {
    const key = newKey();
    const first = await rows.stage(callOf(cents('ada', 100), key));
    expect(await rows.stage(callOf(cents('ada', 100), key))).toEqual(first);
    expect(everything(db).belay_staged?.length).toBe(1);
    expect((await thrown(() => rows.stage(callOf(cents('ada', 1), key)))).applied).toBe('unknown');
    expect((await thrown(() => rows.write(callOf(cents('ada', 100), key)))).applied).toBe('unknown');
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'applied', output: first });
    await rows.buffer.publish([{ key, tool: 'write', args: {}, staged: first }], commit('c1'));
    expect(await rows.stage(callOf(cents('ada', 100), key))).toEqual(first);
    expect(everything(db).belay_staged).toEqual([]);
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'applied', output: first });
    const direct = newKey();
    await rows.write(callOf(cents('ada', 100), direct));
    expect((await thrown(() => rows.stage(callOf(cents('ada', 100), direct)))).applied).toBe('unknown');
  });

  test('discards without a trace, also when it is asked again, and never what was published', async () => {
    const before = everything(db);
    const calls = await staged(...transfer(30));
    await rows.buffer.discard(calls);
    await rows.buffer.discard(calls);
    expect(everything(db)).toEqual(before);
    expect(await rows.reconcile(asked(calls[0]?.key as string))).toEqual({ is: 'not_applied' });
    const others = await staged(...transfer(10));
    await rows.buffer.publish(others, commit('c1'));
    await expect((async () => rows.buffer.discard(others))()).rejects.toThrow('is not discarded');
  });

  test('what it published is undone newest first, also two writes to one row', async () => {
    const before = everything(db).account;
    const calls = await staged(...transfer(30), ...transfer(40));
    await rows.buffer.publish(calls, commit('c1'));
    expect([balance('ada'), balance('bank')]).toEqual([60, -60]);
    expect(calls.map(({ key }) => rows.inverse.moved(undoOf(key)))).toEqual([null, null, null, null]);
    for (const { key } of calls.toReversed()) await rows.inverse.undo(undoOf(key));
    expect(everything(db).account).toEqual(before);
    expect(everything(db).belay_commit?.length).toBe(1);
  });

  test('has nothing to undo before it has published', async () => {
    const [call] = await staged(cents('ada', 1));
    expect(rows.inverse.moved(undoOf((call as StagedCall).key))).toContain('not published');
  });
});
