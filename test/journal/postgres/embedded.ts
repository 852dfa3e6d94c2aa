/** PostgreSQL within this process, for the contract where there is no server: one connection, nothing on disk, and no network between. */
import { PGlite, types } from '@electric-sql/pglite';
import type { PostgresPool } from '../../../src/journal/postgres/database.ts';

/** Starts it. Types come back as the driver `pg` has them. */
export async function embeddedPool(): Promise<PostgresPool> {
  const database = await PGlite.create({
    // A store refuses a server that runs with fsync = off.
    startParams: [...PGlite.defaultStartParams, '-c', 'fsync=on'],
    parsers: { [types.BYTEA]: (hex) => Buffer.from(hex.slice(2), 'hex'), [types.INT8]: (digits) => digits },
  });
  return {
    async query(text, values) {
      // Without values there may be several statements, as with `pg`.
      if (values === undefined) return (await database.exec(text)).at(-1) ?? { rows: [] };
      return database.query(text, values);
    },
    end: () => database.close(),
  };
}
