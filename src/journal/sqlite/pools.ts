/** The pools of a file (J10). */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import { Freed } from '../claims.ts';
import { hasRoom, type Pool, type PoolChange, type PoolDesk, type PoolListed, type Reserved } from '../pools.ts';
import { preparing } from './file/statements.ts';
import { atOnce, immediately } from './file/transaction.ts';

/** The tables of pools: `pool` has a row for each, `pool_call` one for each call that has something reserved, `pool_run` what each run has spent. */
export const POOL_SQL = `
      CREATE TABLE pool (name TEXT PRIMARY KEY, most INTEGER NOT NULL, spent INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE pool_call (
        pool TEXT NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, amount INTEGER NOT NULL, open INTEGER NOT NULL,
        PRIMARY KEY (pool, run, call)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE pool_run (
        pool TEXT NOT NULL, run TEXT NOT NULL, spent INTEGER NOT NULL, PRIMARY KEY (pool, run)
      ) STRICT, WITHOUT ROWID;`;

interface Host {
  readonly db: Database.Database;
  /** Makes a call to the file: turns errors of SQLite into the journal's own. */
  watched<T>(call: () => T, doing: 'read' | 'write'): T;
}

/** The pools of one open file. */
export class SqlitePools implements PoolDesk {
  readonly pollMs = 25;
  readonly #host: Host;
  readonly #prepared: (sql: string) => Statement;
  readonly #freed = new Freed();

  constructor(host: Host) {
    this.#host = host;
    this.#prepared = preparing(host.db);
  }

  join(name: string, limit: number): number {
    const known = this.pool(name);
    if (known !== null) return known.limit;
    const make = () => {
      this.#prepared('INSERT INTO pool VALUES (?, ?, 0) ON CONFLICT (name) DO NOTHING').run(name, limit);
      return read(this.#prepared, name)?.limit ?? limit;
    };
    return this.#host.watched(() => immediately(this.#host.db, make), 'write');
  }

  pool(name: string): Pool | null {
    return this.#host.watched(() => atOnce(this.#host.db, () => read(this.#prepared, name)), 'read');
  }

  list(): readonly PoolListed[] {
    return this.#host.watched(() => atOnce(this.#host.db, () => listedPools(this.#host.db)), 'read');
  }

  limit(name: string, limit: number): boolean {
    const set = () => this.#prepared('UPDATE pool SET most = ? WHERE name = ?').run(limit, name).changes > 0;
    const isThere = this.#host.watched(() => immediately(this.#host.db, set), 'write');
    this.#freed.tell();
    return isThere;
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }

  /** Makes the changes of a commit of a run, inside its transaction. */
  change(run: string, changes: readonly PoolChange[]): void {
    for (const change of changes) changed(this.#prepared, run, change);
    if (changes.length > 0) setImmediate(() => this.#freed.tell());
  }
}

function changed(
  prepared: (sql: string) => Statement,
  run: string,
  { pool, call, amount, spent, open }: PoolChange,
): void {
  if (spent !== 0) {
    prepared('UPDATE pool SET spent = spent + ? WHERE name = ?').run(spent, pool);
    const sql = `INSERT INTO pool_run VALUES (?, ?, ?) ON CONFLICT (pool, run) DO UPDATE SET spent = spent + excluded.spent`;
    prepared(sql).run(pool, run, spent);
  }
  const sums = `SELECT p.most AS "limit", p.spent, (SELECT coalesce(sum(amount), 0) FROM pool_call WHERE pool = p.name) AS held,
    (SELECT amount FROM pool_call WHERE pool = p.name AND run = ? AND call = ?) AS before FROM pool p WHERE p.name = ?`;
  const seen = prepared(sums).get(run, call, pool) as
    | { limit: number; spent: number; held: number; before: number | null }
    | undefined;
  if (seen === undefined) return;
  const before = seen.before ?? 0;
  const now = hasRoom(seen, before, amount) ? amount : before;
  if (now === 0) prepared('DELETE FROM pool_call WHERE pool = ? AND run = ? AND call = ?').run(pool, run, call);
  else
    prepared(
      `INSERT INTO pool_call VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (pool, run, call) DO UPDATE SET amount = excluded.amount, open = excluded.open`,
    ).run(pool, run, call, now, open ? 1 : 0);
}

function read(prepared: (sql: string) => Statement, name: string): Pool | null {
  const row = prepared('SELECT name, most, spent FROM pool WHERE name = ?').get(name) as
    | { name: string; most: number; spent: number }
    | undefined;
  if (row === undefined) return null;
  const calls = prepared('SELECT run, call, amount, open FROM pool_call WHERE pool = ? ORDER BY run, call').all(name);
  const reserved = (calls as (Omit<Reserved, 'open'> & { open: number })[]).map((each) => ({
    ...each,
    open: each.open === 1,
  }));
  return { name: row.name, limit: row.most, spent: row.spent, reserved };
}

/** The pools of a file, inside a transaction. */
export function listedPools(db: Database.Database): readonly PoolListed[] {
  const prepared = preparing(db);
  const names = prepared('SELECT name FROM pool ORDER BY name').all() as { name: string }[];
  return names.flatMap(({ name }) => {
    const pool = read(prepared, name);
    const spentBy = prepared('SELECT run, spent FROM pool_run WHERE pool = ? ORDER BY run').all(name);
    return pool === null ? [] : [{ ...pool, spentBy: spentBy as { run: string; spent: number }[] }];
  });
}

/** A run was deleted, inside a transaction: what its calls have reserved counts as spent. */
export function settleDeleted(db: Database.Database, run: string): void {
  const prepared = preparing(db);
  const rows = prepared('SELECT pool, call, amount FROM pool_call WHERE run = ?').all(run);
  for (const { pool, call, amount } of rows as { pool: string; call: string; amount: number }[])
    changed(prepared, run, { pool, call, amount: 0, spent: amount, open: false });
}
