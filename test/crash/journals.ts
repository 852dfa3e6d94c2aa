/** Where the journals of trials lie, and what is in them: a file each, or a schema each of a server. */
import { existsSync, statSync } from 'node:fs';
import { gathered } from '../../src/journal/gathered.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { type PostgresOptions, postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { Server } from '../postgres-server.ts';
import type { Task } from './agent.ts';

/** A server where journals lie: where the journal of a trial is, and how the server is killed. */
export interface Database {
  place(world: string): PostgresOptions;
  crash(): Promise<void>;
}

/** The journals of a server: each trial has a schema of its own, and a lease that ends soon. */
export function databaseOf(server: Server): Database {
  return {
    place: (world) => ({ address: server.address(), schema: world, leaseMs: 1_000 }),
    crash: () => server.crash(),
  };
}

/** The durable rows of the journal of a task. */
export async function rowsIn({ file, postgres }: Task): Promise<readonly StoredRow[]> {
  if (postgres === undefined) return rowsOf(file);
  const store = postgresStore(postgres);
  try {
    return (await store.run('r')) === null ? [] : [...(await gathered(store.read('r')))];
  } finally {
    await store.close();
  }
}

/** The rows that are durable; none where a process was killed before it had made the file. */
export function rowsOf(file: string): StoredRow[] {
  if (!existsSync(file) || statSync(file).size === 0) return [];
  const store = sqliteStore(file, { readonly: true });
  try {
    return store.runs().some(({ run }) => run === 'r') ? [...store.read('r')] : [];
  } finally {
    void store.close();
  }
}
