// A worker of one release as a process of its own, which adopts: <file> <folder> <release> <when>. It is killed at a phase of a move, or never.
import { sqliteStore } from 'belay-sidecar/sqlite';
import { startWorker } from 'belay-sidecar/workers';
import { orderOf } from './order-releases.mjs';

const [file, folder, release, when] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');
/** The kind of the row of a move. */
const MIGRATED = 42;
const store = sqliteStore(file);

/** A journal that dies with its process at a phase of a move. */
function deadly(journal) {
  const append = journal.append.bind(journal);
  const close = journal.close.bind(journal);
  let isMoved = false;
  journal.append = (rows, note) => {
    isMoved ||= rows.some(({ kind }) => kind === MIGRATED);
    if (isMoved && when === 'before') die();
    const head = append(rows, note);
    if (isMoved && when === 'appended') die();
    return head;
  };
  journal.close = async (rest) => {
    if (isMoved && when === 'durable') die();
    await close(rest);
    if (isMoved && when === 'closed') die();
  };
  return journal;
}

const open = store.open.bind(store);
store.open = async (run, mode) => {
  const journal = deadly(await open(run, mode));
  if (when === 'leased') die();
  return journal;
};
const onTold = (told) => process.stdout.write(`${JSON.stringify(told)}\n`);
const agents = [orderOf(Number(release), folder)];
const worker = startWorker({ store, agents, folderOf: () => folder, pollMs: 20, adopt: when !== 'never', onTold });
process.on('SIGTERM', async () => {
  await worker.stop();
  await store.close();
  process.exit(0);
});
