/** The database that runtimes share, each in a schema of its own. */
import pg from 'pg';
import type { Place } from './work.ts';

/** The place of a runtime that needs PostgreSQL. */
export function postgresPlace({ postgres }: Place): NonNullable<Place['postgres']> {
  if (postgres === null) throw new Error('this runtime needs a PostgreSQL server');
  return postgres;
}

/** The bytes of all tables of a schema, with their indexes. */
export async function schemaBytes(address: string, schema: string): Promise<number> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query(
    `SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::float8 AS bytes
    FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'r'`,
    [schema],
  );
  await client.end();
  return rows[0].bytes;
}
