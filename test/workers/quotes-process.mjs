// A worker as a process of its own, which is killed as it hears, decides about, or undoes for a complaint: <file> <folder> <when>.
import { sqliteStore } from 'belay-sidecar/sqlite';
import { startWorker } from 'belay-sidecar/workers';
import { quotes } from './quotes.mjs';

const [file, folder, when] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
const store = sqliteStore(file);

/** A journal that dies with its process: once a message was heard, or with the decision appended and not durable. */
function deadly(journal) {
  const posted = journal.posted.bind(journal);
  journal.posted = (after) => {
    const found = posted(after);
    if (when === 'hears' && found.length > 0) setTimeout(die, 0);
    return found;
  };
  const append = journal.append.bind(journal);
  journal.append = (rows, note) => {
    const head = append(rows, note);
    if (when === 'decides' && rows.some(({ kind }) => kind === 7)) journal.flush().then(die);
    return head;
  };
  return journal;
}

const open = store.open.bind(store);
store.open = async (run, mode) => deadly(await open(run, mode));
const agents = [quotes(folder, when === 'undoes' ? die : undefined)];
const onTold = (told) => {
  if (told.is === 'left') process.stdout.write(`${told.run} ${told.as.is}\n`);
};
const worker = startWorker({ store, agents, folderOf: () => folder, pollMs: 20, onTold });
process.on('SIGTERM', async () => {
  await worker.stop();
  await store.close();
  process.exit(0);
});
