/** A server of a test file, and stores in schemas of their own that are closed after each test. */
import { afterAll, afterEach } from 'vitest';
import type { Journal, JournalStore, OpenMode } from '../../../src/journal/journal.ts';
import { type PostgresOptions, postgresStore } from '../../../src/journal/postgres/store.ts';
import { HANG } from '../../poll.ts';
import type { Server } from '../../postgres-server.ts';
import { row } from '../rows-of.ts';

let schemas = 0;

export function deskOf(server: Server) {
  const stores: JournalStore[] = [];
  const journals: Journal[] = [];
  const made: string[] = [];
  const close = async () => {
    for (const journal of journals.splice(0)) await journal.close().catch(() => {});
    for (const store of stores.splice(0)) await store.close();
  };
  afterEach(close);
  afterAll(async () => {
    if (!server.own) for (const each of made) await server.query(`DROP SCHEMA IF EXISTS "${each}" CASCADE`);
    await server.stop();
  });
  const schema = () => {
    schemas += 1;
    const name = `desk ${process.pid}.${schemas}`;
    made.push(name);
    return name;
  };
  const storeOf = (options: PostgresOptions): JournalStore => {
    const store = postgresStore({ address: server.address(), ...options });
    stores.push(store);
    return store;
  };
  const journalOf = async (store: JournalStore, run: string, mode: OpenMode = 'either'): Promise<Journal> => {
    const journal = await store.open(run, mode);
    journals.push(journal);
    return journal;
  };
  return {
    /** Closes what is open, while the way to the server is there: the runs are given back over it. */
    close,
    /** The name of a schema that is not there yet. */
    schema,
    store: storeOf,
    journal: journalOf,
    /** A run of three groups: rows 1 and 2, row 3, row 4. */
    async written() {
      const name = schema();
      const store = storeOf({ schema: name });
      const journal = await journalOf(store, 'a', 'create');
      for (const group of [[1, 2], [3], [4]]) {
        journal.append(group.map((each) => row(each)));
        await journal.flush();
      }
      return { schema: name, store, journal };
    },
  };
}

/** Waits until an attempt succeeds; one that fails otherwise than with a code fails. */
export async function until<T>(code: string, attempt: () => Promise<T>): Promise<T> {
  const end = Date.now() + HANG;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if ((error as { code?: unknown }).code !== code || Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
