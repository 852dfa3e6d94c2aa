/** SB7 on PostgreSQL: two workers share a store, and the sandboxes of their runs are destroyed once each. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { folderSandboxes } from '../../src/adapters/sandboxes/folder.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import type { SandboxDesk } from '../../src/journal/sandboxes.ts';
import { until } from '../poll.ts';
import { startServer } from '../postgres-server.ts';
import { sharedFolder } from '../scratch.ts';
import { stopped, working } from '../workers/small.ts';
import { writer } from './writer.ts';

const server = await startServer();
const schema = `boxes ${process.pid}`;
afterAll(async () => {
  await stopped();
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

test.skipIf(server === null)('two workers destroy what is due, each sandbox once (SB7)', async () => {
  const stores = [1, 2].map(() => postgresStore({ address: server?.address() ?? '', schema }));
  const desk = stores[0]?.sandboxes as SandboxDesk;
  const root = join(sharedFolder('box-postgres'), 'boxes');
  const destroyed: string[] = [];
  const folders = folderSandboxes(root);
  const folder = {
    ...folders,
    destroy: async (ask: Parameters<typeof folders.destroy>[0]) => {
      destroyed.push(ask.key);
      await folders.destroy(ask);
    },
  };
  const [one, two] = stores.map((store) => working(store, [writer({ folder })]));
  if (one === undefined || two === undefined) throw new Error('there are two');
  const runs = ['a', 'b', 'c', 'd'];
  for (const run of runs) await one.client.start({ run, agent: 'writer' });
  const isTold = (what: string) => one.told.includes(what) || two.told.includes(what);
  await until(() => runs.every((run) => isTold(`${run} waits`)));
  for (const run of runs) await two.client.send(run, 'GO');
  await until(() => runs.every((run) => isTold(`${run} done`)));
  await until(async () => (await desk.list()).length === 0);
  expect(destroyed.toSorted()).toEqual(runs.map((run) => `${run}/box`));
  expect(existsSync(root) ? readdirSync(root) : []).toEqual([]);
  await stopped();
  for (const store of stores) await store.close();
});
