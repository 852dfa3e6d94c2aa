/** Files of every past format, from what format 7 wrote (format-7.json): an earlier format has the tables that were there already. */
import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { APPLICATION_ID, MIGRATIONS } from '../../src/journal/sqlite/file/format.ts';

type Cell = string | number | null;
interface Fixture {
  readonly tables: Readonly<Record<string, readonly (readonly Cell[])[]>>;
  readonly anchor: string;
}

const FIXTURES: Readonly<Record<'plain' | 'sealed', Fixture>> = JSON.parse(
  readFileSync(new URL('format-7.json', import.meta.url), 'utf8'),
);

/** The key of the sealed one. */
export const OLD_KEY = Buffer.alloc(32, 7);

const of = (time: number, ...bodies: [number, string][]) => bodies.map(([kind, body]) => ({ kind, body, time }));
const numbered = (rows: { kind: number; body: string; time: number }[]) =>
  rows.map((row, index) => ({ seq: index + 1, ...row }));

/** The rows that it has, by run. */
export const OLD_ROWS = {
  left: numbered(of(1_700_000_000_252, [1, '"worked"'])),
  a: numbered(
    [91, 119, 147].flatMap((time, index) =>
      of(
        1_700_000_000_000 + time,
        [1, `"a ${index + 1}"`],
        [2, JSON.stringify({ n: index + 1, text: 'Grüße \u{1F9FE}' })],
      ),
    ),
  ),
  b: numbered([
    ...[98, 126, 154].flatMap((time, index) => of(1_700_000_000_000 + time, [1, JSON.stringify(['b', index + 1])])),
    ...of(1_700_000_000_175, [3, '"the last of b"']),
  ]),
  empty: [],
};

/** Makes a file of a past format, with its anchor. @param sql what is changed in it. */
export function olderFile(path: string, format: number, { kind = 'plain' as keyof typeof FIXTURES, sql = '' } = {}) {
  const { tables, anchor } = FIXTURES[kind];
  const db = new Database(path);
  db.exec('PRAGMA page_size = 4096; BEGIN');
  for (const step of MIGRATIONS) if (step.to <= format) db.exec(step.sql);
  const there = new Set(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all());
  for (const [table, rows] of Object.entries(tables)) {
    if (!there.has(table)) continue;
    db.exec(`DELETE FROM ${table}`);
    for (const row of rows) {
      const cells = row.map((cell) =>
        typeof cell === 'string' && /^x([0-9a-f]{2})*$/.test(cell) ? Buffer.from(cell.slice(1), 'hex') : cell,
      );
      db.prepare(`INSERT INTO ${table} VALUES (${cells.map(() => '?').join()})`).run(...cells);
    }
  }
  db.exec(sql);
  db.exec(`COMMIT; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${format}`);
  db.pragma('journal_mode = WAL');
  db.close();
  writeFileSync(`${path}-anchor`, Buffer.from(anchor, 'hex'));
}
