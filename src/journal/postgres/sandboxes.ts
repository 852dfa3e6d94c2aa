/** The sandboxes of a database. */
import type { SandboxDesk, SandboxRow } from '../sandboxes.ts';
import type { Database } from './database.ts';
import { whole } from './tables.ts';

const COLUMNS = 'run, name, key, provider, until';
const PUT = `INSERT INTO belay.sandbox (${COLUMNS}) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (run, name)
  DO UPDATE SET key = excluded.key, provider = excluded.provider, until = excluded.until, leased = 0`;
const LIST = `SELECT ${COLUMNS} FROM belay.sandbox WHERE run = coalesce($1, run) ORDER BY run, name`;
const TAKE = `UPDATE belay.sandbox b SET leased = $1::bigint + $3::bigint FROM (SELECT run AS r, name AS n FROM belay.sandbox
    WHERE until <= $1::bigint AND leased <= $1::bigint ORDER BY until LIMIT $2 FOR UPDATE SKIP LOCKED) d
  WHERE b.run = d.r AND b.name = d.n RETURNING ${COLUMNS}`;
const REMOVE = 'DELETE FROM belay.sandbox WHERE run = $1 AND name = $2 AND key = $3 AND until = $4';

/** The rows of one store. */
export class PostgresSandboxes implements SandboxDesk {
  readonly #database: Database;
  readonly #refuseIfClosed: () => void;

  constructor(database: Database, refuseIfClosed: () => void) {
    this.#database = database;
    this.#refuseIfClosed = refuseIfClosed;
  }

  async put({ run, name, key, provider, until }: SandboxRow): Promise<void> {
    await this.#ask('write', PUT, [run, name, key, provider, until]);
  }

  async list(run?: string): Promise<readonly SandboxRow[]> {
    return this.#ask('read', LIST, [run ?? null]);
  }

  take(now: number, limit: number, leaseMs: number): Promise<readonly SandboxRow[]> {
    return this.#ask('write', TAKE, [now, limit, leaseMs]);
  }

  async remove({ run, name, key, until }: SandboxRow): Promise<void> {
    await this.#ask('write', REMOVE, [run, name, key, until]);
  }

  async #ask(doing: 'read' | 'write', text: string, values: unknown[]): Promise<readonly SandboxRow[]> {
    this.#refuseIfClosed();
    await this.#database.identity();
    const rows = await this.#database.ask(doing, text, values);
    return rows.map(({ run, name, key, provider, until }) => ({
      ...{ run: String(run), name: String(name), key: String(key), provider: String(provider) },
      until: until == null ? null : whole(until),
    }));
  }
}
