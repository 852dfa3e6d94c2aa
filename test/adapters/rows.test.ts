/** Rows are inserted, changed, deleted and put back: once per key, and never over what another has written. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { type RowWrite, rowAdapter } from '../../src/adapters/index.ts';
import { asked, callOf, keyless, newKey, thrown, undoOf } from './calls.ts';
import { cents, everything } from './ledger.ts';
import { all, balance, db, eachOnNewRows, folder, rows } from './rows-at-work.ts';

eachOnNewRows();

describe('a write', () => {
  test('inserts, changes or deletes one row, and leaves columns that it does not set', async () => {
    const key = { id: 'ben' };
    const set = { owner: 'Ben', cents: 5 };
    expect(await rows.write(callOf({ table: 'account', key, set }))).toEqual({ table: 'account', change: 'created' });
    expect((await rows.write(callOf(cents('ben', 7)))).change).toBe('replaced');
    expect(all("SELECT * FROM account WHERE id = 'ben'")).toEqual([{ id: 'ben', owner: 'Ben', cents: 7 }]);
    expect((await rows.write(callOf({ table: 'account', key, set: {} }))).change).toBe('replaced');
    expect((await rows.write(callOf({ table: 'account', key, set: null }))).change).toBe('deleted');
    expect((await rows.write(callOf({ table: 'account', key, set: null }))).change).toBe('absent');
    expect(all('SELECT id FROM account ORDER BY id')).toEqual([{ id: 'ada' }, { id: 'bank' }]);
  });

  test('with the same key again changes nothing and gives the same answer', async () => {
    const key = newKey();
    const first = await rows.write(callOf({ ...cents('ben', 1), set: { owner: 'Ben', cents: 1 } }, key));
    await rows.write(callOf(cents('ben', 2)));
    // The order of the fields is none of its meaning.
    expect(await rows.write(callOf({ ...cents('ben', 1), set: { cents: 1, owner: 'Ben' } }, key))).toEqual(first);
    expect(balance('ben')).toBe(2);
  });

  test('of something else under the same key is refused, and its outcome left open', async () => {
    const key = newKey();
    await rows.write(callOf(cents('ada', 1), key));
    expect(await thrown(() => rows.write(callOf(cents('ada', 2), key)))).toEqual({
      applied: 'unknown',
      message: expect.stringContaining('names another write already'),
    });
    expect(balance('ada')).toBe(1);
  });

  test('is known to the reconciler once it was made, with what it answered', async () => {
    const key = newKey();
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'not_applied' });
    const output = await rows.write(callOf(cents('ada', 1), key));
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'applied', output });
  });

  test('that the database refuses did not happen, and can be made again', async () => {
    const key = newKey();
    for (const [set, why] of [
      [{ cents: 2_000_000 }, 'CHECK'],
      [{ cents: null }, 'NOT NULL'],
    ] as const)
      expect(await thrown(() => rows.write(callOf({ table: 'account', key: { id: 'ada' }, set }, key)))).toEqual({
        applied: 'no',
        message: expect.stringContaining(why),
      });
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'not_applied' });
    expect((await rows.write(callOf(cents('ada', 3), key))).change).toBe('replaced');
  });

  test('while another has the database, or inside a transaction of the program, did not happen', async () => {
    const other = new Database(join(folder, 'ledger.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    db.pragma('busy_timeout = 10', { simple: true });
    expect((await thrown(() => rows.write(callOf(cents('ada', 1))))).applied).toBe('no');
    other.exec('ROLLBACK');
    other.close();
    db.exec('BEGIN');
    expect((await thrown(() => rows.write(callOf(cents('ada', 1))))).applied).toBe('no');
    expect(db.inTransaction).toBe(true);
    db.exec('ROLLBACK');
    expect(balance('ada')).toBe(100);
  });

  test('whose commit is refused did not happen', async () => {
    db.exec('PRAGMA foreign_keys = ON');
    db.exec('CREATE TABLE child (id TEXT PRIMARY KEY, of TEXT REFERENCES account DEFERRABLE INITIALLY DEFERRED)');
    const strict = rowAdapter(db, { tables: { child: { key: ['id'], columns: ['of'] } } });
    const outcome = await thrown(() =>
      strict.write(callOf({ table: 'child', key: { id: 'c' }, set: { of: 'nobody' } })),
    );
    expect(outcome).toEqual({ applied: 'no', message: expect.stringContaining('FOREIGN KEY') });
    expect(db.inTransaction).toBe(false);
    expect(all('SELECT * FROM child')).toEqual([]);
  });

  test('without a key says that nothing happened', async () => {
    expect((await thrown(() => rows.write(keyless(cents('ada', 1))))).applied).toBe('no');
    expect((await thrown(() => rows.stage(keyless(cents('ada', 1))))).applied).toBe('no');
  });
});

describe('the inverse', () => {
  test('puts back what was changed, inserted and deleted', async () => {
    const before = all('SELECT * FROM account ORDER BY id');
    const writes: RowWrite[] = [
      cents('ada', 1),
      { table: 'account', key: { id: 'ben' }, set: { owner: 'Ben', cents: 0 } },
      { table: 'account', key: { id: 'bank' }, set: null },
      { table: 'account', key: { id: 'nobody' }, set: null },
    ];
    for (const write of writes) {
      const key = newKey();
      await rows.write(callOf(write, key));
      expect(rows.inverse.moved(undoOf(key))).toBe(null);
      await rows.inverse.undo(undoOf(key));
      expect(all('SELECT * FROM account ORDER BY id')).toEqual(before);
    }
  });

  test('loses no value of any kind, also in columns that no tool may set', async () => {
    db.exec(`INSERT INTO note VALUES ('ada', 1, 'a' || char(0) || 'b', 0.1 + 0.2, x'00ff'),
      (NULL, 9007199254740993, NULL, 5.0, 9007199254740993), ('ben', 1, 'x', -1e308, 5.0)`);
    const exact = () =>
      all(`SELECT who, nth, hex(text) AS text, quote(weight) AS weight, typeof(weight) AS kind, quote(extra) AS extra, typeof(extra) AS extras,
        shout FROM note ORDER BY who, nth`).map((row) =>
        JSON.stringify(row, (_, v) => (typeof v === 'bigint' ? `${v}` : v)),
      );
    const before = exact();
    for (const [write] of [
      [{ table: 'note', key: { who: 'ada', nth: 1 }, set: { text: 'other', weight: 1 } }],
      [{ table: 'note', key: { who: 'ada', nth: 1 }, set: null }],
      [{ table: 'note', key: { who: 'ben', nth: 1 }, set: null }],
    ] as [RowWrite][]) {
      const key = newKey();
      await rows.write(callOf(write, key));
      expect(exact()).not.toEqual(before);
      await rows.inverse.undo(undoOf(key));
      expect(exact()).toEqual(before);
    }
  });

  test('is carried out once, also when it is asked again after others have written', async () => {
    const key = newKey();
    await rows.write(callOf(cents('ada', 1), key));
    await rows.inverse.undo(undoOf(key));
    await rows.write(callOf(cents('ada', 7)));
    await rows.inverse.undo(undoOf(key));
    expect(balance('ada')).toBe(7);
    expect(rows.inverse.moved(undoOf(key))).toBe(null);
    expect(await rows.reconcile(asked(key))).toEqual({ is: 'unknown' });
    expect((await thrown(() => rows.write(callOf(cents('ada', 1), key)))).message).toContain('was undone');
    expect(balance('ada')).toBe(7);
  });

  test.each([
    ['changed', "UPDATE note SET text = 'HELLO' WHERE who = 'ada'"],
    ['changed in its type only', "UPDATE note SET extra = '9007199254740993' WHERE who = 'ada'"],
    ['changed by one beyond 2^53', "UPDATE note SET extra = 9007199254740992 WHERE who = 'ada'"],
    ['changed in the last digit', "UPDATE note SET weight = 1.0000000000000002 WHERE who = 'ada'"],
    ['changed where no tool may', "UPDATE note SET extra = 'mine' WHERE who = 'ada'"],
    ['deleted', "DELETE FROM note WHERE who = 'ada'"],
  ])('does not touch a row that was %s since, and says why', async (_, sql) => {
    db.exec("INSERT INTO note VALUES ('ada', 1, 'hi', 1, 9007199254740993)");
    const key = newKey();
    await rows.write(callOf({ table: 'note', key: { who: 'ada', nth: 1 }, set: { text: 'hello' } }, key));
    db.exec(sql);
    const after = all('SELECT * FROM note');
    expect(rows.inverse.moved(undoOf(key))).toBe('the row ["ada",1] of note was changed since');
    await expect((async () => rows.inverse.undo(undoOf(key)))()).rejects.toThrow('was changed since');
    expect(all('SELECT * FROM note')).toEqual(after);
    db.exec("DELETE FROM note; INSERT INTO note VALUES ('ada', 1, 'hello', 1, 9007199254740993)");
    expect(rows.inverse.moved(undoOf(key))).toBe(null);
  });

  test('does not insert over a row that came back since it was deleted', async () => {
    const key = newKey();
    await rows.write(callOf({ table: 'account', key: { id: 'ada' }, set: null }, key));
    db.exec("INSERT INTO account VALUES ('ada', 'Another Ada', 3)");
    expect(rows.inverse.moved(undoOf(key))).toContain('was changed since');
    await expect((async () => rows.inverse.undo(undoOf(key)))()).rejects.toThrow('was changed since');
    expect(balance('ada')).toBe(3);
  });

  test('of several writes to one row goes newest first, and none of them has moved', async () => {
    const keys = [newKey(), newKey(), newKey()];
    for (const [n, key] of keys.entries()) await rows.write(callOf(cents('ada', n), key));
    expect(keys.map((key) => rows.inverse.moved(undoOf(key)))).toEqual([null, null, null]);
    await expect((async () => rows.inverse.undo(undoOf(keys[0] as string)))()).rejects.toThrow('was changed since');
    for (const key of keys.toReversed()) {
      await rows.inverse.undo(undoOf(key));
      expect(keys.map((key) => rows.inverse.moved(undoOf(key)))).toEqual([null, null, null]);
    }
    expect(balance('ada')).toBe(100);
  });

  test('of several writes has moved where somebody else wrote in between', async () => {
    const [first, second] = [newKey(), newKey()];
    await rows.write(callOf(cents('ada', 1), first));
    db.exec("UPDATE account SET owner = 'Eve' WHERE id = 'ada'");
    await rows.write(callOf(cents('ada', 2), second));
    expect(rows.inverse.moved(undoOf(second))).toBe(null);
    expect(rows.inverse.moved(undoOf(first))).toContain('was changed since');
  });

  test('of what was never written, or was forgotten, is refused', async () => {
    const key = newKey();
    await expect((async () => rows.inverse.undo(undoOf(key)))()).rejects.toThrow('nothing was written');
    await rows.write(callOf(cents('ada', 1), key));
    rows.forget([key]);
    expect(rows.inverse.moved(undoOf(key))).toContain('forgotten');
    expect(everything(db)).toMatchObject({ belay_effect: [], belay_image: [] });
  });
});
