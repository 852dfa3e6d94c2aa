/**
 * The database into which the tables are loaded, in one SQLite file, with what else a batch leaves behind: its number, rows in
 * quarantine, watermarks and records. Its constraints have the last word on a row. `loads` and `moves` count how often something
 * was done, so that what is done twice is seen.
 */
import { SqliteError } from 'better-sqlite3';
import { there } from '../there.ts';
import {
  type Bad,
  type Clean,
  type Line,
  type Loaded,
  type Opened,
  type Request,
  TABLES,
  type Table,
  type Watermark,
} from './batch.ts';
import { Changes } from './changes.ts';

const SCHEMA = `
  CREATE TABLE batch (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TABLE customers (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL UNIQUE, country TEXT NOT NULL,
    loads INTEGER NOT NULL) STRICT;
  CREATE TABLE orders (id TEXT NOT NULL PRIMARY KEY, customer TEXT NOT NULL REFERENCES customers (id), country TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (cents > 0), status TEXT NOT NULL, loads INTEGER NOT NULL) STRICT;
  CREATE TABLE payments (id TEXT NOT NULL PRIMARY KEY, "order" TEXT NOT NULL REFERENCES orders (id), customer TEXT NOT NULL,
    cents INTEGER NOT NULL CHECK (cents > 0), method TEXT NOT NULL, loads INTEGER NOT NULL) STRICT;
  CREATE TABLE quarantine (source TEXT NOT NULL, delivery INTEGER NOT NULL, id TEXT NOT NULL, reason TEXT NOT NULL) STRICT;
  CREATE TABLE watermark (source TEXT NOT NULL PRIMARY KEY, up_to INTEGER NOT NULL, moves INTEGER NOT NULL) STRICT;
  CREATE TABLE record (batch TEXT NOT NULL PRIMARY KEY, orders INTEGER NOT NULL, set_aside INTEGER NOT NULL) STRICT;
`;

/** The column that a row takes over from the row that it refers to. */
const BROUGHT: Record<Table, { readonly from: Table; readonly column: string } | null> = {
  customers: null,
  orders: { from: 'customers', column: 'country' },
  payments: { from: 'orders', column: 'customer' },
};

const REPORT = `
  SELECT c.country, count(DISTINCT c.id) AS customers, count(o.id) AS orders, coalesce(sum(o.cents), 0) AS ordered,
    coalesce(sum((SELECT sum(p.cents) FROM payments p WHERE p."order" = o.id)), 0) AS paid
  FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.country ORDER BY c.country`;

/** The table whose rows the rows of a table refer to; null where they refer to none. */
export function parentOf(table: Table): Table | null {
  return BROUGHT[table]?.from ?? null;
}

/** The database of a world. */
export class Warehouse extends Changes {
  /** Opens a file; an empty one gets its tables. */
  constructor(file: string) {
    super(file, (empty) => empty.execute(SCHEMA));
  }

  /** Opens a batch under the next number. */
  open({ batch, tables }: Request, key: string | undefined): Opened {
    return this.change(key, null, () => {
      this.run('INSERT INTO batch (name) VALUES (?)', batch);
      const [last] = this.all<{ number: number }>('SELECT max(number) AS number FROM batch');
      return { number: there(last, 'batch').number, tables: TABLES.filter((table) => tables.includes(table)) };
    });
  }

  /** The values that a row of a table takes over from the row that it refers to; null where that row is missing. */
  brought(table: Table, id: string): string | null {
    const brought = BROUGHT[table];
    if (brought === null) return null;
    const sql = `SELECT ${brought.column} AS value FROM ${brought.from} WHERE id = ?`;
    return this.all<{ value: string }>(sql, id)[0]?.value ?? null;
  }

  /** Puts rows of a delivery into quarantine. */
  quarantine(table: Table, delivery: number, rows: readonly Bad[], key: string | undefined): readonly string[] {
    const place = { table: 'quarantine', column: 'source', values: [table] };
    return this.change(key, place, () => {
      for (const { id, reason } of rows)
        this.run('INSERT INTO quarantine VALUES (?, ?, ?, ?)', table, delivery, id, reason);
      return rows.map(({ id }) => id);
    });
  }

  /** Loads a delivery: new rows are added, rows that are there are changed. Where one is refused, none is loaded. */
  load(table: Table, delivery: number, rows: readonly Clean[], key: string | undefined): Loaded {
    const place = { table, column: 'id', values: rows.map(({ id }) => String(id)) };
    return this.change(key, place, () => {
      this.execute('SAVEPOINT loading');
      const refused = rows.flatMap((row) => this.#upsert(table, row));
      this.execute(refused.length > 0 ? 'ROLLBACK TO loading; RELEASE loading' : 'RELEASE loading');
      return { delivery, rows: refused.length > 0 ? 0 : rows.length, refused };
    });
  }

  /** Moves a watermark. */
  advance(table: Table, to: Watermark, key: string | undefined): Watermark {
    const place = { table: 'watermark', column: 'source', values: [table] };
    return this.change(key, place, () => {
      const sql = 'ON CONFLICT (source) DO UPDATE SET up_to = excluded.up_to, moves = moves + 1';
      this.run(`INSERT INTO watermark VALUES (?, ?, 1) ${sql}`, table, to.upTo);
      return to;
    });
  }

  /** The content of the report. */
  report(): readonly Line[] {
    return this.all(REPORT);
  }

  /** Files the record of a batch. Filed again, it is the same. */
  file(batch: string, key: string | undefined): void {
    this.change(key, null, () => {
      const counts = '(SELECT count(*) FROM orders), (SELECT count(*) FROM quarantine)';
      this.run(`INSERT OR REPLACE INTO record VALUES (?, ${counts})`, batch);
      return null;
    });
  }

  /** Every row, in order. The notes of what was done are no part of it. */
  rows(): Readonly<Record<string, readonly object[]>> {
    const orders = { batch: 'number', quarantine: 'source, delivery, id', watermark: 'source', record: 'batch' };
    const all = { ...orders, customers: 'id', orders: 'id', payments: 'id' };
    return Object.fromEntries(
      Object.entries(all).map(([table, order]) => [
        table,
        this.all<object>(`SELECT * FROM ${table} ORDER BY ${order}`),
      ]),
    );
  }

  /** Writes a row; where a constraint does not take it, that is the answer. */
  #upsert(table: Table, row: Clean): readonly Bad[] {
    const columns = Object.keys(row).map((column) => `"${column}"`);
    const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}, loads) VALUES (${columns.map(() => '?').join(', ')}, 1)
      ON CONFLICT (id) DO UPDATE SET ${changes}, loads = loads + 1`;
    try {
      this.run(sql, ...Object.values(row));
      return [];
    } catch (error) {
      if (!(error instanceof SqliteError && error.code.startsWith('SQLITE_CONSTRAINT'))) throw error;
      return [{ id: String(row.id), reason: error.message }];
    }
  }
}
