/** A process that takes steps and closes its run, and dies at a moment around the base that is kept there. */
import { sqliteStore } from '../../../src/journal/sqlite/store.ts';
import { wrapJournals } from '../../../src/testing/wrap-journals.ts';
import { opened, steps } from './agent.ts';

const [path = '', moment = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
let isClosing = false;
const store = wrapJournals(sqliteStore(path), (journal) => ({
  keep: (base) => {
    if (isClosing && moment === 'before it is kept') die();
    journal.keep(base);
    if (isClosing && moment === 'once it is handed over') die();
  },
  close: async (rest) => {
    const closed = journal.close(rest);
    if (moment === 'while its file is written') die();
    await closed;
    if (moment === 'once the journal is closed') die();
  },
}));
// Bases come after a hundred rows, and at a close after an eighth of that.
const sidecar = await opened(store, 'attach', 100);
steps(sidecar, 0, 60);
await sidecar.durable();
isClosing = true;
await sidecar.close();
throw new Error(`it did not die ${moment}`);
