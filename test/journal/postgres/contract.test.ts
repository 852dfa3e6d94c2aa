import { afterAll, test } from 'vitest';
import { postgresStore } from '../../../src/journal/postgres/store.ts';
import { startServer } from '../../postgres-server.ts';
import { journalContract } from '../contract.ts';

const server = await startServer();
let schemas = 0;

afterAll(async () => {
  for (let each = 1; each <= schemas; each += 1)
    if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "contract ${process.pid}.${each}" CASCADE`);
  await server?.stop();
});

if (server === null) {
  test.skip('journal contract: postgres');
} else {
  const open = (now: () => number) => {
    schemas += 1;
    const schema = `contract ${process.pid}.${schemas}`;
    // Rows wait until they are flushed, however slow the machine is.
    return postgresStore({ address: server.address(), schema, now, delayMs: 60_000 });
  };
  journalContract('postgres', open, async (_store, run, messages) => {
    const schema = `"contract ${process.pid}.${schemas}"`;
    const id = `(SELECT id FROM ${schema}.run WHERE name = $1)`;
    const each = `SELECT ${id}, n, 1000, gen_random_uuid(), convert_to(n::text, 'UTF8') FROM generate_series(1, $2::int) n`;
    await server.query(`INSERT INTO ${schema}.inbox (run, number, time, nonce, body) ${each}`, [run, messages]);
    await server.query(`UPDATE ${schema}.run SET posts = $2 WHERE name = $1`, [run, messages]);
  });
}
