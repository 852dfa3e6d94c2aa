/**
 * Versions of rows: triggers number each change of a declared table, by any writer and over any connection, so the
 * number of a row tells whether it has changed since it was read (semantics.md E4).
 */
import { quoted, type RowDatabase } from './database.ts';
import type { Table, Target } from './tables.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS belay_version (version INTEGER PRIMARY KEY AUTOINCREMENT, tab TEXT NOT NULL, row TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS belay_version_row ON belay_version (tab, row);
`;

/** Makes the table of versions, and the triggers of the declared tables where they are missing. */
export function watchTables(db: RowDatabase, tables: Iterable<Table>): void {
  db.exec(TABLE);
  for (const table of tables) {
    const changes = { INSERT: ['NEW'], UPDATE: ['OLD', 'NEW'], DELETE: ['OLD'] };
    for (const [change, sides] of Object.entries(changes)) {
      const name = quoted(`belay_version_${nameOf(table)}_${change}`);
      const notes = sides.map((side) => note(table, side)).join(' ');
      db.exec(`CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${change} ON ${table.sql} BEGIN ${notes} END`);
    }
  }
}

/** The number of the last change of any row. */
export function versionNow(db: RowDatabase): number {
  const last = db.prepare("SELECT CAST(seq AS REAL) AS seq FROM sqlite_sequence WHERE name = 'belay_version'").get();
  return (last as { seq: number } | undefined)?.seq ?? 0;
}

/** True where a row was changed after a version: the row that the key names now, or the one that it named before. */
export function changedAfter(db: RowDatabase, { table, key }: Pick<Target, 'table' | 'key'>, version: number): boolean {
  const given = `SELECT ${rowOf(table)} FROM (SELECT ${table.key.map((column) => `? AS ${quoted(column)}`).join(', ')})`;
  const stored = `SELECT ${rowOf(table)} FROM ${table.sql} WHERE ${table.where}`;
  const query = `SELECT 1 FROM belay_version WHERE tab = ? AND version > ? AND row IN (${given} UNION ALL ${stored})`;
  return db.prepare(query).get(nameOf(table), version, ...key, ...key) !== undefined;
}

/** Notes a change: one line for each row, with the number of its last change. */
function note(table: Table, side: string): string {
  const [tab, row] = [`'${nameOf(table).replaceAll("'", "''")}'`, rowOf(table, `${side}.`)];
  return `DELETE FROM belay_version WHERE tab = ${tab} AND row = ${row}; INSERT INTO belay_version (tab, row) VALUES (${tab}, ${row});`;
}

function nameOf({ name, key }: Table): string {
  return JSON.stringify([name, ...key]);
}

/** The name of a row, by its key; equal for all keys that a collation or an affinity treats as one. */
function rowOf({ key }: Table, of = ''): string {
  const parts = key.map((column) => {
    const value = `${of}${quoted(column)}`;
    const text = `CASE WHEN typeof(${value}) IN ('integer', 'real') THEN printf('%!.17g', ${value}) ELSE CAST(${value} AS TEXT) END`;
    return `coalesce(lower(rtrim(${text})), '')`;
  });
  return parts.join(" || ' ' || ");
}
