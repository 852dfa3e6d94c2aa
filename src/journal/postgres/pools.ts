/** The pools of a database (J10). The row of a pool is the lock of every change to it. */
import { Freed } from '../claims.ts';
import type { Pool, PoolChange, PoolDesk, PoolListed, Reserved } from '../pools.ts';
import type { Database } from './database.ts';
import { whole } from './tables.ts';

/** The tables of pools, and the function that makes the changes of commits to them; its caller holds the runs. */
export const POOL_SCHEMA = `
CREATE TABLE belay.pool (name text COLLATE "C" PRIMARY KEY, most bigint NOT NULL, spent bigint NOT NULL);
CREATE TABLE belay.pool_call (
  pool text COLLATE "C" NOT NULL, run text COLLATE "C" NOT NULL, call text COLLATE "C" NOT NULL,
  amount bigint NOT NULL, open boolean NOT NULL, PRIMARY KEY (pool, run, call)
);
CREATE INDEX pool_call_run ON belay.pool_call (run);
CREATE TABLE belay.pool_run (
  pool text COLLATE "C" NOT NULL, run text COLLATE "C" NOT NULL, spent bigint NOT NULL, PRIMARY KEY (pool, run)
);
CREATE FUNCTION belay.pool_change(p_kept bigint[], p_changes jsonb) RETURNS void LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  c record;
  before bigint;
  room bigint;
BEGIN
  PERFORM FROM belay.pool WHERE name IN (SELECT x.pool FROM jsonb_to_recordset(p_changes) AS x (pool text))
    ORDER BY name FOR UPDATE;
  FOR c IN SELECT x.*, r.name FROM ROWS FROM (jsonb_to_recordset(p_changes) AS
      (owner bigint, pool text, call text, amount bigint, spent bigint, open boolean))
      WITH ORDINALITY AS x (owner, pool, call, amount, spent, open, nth)
    JOIN belay.run r ON r.id = x.owner JOIN belay.pool p ON p.name = x.pool
    WHERE x.owner = ANY (p_kept) ORDER BY x.nth
  LOOP
    IF c.spent <> 0 THEN
      UPDATE belay.pool SET spent = spent + c.spent WHERE name = c.pool;
      INSERT INTO belay.pool_run AS t (pool, run, spent) VALUES (c.pool, c.name, c.spent)
        ON CONFLICT (pool, run) DO UPDATE SET spent = t.spent + excluded.spent;
    END IF;
    SELECT coalesce(max(amount), 0) INTO before FROM belay.pool_call
      WHERE pool = c.pool AND run = c.name AND call = c.call;
    SELECT p.most - p.spent - coalesce((SELECT sum(amount) FROM belay.pool_call WHERE pool = c.pool), 0)
      INTO room FROM belay.pool p WHERE p.name = c.pool;
    IF c.amount <= before OR c.amount - before <= room THEN before := c.amount; END IF;
    DELETE FROM belay.pool_call WHERE pool = c.pool AND run = c.name AND call = c.call;
    IF before > 0 THEN INSERT INTO belay.pool_call VALUES (c.pool, c.name, c.call, before, c.open); END IF;
  END LOOP;
END $belay$;`;

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

/** The changes of the commits of runs, as a value. */
export function poolsOf(changes: readonly { readonly run: number; readonly pools: readonly PoolChange[] }[]): string {
  return JSON.stringify(changes.flatMap(({ run, pools }) => pools.map((change) => ({ owner: run, ...change }))));
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
