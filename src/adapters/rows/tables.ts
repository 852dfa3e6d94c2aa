/**
 * The rows that a tool may write: the declared tables, by their keys. Names from outside never become SQL unchecked.
 */

import { NotApplied } from '../../effects/signals.ts';
import { ArgumentError } from '../../model/argument.ts';
import { quoted, type RowDatabase } from './database.ts';

/** The values that a column takes. */
export type RowValue = string | number | null;

/** A table that may be written: the columns that name a row, and those that may be set. */
export interface TableRule {
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

/** The wanted state of a row. A missing row is inserted; columns that are not set stay as they are. */
export interface RowWrite {
  readonly table: string;
  readonly key: Readonly<Record<string, RowValue>>;
  /** Null deletes the row. */
  readonly set: Readonly<Record<string, RowValue>> | null;
}

/** A checked write. Names are quoted; values are in the form in which they are bound. */
export interface Target {
  readonly table: Table;
  /** Names the row among those of its table. */
  readonly row: string;
  readonly key: readonly unknown[];
  readonly set: readonly (readonly [column: string, value: unknown])[] | null;
  /** The write as text, the same for the same write. */
  readonly text: string;
}

/** A declared table as it is in the database. */
export interface Table {
  readonly name: string;
  readonly sql: string;
  readonly key: readonly string[];
  /** Every column that holds a value of its own. */
  readonly all: readonly string[];
  /** The condition that names a row by its key. */
  readonly where: string;
}

/** Reads the declared tables. @throws ArgumentError where one is not as declared. */
export function tablesOf(db: RowDatabase, rules: Readonly<Record<string, TableRule>>): ReadonlyMap<string, Table> {
  return new Map(
    Object.entries(rules).map(([name, { key, columns }]) => {
      const table = db.prepare("SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name = ?");
      if (table.get(name) === undefined) throw new ArgumentError(`${name} is no table`);
      if (/^belay_/i.test(name)) throw new ArgumentError(`${name} is a table of the adapter's own`);
      const info = db.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').all(name);
      const all = (info as { name: string }[]).map(({ name }) => name);
      if (key.length === 0) throw new ArgumentError(`${name} has no key`);
      for (const column of [...key, ...columns])
        if (!all.includes(column)) throw new ArgumentError(`${column} is no column of ${name}`);
      const both = columns.find((column) => key.includes(column));
      if (both !== undefined) throw new ArgumentError(`${both} names the rows of ${name}, and cannot be set`);
      // IS compares NULL as well.
      const where = key.map((column) => `${quoted(column)} IS ?`).join(' AND ');
      return [name, { name, sql: quoted(name), key, all, where }];
    }),
  );
}

/** Checks a write that comes from outside. @throws NotApplied where it does not fit the declaration. */
export function targetOf(
  tables: ReadonlyMap<string, Table>,
  rules: Readonly<Record<string, TableRule>>,
  input: unknown,
): Target {
  const { table: name, key, set } = (input ?? {}) as { [field in keyof RowWrite]?: unknown };
  const table = typeof name === 'string' ? tables.get(name) : undefined;
  if (table === undefined) throw new NotApplied(`${JSON.stringify(name)} is no table that may be written`);
  const names = fields(key, 'key');
  if (names.length !== table.key.length || names.some(([column]) => !table.key.includes(column)))
    throw new NotApplied(`a row of ${table.name} is named by ${table.key.join(', ')}`);
  const values = set === null ? null : fields(set, 'set');
  const open = rules[table.name]?.columns ?? [];
  const closed = values?.find(([column]) => !open.includes(column));
  if (closed !== undefined) throw new NotApplied(`${JSON.stringify(closed[0])} of ${table.name} may not be set`);
  const given = new Map(names);
  const ordered = table.key.map((column) => given.get(column) as RowValue);
  const row = JSON.stringify(ordered);
  return {
    table,
    row,
    key: ordered.map(bound),
    set: values?.map(([column, value]) => [column, bound(value)]) ?? null,
    text: JSON.stringify([table.name, names, values]),
  };
}

/** The fields of a record in order, if each holds a value that a column takes. */
function fields(record: unknown, what: string): (readonly [string, RowValue])[] {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new NotApplied(`\`${what}\` is no record`);
  return Object.entries(record)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([column, value]) => {
      if (!isValue(value)) throw new NotApplied(`${JSON.stringify(column)} in \`${what}\` is no value of a column`);
      return [column, value];
    });
}

function isValue(value: unknown): value is RowValue {
  if (value === null) return true;
  if (typeof value === 'number') return Number.isSafeInteger(value) || (Number.isFinite(value) && value % 1 !== 0);
  return typeof value === 'string' && value.isWellFormed();
}

/**
 * The value in the form that is bound: a whole number as a bigint, because the driver would make every number a REAL.
 */
function bound(value: RowValue): unknown {
  return Number.isSafeInteger(value) ? BigInt(value as number) : value;
}
