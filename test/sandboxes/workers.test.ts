/** SB7: workers have sandboxes for the runs of their agents, and destroy those of runs that ended long enough ago. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderSandboxes } from '../../src/adapters/sandboxes/folder.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { SandboxDesk, SandboxRow } from '../../src/journal/sandboxes.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { sweepSandboxes } from '../../src/workers/sweep-sandboxes.ts';
import { until } from '../poll.ts';
import { sharedFolder } from '../scratch.ts';
import { stopped, working } from '../workers/small.ts';
import { writer } from './writer.ts';

const folder = sharedFolder('box-workers');
let nth = 0;
const fresh = () => join(folder, String(++nth));
afterEach(stopped);

const desk = (store: JournalStore) => store.sandboxes as SandboxDesk;
const isEmpty = (path: string) => !existsSync(path) || readdirSync(path).length === 0;

test.each([
  ['memory', memoryStore],
  ['SQLite', () => sqliteStore(join(folder, `${++nth}.sqlite`))],
])('a worker destroys the sandbox of a run once its grace is over (%s)', async (_, make) => {
  const store = make();
  const root = fresh();
  const { told, client } = working(store, [writer({ folder: folderSandboxes(root) })]);
  await client.start({ run: 'one', agent: 'writer' });
  await until(() => told.includes('one waits'));
  expect(await desk(store).list('one')).toMatchObject([{ run: 'one', name: 'box', until: null }]);
  expect(await desk(store).list('two')).toEqual([]);
  await client.send('one', 'GO');
  await until(() => told.includes('one done'));
  await until(async () => (await desk(store).list()).length === 0);
  expect(isEmpty(root)).toBe(true);
  await store.close();
});

test('the sandbox of an agent that a worker does not carry is left where it is', async () => {
  const store = memoryStore();
  const [own, others] = [fresh(), fresh()];
  const agents = [writer({ folder: folderSandboxes(others) }, '1h', 'other')];
  const one = working(store, agents);
  await one.client.start({ run: 'one', agent: 'other' });
  await until(() => one.told.includes('one waits'));
  await one.client.send('one', 'GO');
  await until(() => one.told.includes('one done'));
  await stopped();
  const [row] = await desk(store).list();
  await desk(store).put({ ...(row as SandboxRow), until: 1 });
  const swept: unknown[] = [];
  working(store, [writer({ folder: folderSandboxes(own) })], {
    onTold: (each) => void (each.is === 'swept' && swept.push(each.sandbox)),
  });
  await until(() => swept.length > 0);
  expect(swept).toMatchObject([{ run: 'one', name: 'box', why: 'nothing is registered as folder' }]);
  expect(isEmpty(others)).toBe(false);
  expect(await desk(store).list()).toHaveLength(1);
});

test('what is left of a sandbox that is gone is destroyed with the next one: its snapshots', async () => {
  const store = memoryStore();
  const root = fresh();
  const { told, client } = working(store, [writer({ folder: folderSandboxes(root) }, '1h')]);
  await client.start({ run: 'one', agent: 'writer' });
  await until(() => told.includes('one waits'));
  const [first = ''] = readdirSync(root);
  rmSync(join(root, first, 'box'), { recursive: true });
  await client.send('one', 'GO');
  await until(() => told.includes('one done'));
  expect(await desk(store).list()).toMatchObject([{ key: 'one/box~1' }]);
  expect(readdirSync(root)).toHaveLength(2);
  await stopped();
  const swept = await sweepSandboxes(
    store,
    { folder: folderSandboxes(root) },
    { now: () => Date.now() + 2 * 3_600_000 },
  );
  expect(swept).toMatchObject([{ run: 'one', why: null }]);
  expect(isEmpty(root)).toBe(true);
});

test('a run is deleted once its sandbox is destroyed: one of the same name would be given it', async () => {
  const store = memoryStore();
  const providers = { folder: folderSandboxes(fresh()) };
  const { told, client } = working(store, [writer(providers, '1h')]);
  await client.start({ run: 'one', agent: 'writer' });
  await until(() => told.includes('one waits'));
  await client.send('one', 'GO');
  await until(() => told.includes('one done'));
  await stopped();
  expect(await client.delete('one')).toBe('its sandbox box is not destroyed yet: see belay sandboxes');
  expect(await sweepSandboxes(store, providers, { now: () => Date.now() + 1_800_000 })).toEqual([]);
  await sweepSandboxes(store, providers, { now: () => Date.now() + 7_200_000 });
  expect(await client.delete('one')).toBeNull();
});

test('a fork of a run with a sandbox is refused (SB8)', async () => {
  const failed: unknown[] = [];
  const store = memoryStore();
  const told: string[] = [];
  const { client } = working(store, [writer({ folder: folderSandboxes(fresh()) })], {
    onTold: (each) => {
      if (each.is !== 'left') return;
      told.push(`${each.run} ${each.as.is}`);
      if (each.as.is === 'failed') failed.push(each.as.code);
    },
  });
  await client.start({ run: 'one', agent: 'writer' });
  await until(() => told.includes('one waits'));
  await client.fork('one', { as: 'two', by: 'ada' });
  await until(() => told.includes('two failed'));
  expect(failed[0]).toBe('sandboxes_unsupported');
});
