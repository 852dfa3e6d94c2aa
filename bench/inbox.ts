/**
 * What the inbox costs, and how soon a message is taken: `npm run bench inbox`.
 *
 * 1. The share of one core that 1,000 attached idle runs of one store take (goal: 2 %).
 * 2. The time from `client.send` in another process until the run has taken the message and that is durable, while it takes one step
 *    after the other (goal: p99 of at most 1 s), in a SQLite file and in PostgreSQL.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assign, setup } from 'xstate';
import { loadConfig } from '../src/boundaries/load.ts';
import type { JournalStore } from '../src/journal/journal.ts';
import { postgresStore } from '../src/journal/postgres/store.ts';
import { sqliteStore } from '../src/journal/sqlite/store.ts';
import { workClient } from '../src/workers/client.ts';
import { attach } from '../src/xstate/index.ts';
import { startServer } from '../test/postgres-server.ts';

const IDLE = 1_000;
const IDLE_SECONDS = 10;
const SENDS = 300;
const MOST_SHARE = 0.02;
const MOST_P99 = 1_000;

const { config } = loadConfig('belay: 1\nagent: idle\ntools: {}\nskeletons: {}\n', { file: 'idle.yaml' });
if (config === null) throw new Error('the config is refused');

/** Takes a step every so many milliseconds, and counts what it is sent. */
const machine = setup({
  types: {} as { context: { told: number; steps: number }; input: { every: number } },
  delays: { next: ({ context }) => (context.steps < 0 ? 2_000_000 : 5) },
}).createMachine({
  id: 'idle',
  context: ({ input }) => ({ told: 0, steps: input.every > 0 ? 0 : -1 }),
  initial: 'waiting',
  states: {
    waiting: {
      after: {
        next: { target: 'waiting', reenter: true, actions: assign({ steps: ({ context }) => context.steps + 1 }) },
      },
      on: { TELL: { actions: assign({ told: ({ context }) => context.told + 1 }) } },
    },
  },
});

const [, , role, place, schema] = process.argv;
if (role === 'send') await sends(storeAt(place as string, schema));
else await measured();

function storeAt(address: string, schema: string | undefined): JournalStore {
  return schema === undefined ? sqliteStore(address) : postgresStore({ address, schema });
}

/** The other process: sends one message after the other, and tells the wall clock before each, in milliseconds. */
async function sends(store: JournalStore): Promise<void> {
  const client = workClient(store);
  const sent: number[] = [];
  for (let nth = 0; nth < SENDS; nth += 1) {
    sent.push(Date.now());
    await client.send('stepping', { type: 'TELL' }, { id: `t${nth}` });
    // No beat in common with the looks of the other process.
    await pause(30 + 7 * (nth % 11));
  }
  await store.close();
  process.send?.(sent);
}

async function measured(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'belay-inbox-'));
  const server = await startServer();
  try {
    await idle('SQLite', sqliteStore(join(folder, 'idle.db')));
    await latency('SQLite', join(folder, 'send.db'), undefined);
    if (server === null) console.log('PostgreSQL: skipped, since none is here');
    else {
      const schema = `bench_${process.pid}`;
      await idle('PostgreSQL', postgresStore({ address: server.address(), schema }));
      await latency('PostgreSQL', server.address(), schema);
      await server.query(`DROP SCHEMA ${schema} CASCADE`);
    }
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function idle(name: string, store: JournalStore): Promise<void> {
  const sidecars = [];
  for (let nth = 0; nth < IDLE; nth += 1) {
    const sidecar = await attach(machine, {
      run: `idle-${nth}`,
      config: config as never,
      journal: store,
      input: { every: 0 },
    });
    sidecar.actor.start();
    sidecars.push(sidecar);
  }
  await Promise.all(sidecars.map((sidecar) => sidecar.durable()));
  await pause(1_000);
  const before = process.cpuUsage();
  const start = performance.now();
  await pause(IDLE_SECONDS * 1_000);
  const { user, system } = process.cpuUsage(before);
  const share = (user + system) / 1_000 / (performance.now() - start);
  for (const sidecar of sidecars) await sidecar.close();
  await store.close();
  console.log(
    `${name}: ${IDLE} idle runs take ${(share * 100).toFixed(2)} % of a core (goal 2 %: ${met(share <= MOST_SHARE)})`,
  );
}

async function latency(name: string, address: string, schema: string | undefined): Promise<void> {
  const store = storeAt(address, schema);
  const sidecar = await attach(machine, {
    run: 'stepping',
    config: config as never,
    journal: store,
    input: { every: 5 },
  });
  const taken: number[] = [];
  let told = 0;
  sidecar.actor.subscribe(({ context }) => {
    if (context.told === told) return;
    told = context.told;
    void sidecar.durable().then(() => taken.push(Date.now()));
  });
  sidecar.actor.start();
  await sidecar.durable();
  const child = fork(fileURLToPath(import.meta.url), ['send', address, ...(schema === undefined ? [] : [schema])]);
  const [sent] = (await once(child, 'message')) as [number[]];
  for (const start = Date.now(); taken.length < SENDS && Date.now() - start < 30_000; ) await pause(50);
  const { steps } = sidecar.actor.getSnapshot().context;
  await sidecar.close();
  await store.close();
  const times = taken.map((time, nth) => time - (sent[nth] as number)).sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  console.log(
    `${name}: ${told} of ${SENDS} messages taken beside ${steps} steps, from the send until the acknowledgement is durable: median ${at(0.5)} ms, p99 ${at(0.99)} ms (goal ${MOST_P99} ms: ${met(times.length === SENDS && at(0.99) <= MOST_P99)})`,
  );
}

function met(is: boolean): string {
  return is ? 'met' : 'missed';
}
