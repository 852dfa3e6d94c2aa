/** The PostgreSQL server of a benchmark: the one that BELAY_TEST_POSTGRES names, or one of this machine's binaries. */
import { type Server, startServer } from '../../test/postgres-server.ts';
import { cpuOfFamily } from './processor.ts';

/** Many processes with pools of their own take more connections and memory than a test does. */
const SETTINGS = ['max_connections=300', 'shared_buffers=256MB'];

/** A server, and what it uses of the processor. */
export interface Database {
  readonly server: Server;
  /** A place in it for one runtime. */
  place(): { readonly address: string; readonly schema: string };
  /** Microseconds since it began, those of its connections that are closed included; null where the server is on another machine. */
  cpu(): number | null;
  stop(): Promise<void>;
}

/** Starts the server; null where this machine has none and none was named. */
export async function startDatabase(): Promise<Database | null> {
  const server = await startServer(SETTINGS);
  if (server === null) return null;
  const pid = server.own ? await postmaster(server) : null;
  const schemas: string[] = [];
  return {
    server,
    place: () => {
      const schema = `bench_${process.pid}_${schemas.length}`;
      schemas.push(schema);
      return { address: server.address(), schema };
    },
    cpu: () => (pid === null ? null : cpuOfFamily(pid)),
    stop: async () => {
      // A server of its own goes with its folder.
      if (!server.own) for (const schema of schemas) await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await server.stop();
    },
  };
}

async function postmaster(server: Server): Promise<number> {
  const { rows } = await server.query(`SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`);
  return rows[0].pid;
}
