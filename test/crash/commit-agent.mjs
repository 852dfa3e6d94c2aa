/**
 * An agent that reads an amount, and stages two rows, a file and a message that tell of a larger one: one commit over three real adapters.
 * It kills itself before the n-th step that changes a disk, a database, its journal or a mailbox. Runs the built package.
 * Argument: { run, folder, smtp, web, dieAt }, ports of the post office and of whoever knows its mailbox; dieAt 0: never. It prints how it ended.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { loadConfig } from 'belay-sidecar';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { resume, tool } from 'belay-sidecar/xstate';
import Database from 'better-sqlite3';
import { createTransport } from 'nodemailer';
import { assign, setup } from 'xstate';

const { run, folder, smtp, web, dieAt } = JSON.parse(process.argv[2]);
let moments = 0;

function moment() {
  moments += 1;
  if (moments !== dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}

for (const name of ['renameSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'linkSync', 'fsyncSync', 'writeFileSync']) {
  const step = fs[name];
  fs[name] = (...args) => {
    moment();
    return step(...args);
  };
}
syncBuiltinESMExports();
const { fileAdapter, mailAdapter, rowAdapter } = await import('belay-sidecar/adapters');

const db = new Database(join(folder, 'books.sqlite'));
const counted = {
  get inTransaction() {
    return db.inTransaction;
  },
  exec(sql) {
    moment();
    return db.exec(sql);
  },
  prepare(sql) {
    const statement = db.prepare(sql);
    return {
      run(...values) {
        moment();
        return statement.run(...values);
      },
      get: (...values) => statement.get(...values),
      all: (...values) => statement.all(...values),
    };
  },
};
const rows = rowAdapter(counted, {
  tables: { acc: { key: ['id'], columns: ['cents'] } },
  invariants: [{ id: 'balanced', sql: 'SELECT sum(cents) = 0 FROM acc' }],
});
const files = fileAdapter({ root: join(folder, 'root') });
const transport = createTransport({ host: '127.0.0.1', port: smtp, ignoreTLS: true });
const counting = {
  async sendMail(message) {
    moment();
    await transport.sendMail(message);
    moment();
  },
};
const mail = mailAdapter(counting, {
  from: 'desk@example.com',
  domain: 'example.com',
  lookup: async (id) => (await fetch(`http://127.0.0.1:${web}/?id=${encodeURIComponent(id)}`)).text(),
});

const machine = setup({
  actors: {
    look: tool(async () => {
      fs.readFileSync(join(folder, 'root/balance.txt'));
      return db.prepare("SELECT cents FROM acc WHERE id = 'cash'").get().cents;
    }),
    write: tool(mail.stage),
    print: tool(files.stage),
    debit: tool(rows.stage),
    credit: tool(rows.stage),
  },
}).createMachine({
  id: 'desk',
  context: {},
  initial: 'looking',
  states: {
    looking: {
      invoke: { src: 'look', onDone: { target: 'writing', actions: assign({ v: ({ event }) => event.output + 10 }) } },
    },
    writing: {
      invoke: {
        src: 'write',
        input: ({ context }) => ({ to: `${run}@example.com`, subject: 'balance', text: String(context.v) }),
        onDone: { target: 'printing', actions: assign({ m: true }) },
      },
    },
    printing: {
      invoke: {
        src: 'print',
        input: ({ context }) => ({ path: 'balance.txt', content: String(context.v) }),
        onDone: { target: 'debiting', actions: assign({ f: true }) },
      },
    },
    debiting: {
      invoke: {
        src: 'debit',
        input: ({ context }) => ({ table: 'acc', key: { id: 'cash' }, set: { cents: context.v } }),
        onDone: { target: 'crediting', actions: assign({ d: true }) },
      },
    },
    crediting: {
      invoke: {
        src: 'credit',
        input: ({ context }) => ({ table: 'acc', key: { id: 'rent' }, set: { cents: -context.v } }),
        onDone: { target: 'over', actions: assign({ c: true }) },
      },
    },
    over: { type: 'final' },
  },
});
const { config } = loadConfig(
  `belay: 1
agent: desk
tools:
  look: { reads: ['rows:acc/**', 'file:balance.txt'], writes: [v], effect: none }
  write: { reads: [v], writes: [m], effect: irreversible, reconcile: mail, buffer: mail }
  print: { reads: [v], writes: ['file:balance.txt', f], effect: reversible, undo: files, reconcile: files, buffer: files }
  debit: { reads: [v], writes: ['rows:acc/cash', d], effect: reversible, undo: rows, reconcile: rows, buffer: rows }
  credit: { reads: [v], writes: ['rows:acc/rent', c], effect: reversible, undo: rows, reconcile: rows, buffer: rows }
skeletons:
  Post:
    entity: '"it"'
    states: [looking, writing, printing, debiting, crediting]
    entry: [looking]
    outputs: [v, m, f, d, c]
    exit: [{ id: posted, at: crediting -> over, when: 'memory.?c.hasValue()' }]
    rollback: { anchors: [posted], resume: looking }`,
  { file: 'desk.yaml' },
);

const store = sqliteStore(join(folder, 'journal.sqlite'));
/** A journal that kills its process before it appends; it only delegates otherwise. */
function dying(journal) {
  const append = journal.append.bind(journal);
  journal.append = (entries) => {
    moment();
    return append(entries);
  };
  return journal;
}

const told = [];
const sidecar = await resume(machine, {
  run,
  config,
  journal: { ...store, open: async (run, mode) => dying(await store.open(run, mode)), read: (run) => store.read(run) },
  buffers: { rows: rows.buffer, files: files.buffer, mail: mail.buffer },
  undo: { rows: rows.inverse, files: files.inverse },
  reconcilers: { rows: rows.reconcile, files: files.reconcile, mail: mail.reconcile },
  onDecision: ({ decision, error }) => void told.push(`${decision.verdict}: ${error}`),
});
sidecar.actor.start();
const { status } = await sidecar.finished();
await sidecar.close();
await store.close();
process.stdout.write(JSON.stringify({ status, told, moments }));
