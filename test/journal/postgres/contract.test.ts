/** The contract of a store on PostgreSQL: on a server where there is one, and within the process. */
import { afterAll } from 'vitest';
import type { PostgresPool } from '../../../src/journal/postgres/database.ts';
import { type PostgresOptions, postgresStore } from '../../../src/journal/postgres/store.ts';
import { startServer } from '../../postgres-server.ts';
import { journalContract } from '../contract.ts';
import { embeddedPool } from './embedded.ts';

const server = await startServer();
const embedded = await embeddedPool();
const made: string[] = [];

afterAll(async () => {
  if (server?.own === false) for (const each of made) await server.query(`DROP SCHEMA IF EXISTS "${each}" CASCADE`);
  await server?.stop();
  await embedded.end();
});

/** Runs the contract on stores in schemas of their own. */
function contractOn(name: string, way: PostgresOptions, query: PostgresPool['query']): void {
  let schema = '';
  const open = (now: () => number) => {
    schema = `contract ${process.pid}.${made.length}`;
    made.push(schema);
    // Rows wait until they are flushed, however slow the machine is.
    return postgresStore({ ...way, schema, now, delayMs: 60_000 });
  };
  journalContract(name, open, {
    messages: async (_store, run, count) => {
      const id = `(SELECT id FROM "${schema}".run WHERE name = $1)`;
      const each = `SELECT ${id}, n, 1000, gen_random_uuid(), convert_to(n::text, 'UTF8') FROM generate_series(1, $2::int) n`;
      await query(`INSERT INTO "${schema}".inbox (run, number, time, nonce, body) ${each}`, [run, count]);
      await query(`UPDATE "${schema}".run SET posts = $2 WHERE name = $1`, [run, count]);
    },
    runs: async (store, count) => {
      await store.runs();
      await query(`INSERT INTO "${schema}".run (name) SELECT 'run ' || n FROM generate_series(1, $1::int) n`, [count]);
    },
  });
}

if (server !== null) contractOn('postgres', { address: server.address() }, server.query.bind(server));
contractOn('postgres in this process (PGlite)', { pool: embedded }, embedded.query);
