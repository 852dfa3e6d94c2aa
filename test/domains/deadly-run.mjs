/**
 * The schedule-form agent in a process of its own: takes its run up where the journal ends, or begins it, and prints the world
 * when it is done. It kills itself where it is told to: at an append (`{"at": 12, "when": "before" | "after" | "durable"}`), or
 * in the middle of the call that sends the invitations (`{"in": "sending" | "sent"}`). Arguments: a folder, an input, a death.
 */
import { join } from 'node:path';
import process from 'node:process';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { resume } from 'belay-sidecar/xstate';
import { fromPromise } from 'xstate';
import { scheduleForm } from '../../build/domains/schedule-form/agent.js';
import { scripted } from '../../build/domains/schedule-form/planner.js';

const [folder, input, death] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(process.argv[4])];
const agent = scheduleForm(scripted);
const opened = await agent.open({ run: 'r', folder, input });

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // nothing more is done until the signal is there
}

let appends = 0;
/** A journal that kills; it only delegates otherwise. */
function deadly(journal) {
  const append = journal.append.bind(journal);
  journal.append = (rows) => {
    appends += 1;
    const now = appends === death?.at ? death.when : null;
    if (now === 'before') die();
    const head = append(rows);
    if (now === 'after') die();
    if (now === 'durable') void journal.flush().then(die);
    return head;
  };
  return journal;
}

const store = sqliteStore(join(folder, 'belay.sqlite'));
const { submit_schedule: submit } = opened.machine.implementations.actors;
const machine = opened.machine.provide({
  actors: {
    submit_schedule: fromPromise(async (call) => {
      const sending = submit.config(call);
      // Where exactly this strikes is chance; whatever it is, nobody may get two invitations.
      if (death?.in === 'sending') setTimeout(die, death.ms);
      const sent = await sending;
      if (death?.in === 'sent') die();
      return sent;
    }),
  },
});
const decisions = [];
const sidecar = await resume(machine, {
  run: 'r',
  journal: { ...store, open: async (run, mode) => deadly(await store.open(run, mode)), read: (run) => store.read(run) },
  config: agent.config,
  input: opened.input,
  reconcilers: opened.reconcilers,
  undo: opened.undo,
  onDecision: ({ decision }) => decisions.push(decision.verdict),
});
sidecar.actor.start();
const { status } = await sidecar.finished();
const world = await opened.world();
await sidecar.close();
await store.close();
await opened.close();
process.stdout.write(`${JSON.stringify({ status, appends, decisions, world })}\n`);
