/** Work that is found wrong later, from any process: the complaint is answered once, also where its hearer is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { gathered } from '../../src/journal/gathered.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { entriesOf } from '../journal/entries-of.ts';
import { until } from '../poll.ts';
import { quotes, TRIP } from './quotes.mjs';
import { linesOf } from './shop.ts';

const SCRIPT = fileURLToPath(new URL('quotes-process.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'belay-fail-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const wrong = { signal: 'INVALID_OUTPUT', instance: TRIP, key: 'price', by: 'ann', why: 'too high' } as const;

function working(store = memoryStore()) {
  const told: string[] = [];
  const worker = startWorker({
    store,
    agents: [quotes(folder)],
    folderOf: () => folder,
    pollMs: 20,
    onTold: (each) => void (each.is === 'left' && told.push(`${each.run} ${each.as.is}`)),
  });
  const entries = async (run: string) => entriesOf(await gathered(store.read(run)));
  const complaints = async (run: string) => (await entries(run)).filter((entry) => entry.do === 'complaint');
  return { worker, store, client: workClient(store), told, entries, complaints };
}

describe('a complaint from another process', () => {
  test('has the work done again, and its entry stands with the decision', async () => {
    const { client, told, worker, entries, complaints } = working();
    await client.start({ run: 'a', agent: 'quotes' });
    await until(() => told.includes('a waits'));
    await client.fail('a', wrong);
    await until(async () => (await complaints('a')).length === 1 && told.length > 1);
    expect(await complaints('a')).toMatchObject([{ post: 1, by: 'ann', why: 'too high', key: 'price', refused: null }]);
    const all = await entries('a');
    const at = all.findIndex((entry) => entry.do === 'complaint');
    expect(all[at + 1]).toMatchObject({ do: 'decision', decision: { verdict: 'restore' }, error: 'too high' });
    await worker.stop();
  });

  test('about a version that was done again since is refused, and nothing moves', async () => {
    const { client, told, worker, store, complaints, entries } = working();
    await client.start({ run: 'a', agent: 'quotes' });
    await until(() => told.includes('a waits'));
    await client.fail('a', wrong);
    const [post] = store.posts('a');
    await until(async () => (await complaints('a')).length === 1 && told.length > 1);
    // The same message once more: by now another price stands.
    store.post('a', post?.body ?? '');
    await until(async () => (await complaints('a')).length === 2);
    expect((await complaints('a'))[1]).toMatchObject({ refused: expect.stringContaining('done again since') });
    expect((await entries('a')).filter((entry) => entry.do === 'decision')).toHaveLength(1);
    await worker.stop();
  });

  test('of a name, a key or a run that is none is refused where it is left, or where it is heard', async () => {
    const { client, told, worker, complaints, store, entries } = working();
    await client.start({ run: 'a', agent: 'quotes' });
    await until(() => told.includes('a waits'));
    await expect(client.fail('b', wrong)).rejects.toMatchObject({ code: 'run_unknown' });
    const never = { ...wrong, instance: { skeleton: 'Quote', entity: 'nowhere' } };
    await expect(client.fail('a', never)).rejects.toThrow(RangeError);
    await expect(client.fail('a', { ...wrong, by: '' })).rejects.toThrow(TypeError);
    await expect(client.fail('a', { ...wrong, signal: 'BAD' as never })).rejects.toThrow(TypeError);
    await client.fail('a', { ...wrong, key: 'other' });
    await until(async () => (await complaints('a')).length === 1);
    expect(await complaints('a')).toMatchObject([{ refused: expect.stringContaining('never wrote other') }]);
    store.post('a', JSON.stringify({ complaint: { signal: 'TIMEOUT' }, by: 'x', why: null }));
    await until(async () => (await entries('a')).some((entry) => entry.do === 'answer' && entry.verdict === 'refused'));
    expect(await complaints('a')).toHaveLength(1);
    await worker.stop();
  });
});

test.each(['hears', 'decides', 'undoes'])('one whose hearer is killed as it %s it is answered once', async (when) => {
  const path = join(folder, `${when}.sqlite`);
  const own = join(folder, when);
  const store = sqliteStore(path);
  const client = workClient(store);
  await client.start({ run: 'a', agent: 'quotes' });
  const process = (dies: string) => {
    const child = spawn(globalThis.process.execPath, [SCRIPT, path, own, dies], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    return { child, says: (text: string) => said.includes(text) };
  };
  const first = process(when);
  await until(() => first.says('a waits'));
  await client.fail('a', wrong);
  await until(() => first.child.signalCode === 'SIGKILL');
  const second = process('never');
  const complaints = async () =>
    entriesOf(await gathered(store.read('a'))).filter((entry) => entry.do === 'complaint' || entry.do === 'decision');
  await until(async () => (await complaints()).length >= 2 && second.says('a waits'));
  second.child.kill('SIGTERM');
  await until(() => second.child.exitCode !== null);
  expect((await complaints()).map((entry) => entry.do)).toEqual(['complaint', 'decision']);
  expect(linesOf(join(own, 'quotes'))).toHaveLength(2);
  // Of the booking that rested on the price, one was undone and one stands.
  expect(linesOf(join(own, 'bookings')).filter((line) => line.startsWith('undone'))).toHaveLength(1);
  expect(linesOf(join(own, 'bookings')).filter((line) => line.startsWith('booked'))).toHaveLength(2);
  await store.close();
});
