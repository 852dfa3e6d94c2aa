/** `belay claims` and `belay release`: what runs keep to themselves, and a person who frees it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { callOf } from '../journal/claims-contract.ts';
import { startServer } from '../postgres-server.ts';
import { belay, MAIN } from './belay.ts';

const server = await startServer();
const root = mkdtempSync(join(tmpdir(), 'belay-claims-'));
const schema = `claims_${process.pid}`;
const children: ChildProcess[] = [];
const AGENTS = fileURLToPath(new URL('../../docs/workers/agents.mjs', import.meta.url));

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** A run that no process has, with claims, and one that has a process and waits for it. */
async function contended(store: JournalStore) {
  const [a, b] = [await store.open('a', 'create'), await store.open('b', 'create')];
  await store.claims.ask([callOf('a', 'phone:1', 'prices:today?'), callOf('b', 'phone:1/sim')]);
  await a.close();
  return b;
}

const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

async function seen(store: JournalStore, place: string): Promise<void> {
  const ask = (...args: string[]) => belay([...args, '--store', place], '', {}, root);
  const b = await contended(store);
  const { out, code } = await ask('claims');
  expect(code).toBe(0);
  expect(out).toMatch(/a +phone:1 .* its own\n +a +prices:today .* shared\n +b +phone:1\/sim .* waits for a\n$/);
  expect(lines((await ask('claims', '--json')).out)).toMatchObject([
    { is: 'held', run: 'a', key: 'phone:1', shared: false, epoch: 1 },
    { is: 'held', run: 'a', key: 'prices:today', shared: true, epoch: 1 },
    { is: 'waits', run: 'b', wanted: [{ key: 'phone:1/sim', shared: false }], waitsFor: ['a'] },
  ]);
  expect(await ask('release', 'b')).toMatchObject({ code: 2, err: expect.stringMatching(/lease_held .*is held by/) });
  expect(await ask('release', 'c')).toMatchObject({ code: 2, err: expect.stringContaining('run_unknown') });
  const freed = await ask('release', 'a', '--by', 'Ada', '--why', 'it hangs', '--json');
  expect([freed.code, JSON.parse(freed.out)]).toEqual([
    0,
    { run: 'a', keys: ['phone:1', 'prices:today'], by: 'Ada', why: 'it hangs', unsettled: [] },
  ]);
  expect((await ask('release', 'a')).out).toBe('a had no claims\n');
  expect((await ask('claims')).out).toMatch(
    /b +phone:1\/sim .* is next\n +a +phone:1, prices:today .* freed by Ada: it hangs\n$/,
  );
  await b.close();
}

test('lists who has what and who waits, and frees what a run has that no process has', async () => {
  const place = join(root, 'one.sqlite');
  const store = sqliteStore(place);
  await seen(store, place);
  await store.close();
});

test.skipIf(server === null)('does so in PostgreSQL, too', async () => {
  const address = `${server?.address()}?schema=${schema}`;
  const store = postgresStore({ address: server?.address() ?? '', schema });
  await seen(store, address);
  await store.close();
});

test('lists nothing and changes nothing where there is nothing, and makes no file', async () => {
  const ask = (...args: string[]) => belay([...args, '--journal', 'none.sqlite'], '', {}, root);
  expect((await ask('claims')).code).toBe(2);
  expect((await ask('release', 'a')).code).toBe(2);
  expect(existsSync(join(root, 'none.sqlite'))).toBe(false);
  const place = join(root, 'two.sqlite');
  const store = sqliteStore(place);
  await (await store.open('a', 'create')).close();
  await store.close();
  copyFileSync(place, join(root, 'copy.sqlite'));
  expect((await belay(['claims', '--journal', place])).out).toBe('no run has claims\n');
  expect(readFileSync(place).equals(readFileSync(join(root, 'copy.sqlite')))).toBe(true);
});

test('refuses while the outcome of a call is not known, unless it is told to', async () => {
  const ask = (...args: string[]) => belay(args, '', {}, root);
  await ask('start', 'order-1', '--agent', 'order');
  const child = spawn(process.execPath, [MAIN, 'work', '--module', AGENTS, '--poll', '100ms'], {
    cwd: root,
    stdio: 'ignore',
  });
  children.push(child);
  const book = join(root, 'belay.sqlite.world', 'order-1', 'payments.jsonl');
  while (!existsSync(book)) await new Promise((resolve) => setTimeout(resolve, 20));
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  const refused = await ask('release', 'order-1');
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/1 call of order-1 may still happen \(pay\): settle/),
  ]);
  const freed = await ask('release', 'order-1', '--unsettled');
  expect([freed.code, freed.out, freed.err]).toEqual([
    0,
    'order-1 had no claims\n',
    expect.stringMatching(/may still happen/),
  ]);
});
