/**
 * An agent that books an amount from one account to another, on a real database, and dies at the n-th append to its journal. Runs the
 * built package. Arguments: a folder, and the append at which it dies (0: never).
 */
import { join } from 'node:path';
import { loadConfig } from 'belay-sidecar';
import { rowAdapter } from 'belay-sidecar/adapters';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { resume, tool } from 'belay-sidecar/xstate';
import Database from 'better-sqlite3';
import { assign, setup } from 'xstate';

const [folder, at] = process.argv.slice(2);
const db = new Database(join(folder, 'books.sqlite'));
db.exec('CREATE TABLE IF NOT EXISTS line (id TEXT PRIMARY KEY, account TEXT NOT NULL, cents INTEGER NOT NULL)');
const rows = rowAdapter(db, {
  tables: { line: { key: ['id'], columns: ['account', 'cents'] } },
  invariants: [{ id: 'balanced', sql: 'SELECT coalesce(sum(cents), 0) = 0 FROM line' }],
});

const { config } = loadConfig(
  `belay: 1
agent: books
tools:
  look: { reads: ["book:**"], writes: [seen], effect: none }
  debit: { reads: [seen], writes: ["book:debit"], effect: reversible, undo: put_back, reconcile: find, buffer: rows }
  credit: { reads: [seen], writes: [booked, "book:credit"], effect: reversible, undo: put_back, reconcile: find, buffer: rows }
  check: { reads: [], writes: [checked], effect: none }
skeletons:
  Post:
    entity: '"it"'
    states: [looking, debiting, checking, crediting]
    entry: [looking]
    outputs: [seen, checked, booked, "book:**"]
    commit:
      - { id: seen, at: debiting, when: memory.seen != null, outputs: [seen] }
    exit:
      - id: posted
        at: crediting -> posted
        when: memory.booked != null
        outputs: [booked]
        invariants: [{ id: balanced, sum: { debit: args.set.cents, credit: args.set.cents }, is: 0 }]
    rollback: { anchors: [seen, posted], resume: crediting }`,
  { file: 'books.yaml' },
);

let checks = 0;
const row = (id, account, cents) => () => ({ table: 'line', key: { id }, set: { account, cents } });
const machine = setup({
  actors: {
    look: tool(async () => 'an empty book'),
    debit: tool(rows.stage),
    credit: tool(rows.stage),
    check: tool(async () => {
      checks += 1;
      if (checks === 1) throw new Error('the auditor was out');
      return true;
    }),
  },
}).createMachine({
  id: 'books',
  context: { seen: null, checked: null, booked: null },
  initial: 'looking',
  states: {
    looking: {
      invoke: { src: 'look', onDone: { target: 'debiting', actions: assign({ seen: ({ event }) => event.output }) } },
    },
    debiting: { invoke: { src: 'debit', input: row('1', 'cash', -5000), onDone: 'checking' } },
    checking: {
      invoke: {
        src: 'check',
        onDone: { target: 'crediting', actions: assign({ checked: ({ event }) => event.output }) },
      },
    },
    crediting: {
      invoke: {
        src: 'credit',
        input: row('2', 'rent', 5000),
        onDone: { target: 'posted', actions: assign({ booked: 1 }) },
      },
    },
    posted: { type: 'final' },
  },
});

let appends = 0;
const store = sqliteStore(join(folder, 'journal.sqlite'));
/** A journal that kills its process at an append; it only delegates otherwise. */
function dying(journal) {
  const append = journal.append.bind(journal);
  journal.append = (entries) => {
    appends += 1;
    if (appends === Number(at)) process.kill(process.pid, 'SIGKILL');
    return append(entries);
  };
  return journal;
}

const sidecar = await resume(machine, {
  run: 'r',
  config,
  journal: { ...store, open: async (run, mode) => dying(await store.open(run, mode)), read: (run) => store.read(run) },
  buffers: { rows: rows.buffer },
  undo: { put_back: rows.inverse },
  reconcilers: { find: rows.reconcile },
});
sidecar.actor.start();
const { status } = await sidecar.finished();
await sidecar.close();
await store.close();
process.stdout.write(JSON.stringify({ status, appends }));
