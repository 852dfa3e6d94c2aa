/**
 * Images of rows before and after a write, kept inside the database. A value that never leaves SQLite is restored
 * exactly, also a BLOB, a number beyond 2^53, or a REAL that is whole.
 */
import { quoted, type RowDatabase } from './database.ts';
import type { Table, Target } from './tables.ts';

/** Names an image of a row: before or after the write. */
export type Side = 'before' | 'after';

/**
 * The table of the images. A row that did not exist has no line. The column `value` has no type, so SQLite converts
 * nothing.
 */
export const IMAGE_TABLE = `
  CREATE TABLE IF NOT EXISTS belay_image (effect INTEGER NOT NULL, side TEXT NOT NULL, col TEXT NOT NULL, value,
    PRIMARY KEY (effect, side, col)) WITHOUT ROWID;
`;

/** A row by its table and the values of its key. */
type Row = Pick<Target, 'table' | 'key'>;

/** Every value of a row with its type, as text. Two rows are the same iff their prints are. */
export type Print = string;

/** Keeps the present row. */
export function capture(db: RowDatabase, { table, key }: Row, effect: number, side: Side): void {
  for (const column of table.all) {
    const select = `SELECT ?, ?, ?, ${quoted(column)} FROM ${table.sql} WHERE ${table.where}`;
    db.prepare(`INSERT INTO belay_image ${select}`).run(effect, side, column, ...key);
  }
}

/** The print of the present row. */
export function printOfRow(db: RowDatabase, { table, key }: Row): Print {
  const cells = table.all.map(
    (column) => `SELECT '${column.replaceAll("'", "''")}' AS col, ${quoted(column)} AS value
    FROM ${table.sql} WHERE ${table.where}`,
  );
  const query = `SELECT ${PRINT} FROM (${cells.join(' UNION ALL ')}) ORDER BY col`;
  return printed(db.prepare(query).all(...table.all.flatMap(() => key)));
}

/** The print of the row as an image keeps it. */
export function printOfImage(db: RowDatabase, effect: number, side: Side): Print {
  const query = `SELECT ${PRINT} FROM belay_image WHERE effect = ? AND side = ? ORDER BY col`;
  return printed(db.prepare(query).all(effect, side));
}

/** A value as text, different for every different value: `hex` sees all of a text, and 17 digits all of a REAL. */
const PRINT = `col, typeof(value) AS type,
  CASE typeof(value) WHEN 'real' THEN printf('%!.17g', value) ELSE hex(value) END AS value`;

function printed(cells: unknown[]): Print {
  return JSON.stringify((cells as Record<string, unknown>[]).map(({ col, type, value }) => [col, type, value]));
}

const ABSENT: Print = '[]';

/** The change that a write made to its row. */
export type RowChange = 'created' | 'replaced' | 'deleted' | 'absent';

/** The change of a row, by its two images. */
export function changeOf(before: Print, after: Print): RowChange {
  if (before === ABSENT) return after === ABSENT ? 'absent' : 'created';
  return after === ABSENT ? 'deleted' : 'replaced';
}

/** Puts a row back as it was before an effect. */
export function putBack(db: RowDatabase, { table, key }: Row, effect: number, change: RowChange): void {
  const was = (column: string) =>
    `(SELECT value FROM belay_image WHERE effect = ${effect} AND side = 'before' AND col = '${column.replaceAll("'", "''")}')`;
  const statements: Record<RowChange, (() => void) | null> = {
    absent: null,
    created: () => void db.prepare(`DELETE FROM ${table.sql} WHERE ${table.where}`).run(...key),
    replaced: () => {
      const set = table.all.map((column) => `${quoted(column)} = ${was(column)}`).join(', ');
      db.prepare(`UPDATE ${table.sql} SET ${set} WHERE ${table.where}`).run(...key);
    },
    deleted: () => void insert(db, table, table.all.map(was)),
  };
  statements[change]?.();
}

function insert(db: RowDatabase, table: Table, values: readonly string[]): void {
  const columns = table.all.map(quoted).join(', ');
  db.prepare(`INSERT INTO ${table.sql} (${columns}) VALUES (${values.join(', ')})`).run();
}
