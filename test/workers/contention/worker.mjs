/** A worker of a fleet in a process of its own. Arguments: the module of the agent, the store, the schema, the world, the milliseconds of an act, if claims keep runs apart. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startWorker } from 'belay-sidecar/workers';

const [agent, place, schema, world, ms, apart] = process.argv.slice(2);
const { agentIn } = await import(agent);
const store = place.startsWith('postgres')
  ? (await import('belay-sidecar/postgres')).postgresStore({
      address: place,
      schema,
      leaseMs: 5_000,
      pollMs: 200,
      connections: 2,
    })
  : (await import('belay-sidecar/sqlite')).sqliteStore(place, { busyMs: 20_000 });
const worker = startWorker({
  store,
  agents: [agentIn(world, Number(ms))],
  folderOf: (run) => {
    const folder = join(world, 'runs', run);
    mkdirSync(folder, { recursive: true });
    return folder;
  },
  concurrency: 4,
  ...(apart === 'false' && { claims: null }),
  pollMs: 100,
  lingerMs: 0,
  onTold: (told) => {
    if (told.is === 'taken' || told.is === 'left')
      console.log(JSON.stringify({ is: told.is, run: told.run, as: told.as }));
    if (told.is === 'store_failed')
      console.log(JSON.stringify({ is: 'store_failed', why: String(told.error?.message) }));
  },
});
process.on('SIGTERM', async () => {
  await worker.stop();
  await store.close();
});
