/** The pools of a database (J10). The row of a pool is the lock of every change to it. */
import { Freed } from '../claims.ts';
import type { Pool, PoolChange, PoolDesk, PoolListed, Reserved } from '../pools.ts';
import type { Database } from './database.ts';
import { whole } from './tables.ts';

const POOL = `SELECT p.name, p.most, p.spent, (SELECT coalesce(jsonb_agg(jsonb_build_object('run', run, 'call', call,
    'amount', amount, 'open', open) ORDER BY run, call), '[]') FROM belay.pool_call WHERE pool = p.name) AS reserved`;
const ONE = `${POOL} FROM belay.pool p WHERE p.name = $1`;
const LIST = `${POOL}, (SELECT coalesce(jsonb_agg(jsonb_build_object('run', run, 'spent', spent) ORDER BY run), '[]')
    FROM belay.pool_run WHERE pool = p.name) AS spent_by FROM belay.pool p ORDER BY p.name`;
const JOIN = 'INSERT INTO belay.pool VALUES ($1, $2, 0) ON CONFLICT (name) DO NOTHING';
const LIMIT = 'UPDATE belay.pool SET most = $2 WHERE name = $1 RETURNING name';

/** The pools of one store. */
export class PostgresPools implements PoolDesk {
  readonly pollMs = 200;
  readonly #database: Database;
  readonly #refuseIfClosed: () => void;
  readonly #freed = new Freed();

  constructor(database: Database, refuseIfClosed: () => void) {
    this.#database = database;
    this.#refuseIfClosed = refuseIfClosed;
  }

  async join(name: string, limit: number): Promise<number> {
    const known = await this.pool(name);
    if (known !== null) return known.limit;
    await this.#database.ask('write', JOIN, [name, limit]);
    return (await this.pool(name))?.limit ?? limit;
  }

  async pool(name: string): Promise<Pool | null> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const [row] = await this.#database.ask('read', ONE, [name]);
    return row === undefined ? null : poolOf(row);
  }

  async list(): Promise<readonly PoolListed[]> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const rows = await this.#database.ask('read', LIST);
    return rows.map((row) => ({ ...poolOf(row), spentBy: row.spent_by as PoolListed['spentBy'] }));
  }

  async limit(name: string, limit: number): Promise<boolean> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const [row] = await this.#database.ask('write', LIMIT, [name, limit]);
    this.#freed.tell();
    return row !== undefined;
  }

  onFreed(listener: () => void): () => void {
    return this.#freed.onFreed(listener);
  }

  /** A commit of this process has changed pools. */
  changed(): void {
    this.#freed.tell();
  }
}

/**
 * The changes of the commits of runs, as a value.
 * @param isSure true for commits that were durable before: their calls may have left, so that the limit is not asked.
 */
export function poolsOf(
  changes: readonly { readonly run: number; readonly pools: readonly PoolChange[] }[],
  isSure: boolean,
): string {
  const rows = changes.flatMap(({ run, pools }) => pools.map((each) => ({ owner: run, ...each, sure: isSure })));
  return JSON.stringify(rows);
}

function poolOf(row: Readonly<Record<string, unknown>>): Pool {
  const { name, most, spent, reserved } = row;
  return {
    name: String(name),
    limit: whole(most) ?? 0,
    spent: whole(spent) ?? 0,
    reserved: reserved as readonly Reserved[],
  };
}
