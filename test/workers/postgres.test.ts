/** Two workers on PostgreSQL, as processes: one is killed in the middle of a payment, the other takes the run once its lease is over. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { startServer } from '../postgres-server.ts';
import { linesOf } from './shop.ts';

const SCRIPT = fileURLToPath(new URL('worker-process.mjs', import.meta.url));
const server = await startServer();
const folder = mkdtempSync(join(tmpdir(), 'belay-workers-'));
const schema = `workers ${process.pid}`;
const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function worker(address: string) {
  const child = spawn(process.execPath, [SCRIPT, address, schema, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk;
  });
  return { child, says: (text: string) => told.includes(text) };
}

test.skipIf(server === null)(
  'one killed in the middle of a payment: the other finishes, and there is one payment',
  async () => {
    const address = server?.address() ?? '';
    const store = postgresStore({ address, schema });
    const client = workClient(store);
    await client.start({ run: 'order-1', agent: 'order', input: { price: 7 } });
    const [one, two] = [worker(address), worker(address)];
    const book = join(folder, 'order-1', 'payments.jsonl');
    await until(() => linesOf(book).length === 1);
    const killed = one.says('"taken"') ? one : two;
    const other = killed === one ? two : one;
    killed.child.kill('SIGKILL');
    await until(() => other.says('"done"'));
    expect(readFileSync(book, 'utf8').trim().split('\n')).toHaveLength(1);
    expect(await client.result('order-1')).toEqual({ is: 'done', output: 'receipt for 7' });
    expect((await store.work.order('order-1'))?.taken).toBe(0);
    other.child.kill('SIGTERM');
    expect((await once(other.child, 'close'))[0]).toBe(0);
    await store.close();
  },
);
