/** A store of each kind for the tests of one file: in memory, in a file, and in PostgreSQL where there is a server. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { startServer } from '../postgres-server.ts';
import { scratchFolder } from '../scratch.ts';

/** Opens what the stores of a test file need, and removes it after its tests. */
export async function everyStore(name: string) {
  const folder = scratchFolder(name);
  mkdirSync(folder, { recursive: true });
  const server = await startServer();
  const schema = `${name} ${process.pid}`;
  let count = 0;
  afterAll(async () => {
    if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await server?.stop();
  });
  /** A path in the folder that nothing has used. */
  const path = (of: string) => join(folder, `${++count} ${of}`);
  /** The address of a schema that nothing has used; null where there is no server. */
  const database = server === null ? null : () => ({ address: server.address(), schema: `${schema} ${++count}` });
  const stores: Record<string, () => JournalStore> = {
    memory: () => memoryStore(),
    'a file': () => sqliteStore(path('runs.db')),
    ...(database !== null && { PostgreSQL: () => postgresStore(database()) }),
  };
  return { stores, path, database };
}
