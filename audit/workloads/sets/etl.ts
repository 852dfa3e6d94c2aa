/**
 * Tables built from tables (jaffle_shop): each step reads what is there and loads a table of its own, by SQL, in SQLite. Units are
 * the tables. The warehouse keeps a history of its jobs, as warehouses do; a load that is made twice has its rows there twice.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from 'belay-sidecar';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { type Called, planned, type Step } from '../agent.ts';
import { beside } from '../root.ts';
import { contentOf, DataError, type DataSet, type Rows, records, type Task, type World } from '../set.ts';

const Row = z.record(z.string(), z.unknown());
type Row = Readonly<z.infer<typeof Row>>;

const Model = z.object({
  step: z.string(),
  reads: z.array(z.string()),
  writes: z.tuple([z.string()], z.string()),
  columns: z.array(z.string()),
  expected: z.array(Row),
  /** The query for its rows; left out where it is known here by the name of the step. */
  sql: z.string().optional(),
});
type Model = z.infer<typeof Model>;

const Warehouse = z.object({
  meta: z.object({ repo: z.string().optional() }).optional(),
  seeds: z.record(z.string(), z.array(Row)),
  steps: z.array(Model),
});
type Warehouse = z.infer<typeof Warehouse>;

const paid = (by: string) => `sum(iif(payment_method = '${by}', amount, 0)) AS ${by}_amount`;
/** The rows of each step, where its data does not say. Money is in cents at first, and in whole dollars from then on. */
const QUERIES: Readonly<Record<string, string>> = {
  stg_customers: 'SELECT id AS customer_id, first_name, last_name FROM raw_customers',
  stg_orders: 'SELECT id AS order_id, user_id AS customer_id, order_date, status FROM raw_orders',
  stg_payments: 'SELECT id AS payment_id, order_id, payment_method, amount / 100 AS amount FROM raw_payments',
  customers: `SELECT * FROM stg_customers LEFT JOIN (SELECT customer_id, min(order_date) AS first_order,
      max(order_date) AS most_recent_order, count(*) AS number_of_orders FROM stg_orders GROUP BY customer_id)
    USING (customer_id) LEFT JOIN (SELECT customer_id, sum(amount) AS customer_lifetime_value
      FROM stg_payments JOIN stg_orders USING (order_id) GROUP BY customer_id) USING (customer_id)`,
  orders: `SELECT * FROM stg_orders LEFT JOIN (SELECT order_id, sum(amount) AS amount,
      ${['credit_card', 'coupon', 'bank_transfer', 'gift_card'].map(paid)}
    FROM stg_payments GROUP BY order_id) USING (order_id)`,
};

const asks: Readonly<Record<string, string>> = {
  create_table: 'the warehouse keeps a history of its jobs. Created twice, it is created',
  load: 'the warehouse keeps a history of its jobs',
  record_load: 'the warehouse keeps a history of its jobs. Recorded twice, it is recorded',
};

function planOf({ steps }: Warehouse): Step[] {
  return steps.flatMap(({ step, reads, writes, columns, sql = QUERIES[step] }) => {
    if (sql === undefined) throw new DataError(`nobody here knows what the step ${step} loads, and it brings no sql`);
    if (writes.length !== 1) throw new DataError(`the step ${step} writes ${writes.length} tables, and not one`);
    const made = (tool: string, more: Step['with']): Step => ({ kind: 'table', unit: writes[0], tool, with: more });
    const sources = reads.map((source): Step => ({ ...made('read_source', { source }), uses: source }));
    return [...sources, ...Object.keys(asks).map((tool) => made(tool, { columns, sql: sql.replace(/[;\s]+$/, '') }))];
  });
}

type Asked = Called & Pick<Model, 'columns' | 'sql'> & { readonly source: string };
const unitOf = (args: Asked) => args.unit;
const named = (name: string) => `"${name.replaceAll('"', '""')}"`;
const columnsOf = (rows: readonly Row[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** A warehouse in memory. It writes down each job, and does not mind one that was done before. */
function open({ seeds, steps }: Warehouse): World {
  const db = new Database(':memory:');
  for (const [table, rows] of Object.entries(seeds)) {
    const values = columnsOf(rows).map((column) => `value ->> '${column.replaceAll("'", "''")}'`);
    db.exec(`CREATE TABLE ${named(table)} (${columnsOf(rows).map(named)})`);
    db.prepare(`INSERT INTO ${named(table)} SELECT ${values} FROM json_each(?)`).run(JSON.stringify(rows));
  }
  let jobs: readonly { readonly tool: string; readonly unit: string; readonly output: unknown }[] = [];
  /** The rows of tables as the world shows them, until the next job of each. */
  const shown = new Map<string, Rows>();
  const jobsOf = (name: string, of: string) => jobs.filter(({ tool, unit }) => tool === name && unit === of);
  const job = (tool: string, act: (asked: Asked) => unknown) => ({
    act: (args: Asked) => {
      shown.delete(unitOf(args));
      jobs = [...jobs, { tool, unit: unitOf(args), output: act(args) ?? null }];
      return jobs.at(-1)?.output;
    },
    change: {
      unit: unitOf,
      shows: (args: Asked): ReconcileResult => {
        const [found] = jobsOf(tool, unitOf(args));
        return found === undefined ? { is: 'not_applied' } : { is: 'applied', output: found.output };
      },
    },
  });
  const rowsOf = (table: string) => db.prepare<[], Row>(`SELECT rowid, * FROM ${named(table)} ORDER BY rowid`).all();
  const load = job('load', ({ unit, columns, sql }) => {
    const names = columns.map(named);
    const after = Number(rowsOf(unit).at(-1)?.rowid ?? 0);
    const { changes } = db.prepare(`INSERT INTO ${named(unit)} (${names}) SELECT ${names} FROM (${sql}\n)`).run();
    return { unit, after, upTo: after + changes };
  });
  const undo = (_: unknown, output: { unit: string; after: number; upTo: number }) => {
    const { unit, after, upTo } = output;
    shown.delete(unit);
    db.prepare(`DELETE FROM ${named(unit)} WHERE rowid > ? AND rowid <= ?`).run(after, upTo);
    jobs = jobs.filter((each) => !isDeepStrictEqual(each.output, output));
  };
  return {
    tools: {
      look: { act: (args: Asked) => jobs.filter(({ unit }) => unit === unitOf(args)) },
      read_source: { act: (args: Asked) => rowsOf(args.source).length },
      create_table: job('create_table', ({ unit, columns }) => {
        db.exec(`CREATE TABLE IF NOT EXISTS ${named(unit)} (${columns.map(named)})`);
      }),
      load: { ...load, change: { ...load.change, undo } },
      record_load: job('record_load', ({ unit }) => rowsOf(unit).length),
      verify: { act: (args: Asked) => rowsOf(unitOf(args)).length },
    },
    rows: () => {
      const there = steps.filter(({ writes: [unit] }) => jobsOf('create_table', unit).length > 0);
      const last = (unit: string) => jobsOf('record_load', unit).at(-1)?.output;
      for (const model of there.filter(({ writes: [unit] }) => !shown.has(unit)))
        shown.set(model.writes[0], counted(model, rowsOf(model.writes[0]), last(model.writes[0])));
      return Object.assign({}, ...there.map(({ writes: [unit] }) => shown.get(unit)));
    },
    close: () => db.close(),
  };
}

/** A table as rows: how many it has, how many are recorded, and of each how often it is there. */
function counted({ writes: [table], columns }: Model, rows: readonly Row[], recorded: unknown): Rows {
  const counts: Record<string, number> = {};
  for (const name of rows.map((row) => JSON.stringify(row, [...columns]))) counts[name] = (counts[name] ?? 0) + 1;
  const each = Object.entries(counts).map(([name, count]) => [`${table} ${name}`, count] as const);
  return { [table]: rows.length, [`catalog/${table}`]: recorded, ...Object.fromEntries(each) };
}

function taskOf(warehouse: Warehouse, index: number): Task {
  const { meta, seeds, steps } = warehouse;
  const empty = Object.keys(seeds).find((table) => columnsOf(seeds[table] ?? []).length === 0);
  if (empty !== undefined) throw new DataError(`${empty} has no rows, so nobody knows its columns`);
  const expected = Object.assign({}, ...steps.map((model) => counted(model, model.expected, model.expected.length)));
  const id = `${meta?.repo ?? 'warehouse'} ${index + 1}`;
  return { id, input: () => ({ plan: planOf(warehouse) }), open: () => open(warehouse), expected };
}

const MODELS = records(['step', 'reads', 'writes', 'columns', 'expected']);

export const etl: DataSet = {
  name: 'etl',
  about: 'tables that are built from tables, each loaded once into a warehouse',
  config: beside('sets/etl.yaml'),
  machine: planned('etl', { table: ['read_source', ...Object.keys(asks)] }),
  snapshots: ['table.LOOKING'],
  asks,
  files: { warehouses: { type: 'object', required: ['seeds', 'steps'], properties: { steps: MODELS } } },
  tasks: ({ warehouses = [] }) => warehouses.map((each, index) => taskOf(contentOf(Warehouse, each), index)),
};
