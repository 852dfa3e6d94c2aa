/** Writes that name what is not declared are refused, and values are never read as SQL. */
import { describe, expect, test } from 'vitest';
import { type RowWrite, rowAdapter } from '../../src/adapters/index.ts';
import { ArgumentError } from '../../src/model/argument.ts';
import { callOf, newKey, thrown, undoOf } from './calls.ts';
import { everything } from './ledger.ts';
import { all, db, eachOnNewRows, rows } from './rows-at-work.ts';

eachOnNewRows();

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
      expect(() => rowAdapter(db, { tables })).toThrow(ArgumentError);
  });
});
