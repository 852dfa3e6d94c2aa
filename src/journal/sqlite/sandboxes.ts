/** The sandboxes of a file. The table is no part of any hash chain, and has no value of a run. */
import type Database from 'better-sqlite3';
import type { Statement } from 'better-sqlite3';
import type { SandboxDesk, SandboxRow } from '../sandboxes.ts';
import { preparing } from './file/statements.ts';
import { atOnce, immediately } from './file/transaction.ts';

/** The table of sandboxes. */
export const SANDBOX_SQL = `
      CREATE TABLE sandbox (
        run TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, provider TEXT NOT NULL, until INTEGER,
        leased INTEGER NOT NULL, PRIMARY KEY (run, name)
      ) STRICT, WITHOUT ROWID;`;

const COLUMNS = 'run, name, key, provider, until';
const PUT = `INSERT INTO sandbox (${COLUMNS}, leased) VALUES (@run, @name, @key, @provider, @until, 0)
  ON CONFLICT (run, name) DO UPDATE SET key = @key, provider = @provider, until = @until, leased = 0`;
const DUE = 'SELECT 1 FROM sandbox WHERE until <= @now AND leased <= @now LIMIT 1';
const TAKE = `UPDATE sandbox SET leased = @leased WHERE (run, name) IN
  (SELECT run, name FROM sandbox WHERE until <= @now AND leased <= @now ORDER BY until LIMIT @limit) RETURNING ${COLUMNS}`;
const REMOVE = 'DELETE FROM sandbox WHERE run = @run AND name = @name AND key = @key AND until IS @until';

interface Host {
  readonly db: Database.Database;
  /** Makes a call to the file: turns errors of SQLite into the journal's own. */
  watched<T>(call: () => T, doing: 'read' | 'write'): T;
}

/** The rows of one open file. */
export class SqliteSandboxes implements SandboxDesk {
  readonly #host: Host;
  readonly #prepared: (sql: string) => Statement;

  constructor(host: Host) {
    this.#host = host;
    this.#prepared = preparing(host.db);
  }

  put(row: SandboxRow): void {
    this.#writing(() => this.#prepared(PUT).run(row));
  }

  list(run?: string): readonly SandboxRow[] {
    return this.#host.watched(() => atOnce(this.#host.db, () => listedSandboxes(this.#host.db, run)), 'read');
  }

  take(now: number, limit: number, leaseMs: number): readonly SandboxRow[] {
    // Where nothing is due, the file is not locked.
    const isAny = this.#host.watched(() => this.#prepared(DUE).get({ now }) !== undefined, 'read');
    if (!isAny) return [];
    const take = () => this.#prepared(TAKE).all({ now, limit, leased: now + leaseMs });
    return this.#writing(take) as SandboxRow[];
  }

  remove({ run, name, key, until }: SandboxRow): void {
    this.#writing(() => this.#prepared(REMOVE).run({ run, name, key, until }));
  }

  #writing<T>(call: () => T): T {
    return this.#host.watched(() => immediately(this.#host.db, call), 'write');
  }
}

/** The rows of a file, inside a transaction. */
export function listedSandboxes(db: Database.Database, run?: string): readonly SandboxRow[] {
  const list = `SELECT ${COLUMNS} FROM sandbox WHERE run = coalesce(?, run) ORDER BY run, name`;
  return db.prepare(list).all(run ?? null) as SandboxRow[];
}
