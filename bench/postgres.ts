/**
 * A durable step in PostgreSQL beside a bare INSERT of the same row, each a transaction over one connection, in turns; then durable steps a second at 1, 16
 * and 64 runs in one process, and what a step takes on the disk. Run it with `npm run bench postgres`, on the server of this machine's binaries
 * or the one that BELAY_TEST_POSTGRES names.
 */
import pg from 'pg';
import type { Journal } from '../src/journal/journal.ts';
import { postgresStore } from '../src/journal/postgres/store.ts';
import { startServer } from '../test/postgres-server.ts';

const TURNS = 12;
const STEPS = 100;
const SECONDS = 3;
/** About what a step with a small context leaves. */
const BODY = JSON.stringify({
  do: 'step',
  event: 'xstate.done.actor.0',
  value: 'paying',
  set: { total: 12, item: 'tea' },
});

const server = await startServer();
if (server !== null) {
  const schema = `bench_${process.pid}`;
  const store = postgresStore({ address: server.address(), schema });
  try {
    await besideBare(await store.open('one', 'create'));
    for (const runs of [1, 16, 64]) await throughput(runs);
    await sizes();
  } finally {
    await store.close();
    await server.query(`DROP SCHEMA ${schema} CASCADE`);
    await server.stop();
  }

  async function besideBare(journal: Journal): Promise<void> {
    const client = new pg.Client({ connectionString: server?.address() as string });
    await client.connect();
    await client.query(
      `CREATE TABLE ${schema}.bare (run bigint, seq bigint, kind bigint, body bytea, PRIMARY KEY (run, seq))`,
    );
    const insert = `INSERT INTO ${schema}.bare VALUES (1, $1, 1, $2)`;
    const [steps, bare]: [number[], number[]] = [[], []];
    let seq = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (let step = 0; step < STEPS; step += 1) {
        steps.push(await timed(() => appended(journal)));
      }
      for (let step = 0; step < STEPS; step += 1) {
        seq += 1;
        bare.push(await timed(() => client.query(insert, [seq, Buffer.from(BODY)])));
      }
    }
    await client.end();
    await journal.close();
    const [own, other] = [at(steps, 0.5), at(bare, 0.5)];
    console.log(`durable step     median ${us(own)}  p99 ${us(at(steps, 0.99))}`);
    console.log(`bare INSERT      median ${us(other)}  p99 ${us(at(bare, 0.99))}`);
    console.log(
      `a step is ${(own / other).toFixed(2)} bare INSERTs (goal 2.00: ${own <= 2 * other ? 'met' : 'missed'})`,
    );
  }

  async function throughput(runs: number): Promise<void> {
    const names = Array.from({ length: runs }, (_, index) => `${runs} ${index}`);
    const journals = await Promise.all(names.map((name) => store.open(name, 'create')));
    const [cpu, end] = [process.cpuUsage(), performance.now() + SECONDS * 1_000];
    let steps = 0;
    await Promise.all(
      journals.map(async (journal) => {
        while (performance.now() < end) {
          await appended(journal);
          steps += 1;
        }
      }),
    );
    const { user, system } = process.cpuUsage(cpu);
    for (const journal of journals) await journal.close();
    const rate = Math.round(steps / SECONDS).toLocaleString('en');
    console.log(
      `${String(runs).padStart(2)} runs  ${rate.padStart(8)} durable steps/s  ${us((user + system) / 1_000 / steps)} of this process a step`,
    );
  }

  async function sizes(): Promise<void> {
    const tables = ['entry', 'commit_group', 'run']
      .map((each) => `pg_total_relation_size('${schema}.${each}')`)
      .join(' + ');
    const { rows } = await (server as NonNullable<typeof server>).query(
      `SELECT (${tables})::float8 / (SELECT count(*) FROM ${schema}.entry) AS bytes`,
    );
    console.log(`${Math.round(rows[0].bytes)} bytes on the disk a step, of which ${BODY.length} are its row`);
  }
}

function appended(journal: Journal): Promise<number> {
  journal.append([{ kind: 1, body: BODY }]);
  return journal.flush();
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await act();
  return performance.now() - from;
}

function at(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] as number;
}

function us(milliseconds: number): string {
  return `${Math.round(milliseconds * 1_000).toLocaleString('en')} µs`;
}
