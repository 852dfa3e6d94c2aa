/** A process that gives its run back with a payment under way, and is killed once that is journaled. Arguments: the store, the folder of the bank. A script. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { until } from '../poll.ts';
import { Line } from './stations.ts';

const [place = '', schema = '', folder = ''] = process.argv.slice(2);
const under = schema === '' ? sqliteStore(place) : postgresStore({ address: place, schema, leaseMs: 2_000 });
const dying = wrapJournals(under, (journal) => ({
  close: async () => {
    await journal.flush();
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => {});
  },
}));
const asked = 'effect: irreversible, timeout: 20s, reconcile: { ask: bank, tries: 2, wait: 1ms }';
const line = new Line([{ name: 'a', tool: asked }], {
  a: async ({ key }) => {
    // It would pay later, and dies before that.
    await new Promise((resolve) => setTimeout(resolve, 60_000));
    appendFileSync(join(folder, 'paid'), `${key}\n`);
  },
});
const run = await line.begin({ journal: dying });
run.send('go');
await until(() => line.called('a') === 1);
await run.close();
