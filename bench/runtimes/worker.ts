/**
 * Runs that stand still, in a process of its own: it leaves many in a store and has a worker bring them to where they wait, keeps a worker idle
 * beside them, or makes many short runs that ended.
 */
import { join } from 'node:path';
import type { JournalStore } from 'belay-sidecar';
import { postgresStore } from 'belay-sidecar/postgres';
import { sqliteStore } from 'belay-sidecar/sqlite';
import { startWorker, workClient } from 'belay-sidecar/workers';
import { type Agent, attach } from 'belay-sidecar/xstate';
import { setup } from 'xstate';
import { answering } from './answering.ts';

/** A store: a file, or a schema of PostgreSQL. */
export type StorePlace = { readonly file: string } | { readonly address: string; readonly schema: string };

/** A request to this process. */
export type WorkerAsked =
  /** So many runs that wait for an event. */
  | { readonly do: 'park'; readonly store: StorePlace; readonly runs: number }
  /** A worker that stays until this process ends. */
  | { readonly do: 'work'; readonly store: StorePlace }
  /** Microseconds of the processor that this process has used. */
  | { readonly do: 'used' }
  /** So many runs of a few steps that ended. */
  | { readonly do: 'end'; readonly store: StorePlace; readonly runs: number };

const AT_ONCE = 64;
const STEPS = 3;

const CONFIG = join(import.meta.dirname, 'waiting.yaml');

const machine = setup({
  types: { context: {} as { count: number }, events: {} as { type: 'STAY' } | { type: 'GO' } },
}).createMachine({
  id: 'waiting',
  context: { count: 0 },
  initial: 'waiting',
  states: { waiting: { on: { STAY: { target: 'waiting', reenter: true }, GO: 'over' } }, over: { type: 'final' } },
});

const agent: Agent = {
  machine,
  config: CONFIG,
  about: 'waits for an event',
  open: async () => ({ machine, close: async () => {} }),
};

const opened = (place: StorePlace): JournalStore =>
  'file' in place ? sqliteStore(place.file) : postgresStore({ address: place.address, schema: place.schema });

/** Does something for each number, so many at once. */
async function each(count: number, act: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const hand = async () => {
    while (next < count) {
      next += 1;
      await act(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
}

async function park(store: JournalStore, runs: number): Promise<void> {
  const client = workClient(store);
  await each(runs, (n) => client.start({ run: `parked ${n}`, agent: 'waiting' }));
  await new Promise<void>((resolve, reject) => {
    const resting = new Set<string>();
    const worker = startWorker({
      store,
      agents: [agent],
      folderOf: () => '.',
      concurrency: AT_ONCE,
      pollMs: 50,
      onTold: (told) => {
        if (told.is !== 'left') return;
        if (told.as.is !== 'waits') reject(new Error(`a run that was to wait is ${told.as.is}`));
        resting.add(told.run);
        if (resting.size === runs) worker.stop().then(resolve, reject);
      },
    });
  });
}

async function end(store: JournalStore, runs: number): Promise<void> {
  await each(runs, async (n) => {
    const sidecar = await attach(machine, { run: `ended ${n}`, config: CONFIG, journal: store });
    sidecar.actor.start();
    for (let step = 0; step < STEPS; step += 1) sidecar.actor.send({ type: 'STAY' });
    sidecar.actor.send({ type: 'GO' });
    await sidecar.finished();
    await sidecar.close();
  });
}

answering<WorkerAsked>(async (asked) => {
  if (asked.do === 'used') {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
  const store = opened(asked.store);
  if (asked.do === 'work') {
    startWorker({ store, agents: [agent], folderOf: () => '.' });
    return null;
  }
  try {
    await (asked.do === 'park' ? park(store, asked.runs) : end(store, asked.runs));
    return null;
  } finally {
    await store.close();
  }
});
