import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RowAdapter, type RowWrite, rowAdapter } from '../../src/adapters/index.ts';
import type { Publication, StagedCall, UndoCall } from '../../src/effects/counterparty.ts';
import { callOf, keyless, newKey, thrown } from './calls.ts';
import { cents, everything, OPTIONS, openLedger } from './ledger.ts';

let folder: string;
let db: Database.Database;
let rows: RowAdapter;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'belay-rows-'));
  ({ db, adapter: rows } = openLedger(join(folder, 'ledger.sqlite')));
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const all = (sql: string) => db.prepare(sql).all();
const balance = (id: string) =>
  (db.prepare('SELECT cents FROM account WHERE id = ?').get(id) as { cents: number } | undefined)?.cents;
const undoOf = (key: string): UndoCall => ({ key, undoKey: `${key} undo`, tool: 'write', args: {}, output: {} });
const asked = (key: string) => ({ key, tool: 'write', args: {} });
const commit = (id: string): Publication => ({ id, run: 'r', instance: 'Pay::ada::0', boundary: 'paid' });

/** Stages writes, each under a key of its own. */
async function staged(...writes: readonly RowWrite[]): Promise<StagedCall[]> {
  const calls: StagedCall[] = [];
  for (const write of writes) {
    const key = newKey();
    calls.push({ key, tool: 'write', args: write, staged: await rows.stage(callOf(write, key)) });
  }
  return calls;
}

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

describe('hostile input', () => {
  const write = { table: 'account', key: { id: 'ada' }, set: { cents: 1 } };
  test.each<[string, unknown]>([
    ['a table that is not declared', { ...write, table: 'sqlite_master' }],
    ["the adapter's own table", { ...write, table: 'belay_effect' }],
    ['a table that is SQL', { ...write, table: 'account"; DROP TABLE account; --' }],
    ['a table of every object', { ...write, table: '__proto__' }],
    ['a column that may not be set', { ...write, set: { id: 'eve' } }],
    ['a column that is not there', { ...write, set: { nothing: 1 } }],
    ['a column that is SQL', { ...write, set: { 'cents = 0, owner': 'eve' } }],
    ['a column of every object', { ...write, set: JSON.parse('{"__proto__":1}') }],
    ['a key of other columns', { ...write, key: { owner: 'Ada' } }],
    ['a key with too many columns', { ...write, key: { id: 'ada', cents: 100 } }],
    ['a key with none', { ...write, key: {} }],
    ['a key that is inherited', { ...write, key: Object.create({ id: 'ada' }) }],
    ['a key that is an object', { ...write, key: { id: { toString: () => 'ada' } } }],
    ['a value that is an object', { ...write, set: { cents: { $gt: 0 } } }],
    ['a value that is no number', { ...write, set: { cents: Number.NaN } }],
    ['a value that no number holds exactly', { ...write, set: { cents: 2 ** 53 } }],
    ['a text that is no Unicode', { ...write, set: { owner: '\ud800' } }],
    ['a set that is a list', { ...write, set: [1] }],
    ['no set, which is not to delete', { table: 'account', key: { id: 'ada' } }],
    ['nothing', undefined],
  ])('%s is refused, written at once or staged', async (_, input) => {
    const before = everything(db);
    for (const act of [rows.write, rows.stage])
      expect((await thrown(() => act(callOf(input as RowWrite)))).applied).toBe('no');
    expect(everything(db)).toEqual(before);
  });

  test('a key that names several rows is refused', async () => {
    db.exec("INSERT INTO loose VALUES ('a', 1), ('a', 2)");
    expect(await thrown(() => rows.write(callOf({ table: 'loose', key: { name: 'a' }, set: null })))).toEqual({
      applied: 'no',
      message: '["a"] names more than one row of loose',
    });
    expect(everything(db)).toMatchObject({ belay_effect: [], loose: [{ value: 1 }, { value: 2 }] });
  });

  test('values are bound, and whole numbers stay whole', async () => {
    const owner = "'; DROP TABLE account; --";
    await rows.write(callOf({ table: 'account', key: { id: 'ada' }, set: { owner } }));
    await rows.write(callOf({ table: 'loose', key: { name: '1' }, set: { value: 5 } }));
    await rows.write(callOf({ table: 'loose', key: { name: '2' }, set: { value: 5.5 } }));
    expect(all("SELECT owner FROM account WHERE id = 'ada'")).toEqual([{ owner }]);
    expect(all('SELECT typeof(value) AS type FROM loose ORDER BY name')).toEqual([
      { type: 'integer' },
      { type: 'real' },
    ]);
  });

  test('tables, columns and names with quotes in them are themselves', async () => {
    db.exec(`CREATE TABLE "odd ""name'" ("k'ey" TEXT PRIMARY KEY, "co""l'" TEXT)`);
    const name = `odd "name'`;
    const column = `co"l'`;
    const odd = rowAdapter(db, { tables: { [name]: { key: ["k'ey"], columns: [column] } } });
    const key = newKey();
    await odd.write(callOf({ table: name, key: { "k'ey": 'a' }, set: { [column]: 'b' } }));
    await odd.write(callOf({ table: name, key: { "k'ey": 'a' }, set: { [column]: 'c' } }, key));
    odd.inverse.undo(undoOf(key));
    expect(all(`SELECT * FROM "odd ""name'"`)).toEqual([{ "k'ey": 'a', [column]: 'b' }]);
  });

  test('rules that the database does not have are refused at once', () => {
    for (const tables of [
      { missing: { key: ['id'], columns: [] } },
      { account: { key: [], columns: ['cents'] } },
      { account: { key: ['nothing'], columns: [] } },
      { account: { key: ['id'], columns: ['nothing'] } },
      { account: { key: ['id'], columns: ['id'] } },
      { note: { key: ['who', 'nth'], columns: ['shout'] } },
      { belay_effect: { key: ['key'], columns: ['undone'] } },
    ])
      expect(() => rowAdapter(db, { tables })).toThrow(TypeError);
  });
});
