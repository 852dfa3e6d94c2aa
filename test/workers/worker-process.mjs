/** A worker on PostgreSQL in a process of its own. Arguments: the address, the schema, the folder of the worlds. A script. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { postgresStore } from 'belay-sidecar/postgres';
import { startWorker } from 'belay-sidecar/workers';
import { agents } from '../../docs/workers/agents.mjs';

const [address, schema, folder] = process.argv.slice(2);
const store = postgresStore({ address, schema, leaseMs: 2_000, pollMs: 100 });
const worker = startWorker({
  store,
  agents: Object.values(agents),
  folderOf: (run) => {
    mkdirSync(join(folder, run), { recursive: true });
    return join(folder, run);
  },
  pollMs: 100,
  onTold: (told) => console.log(JSON.stringify(told)),
});
process.on('SIGTERM', async () => {
  await worker.stop();
  await store.close();
});
