/**
 * One process of a rehearsed run, which is sent SIGKILL at an append of its journal or goes on to the end: a program of its own, started by
 * `belay rehearse --kills process`. Its argument is the file of its order.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { readConfig } from '../../boundaries/directory.ts';
import type { LocalStore } from '../../journal/journal.ts';
import { sqliteStore } from '../../journal/sqlite/store.ts';
import { type Note, Observation, plain } from '../../rehearsal/trial/observation.ts';
import { undisturbed } from '../../rehearsal/trial/passing.ts';
import { runTrial } from '../../rehearsal/trial/trial.ts';
import { findMachines } from '../check/check.ts';
import { openedIn } from './opened-agent.ts';
import type { Order } from './order.ts';

/** The name of every such run. */
const RUN = 'rehearsal';

const order = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Order;
// A process that ends of its own accord has said what came of the run.
writeFileSync(join(order.folder, 'course.json'), JSON.stringify(await live(order)));
process.exit(0);

async function live({ machines: file, agent: id, config: page, path, replay, recorded, folder, dies }: Order) {
  const machines = await findMachines(file);
  if ('problem' in machines) throw new Error(machines.problem);
  const agent = machines.agents.get(id);
  const { config, document } = readConfig(page, { guards: machines.guards });
  if (agent === undefined || config === null) throw new Error(`${id} is not there any more`);
  const notes = join(folder, 'notes.jsonl');
  const seen = new Observation((note) => appendFileSync(notes, `${JSON.stringify(plain(note))}\n`), notesIn(notes));
  // The clock of a rehearsal takes the place of `Date` later than the store is opened.
  const store = sqliteStore(join(folder, 'journal.sqlite'), { now: () => Date.now() });
  const isFirst = !store.runs().some(({ run }) => run === RUN);
  const time = isFirst ? null : lastTime(store);
  const {
    seen: _,
    edges: __,
    ...course
  } = await runTrial({
    subject: {
      ...{ machine: agent.machine, config, document, guards: machines.guards },
      fresh: async (input) => ({
        open: () => openedIn(agent, join(folder, 'world'), input),
        clear: async () => {},
      }),
    },
    ...{ config, path, fault: null, passing: undisturbed(replay, recorded) },
    life: { store, seen, dies, isFirst, ...(time !== null && { time: time + 1000 }), die },
  });
  const { calls, timers, foundAt, timeline } = seen;
  return { ...course, seen: { calls: calls.map(plain), timers, foundAt, timeline } };
}

function notesIn(file: string): readonly Note[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Note);
}

/** The time of the last row of the run; null where there is none. */
function lastTime(store: LocalStore): number | null {
  let last: number | null = null;
  for (const { time } of store.read(RUN)) last = time;
  return last;
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;); // Nothing more is done until the signal is there.
}
