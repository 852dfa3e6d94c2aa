/** Attempts of a run: several forks of one row, of which one is kept (semantics.md FK7 to FK11). */
import { afterAll, expect, test } from 'vitest';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { workClient } from '../../src/workers/client.ts';
import { freshPath } from '../journal/files.ts';
import { until } from '../poll.ts';
import { startServer } from '../postgres-server.ts';
import { drawnAttempts } from './attempts-draw.ts';
import { playAttempts } from './attempts-trial.ts';
import { Life } from './trial.ts';
import { type ActClass, World } from './world.ts';

const server = await startServer();
const schema = `attempts ${process.pid}`;

afterAll(async () => {
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

/** A parent that has made its first act, and attempts of it. */
async function attempts(
  classes: readonly ActClass[],
  {
    count = 3,
    store = memoryStore(),
    keys,
    ...terms
  }: {
    readonly count?: number;
    readonly score?: string;
    readonly deadline?: number;
    readonly store?: JournalStore;
    readonly keys?: readonly (string | null)[];
  } = {},
) {
  const world = new World();
  const client = workClient(store);
  const lives = (run: string) =>
    new Life(run, world, store, { classes, says: 'approved', ...(keys !== undefined && { keys }) });
  const parent = lives('parent');
  await parent.open('attach');
  await parent.move({ is: 'go' });
  const { runs } = await client.forkAttempts('parent', { as: 'try', attempts: count, by: 'ann', ...terms });
  const tries: Life[] = [];
  for (const run of runs) {
    const life = lives(run);
    await life.open('resume');
    tries.push(life);
  }
  const actsOf = (run: string) =>
    world.acts.filter(({ by }) => by === run).map(({ tool, undoneBy }) => [tool, undoneBy]);
  return { world, store, client, parent, tries: tries as [Life, Life, ...Life[]], actsOf };
}

const end = async (life: Life) => {
  await until(
    () => ['done', 'compensated'].includes(life.sidecar.status),
    () => `the end of ${life.run}: ${life.sidecar.status}`,
  );
  return life.end();
};

test('FK8, FK9: each attempt waits at its end, one is kept, and what the others did is undone', async () => {
  const { store, client, parent, tries, actsOf } = await attempts(['compensable', 'compensable', 'compensable']);
  const before = await store.run('parent');
  for (const life of tries) for (let moves = 0; moves < 3; moves += 1) await life.move({ is: 'go' });
  expect(tries.map(({ sidecar }) => sidecar.status)).toEqual(['tried', 'tried', 'tried']);
  expect((await client.attempts('try-1')).attempts.map(({ run, is, tried }) => [run, is, tried?.at])).toEqual([
    ['try-1', 'waits', 'end'],
    ['try-2', 'waits', 'end'],
    ['try-3', 'waits', 'end'],
  ]);
  expect(await client.keep('try-2', { by: 'ann' })).toEqual({
    run: 'try-2',
    of: 'try',
    before: false,
    aborted: ['try-1', 'try-3'],
  });
  await expect(client.keep('try-1', { by: 'bob' })).rejects.toMatchObject({ code: 'keep_refused' });
  expect((await Promise.all(tries.map(end))).map(({ is }) => is)).toEqual(['compensated', 'done', 'compensated']);
  expect(actsOf('try-1')).toEqual([
    ['act-second', 'try-1'],
    ['act-third', 'try-1'],
  ]);
  expect(actsOf('try-2')).toEqual([
    ['act-second', null],
    ['act-third', null],
  ]);
  expect(actsOf('parent')).toEqual([['act-first', null]]);
  expect(await store.run('parent')).toEqual(before);
  await parent.end();
});

test('FK8: an attempt waits before a call that nothing takes back, and makes it once it is kept', async () => {
  const { client, parent, tries, actsOf } = await attempts(['none', 'compensable', 'irreversible'], { count: 2 });
  for (const life of tries) for (let moves = 0; moves < 2; moves += 1) await life.move({ is: 'go' });
  expect(tries.map(({ sidecar }) => sidecar.status)).toEqual(['tried', 'tried']);
  expect((await client.attempts('try-1')).attempts.map(({ tried }) => [tried?.at, tried?.tool])).toEqual([
    ['act', 'act-third'],
    ['act', 'act-third'],
  ]);
  await client.keep('try-1', { by: 'ann' });
  const [kept, other] = tries;
  await until(() => actsOf('try-1').length === 2);
  expect((await end(other)).is).toBe('compensated');
  await kept.move({ is: 'go' });
  expect((await end(kept)).is).toBe('done');
  expect(actsOf('try-2')).toEqual([['act-second', 'try-2']]);
  await parent.end();
});

test('FK8: an act that is one over all runs waits for the choice, and of the attempts only the kept one makes it', async () => {
  const { client, parent, tries, actsOf } = await attempts(['none', 'compensable', 'store'], { count: 2 });
  for (const life of tries) for (let moves = 0; moves < 2; moves += 1) await life.move({ is: 'go' });
  expect((await client.attempts('try-1')).attempts.map(({ tried }) => [tried?.at, tried?.tool])).toEqual([
    ['act', 'act-third'],
    ['act', 'act-third'],
  ]);
  await client.keep('try-2', { by: 'ann' });
  const [other, kept] = tries;
  await until(() => actsOf('try-2').length === 2);
  expect((await end(other)).is).toBe('compensated');
  await kept.move({ is: 'go' });
  expect((await end(kept)).is).toBe('done');
  expect(actsOf('try-1').map(([tool]) => tool)).toEqual(['act-second']);
  await parent.end();
});

test('FK8: what an attempt has staged becomes visible once it is kept, and never where it is not', async () => {
  const { client, parent, tries, actsOf } = await attempts(['none', 'staged', 'compensable'], { count: 2 });
  for (const life of tries) for (let moves = 0; moves < 3; moves += 1) await life.move({ is: 'go' });
  expect(tries.map(({ sidecar }) => sidecar.status)).toEqual(['tried', 'tried']);
  expect(tries.flatMap(({ run }) => actsOf(run)).map(([tool]) => tool)).toEqual(['act-third', 'act-third']);
  await client.keep('try-1', { by: 'ann' });
  expect((await Promise.all(tries.map(end))).map(({ is }) => is)).toEqual(['done', 'compensated']);
  expect([actsOf('try-1'), actsOf('try-2')]).toEqual([
    [
      ['act-third', null],
      ['act-second', null],
    ],
    [['act-third', 'try-2']],
  ]);
  await parent.end();
});

test('FK10: the score keeps the highest once every attempt waits, by the output and the context', async () => {
  const { client, parent, tries, actsOf } = await attempts(['none', 'compensable', 'compensable'], {
    score: 'double(memory.third)',
  });
  for (const life of tries) for (let moves = 0; moves < 3; moves += 1) await life.move({ is: 'go' });
  expect((await Promise.all(tries.map(end))).map(({ is }) => is)).toEqual(['compensated', 'compensated', 'done']);
  expect((await client.attempts('try-3')).kept).toMatchObject({ keep: 'try-3', by: null });
  expect(actsOf('try-3').every(([, undone]) => undone === null)).toBe(true);
  await parent.end();
});

test('FK9: of two persons who keep two attempts at the same time one is told which was kept, in each store', async () => {
  for (const store of [
    memoryStore(),
    sqliteStore(freshPath()),
    ...(server === null ? [] : [postgresStore({ address: server.address(), schema })]),
  ]) {
    const { client, parent, tries } = await attempts(['none', 'none', 'irreversible'], { count: 2, store });
    const said = await Promise.allSettled([client.keep('try-1', { by: 'ann' }), client.keep('try-2', { by: 'bob' })]);
    expect(said.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = said.find((each) => each.status === 'rejected') as PromiseRejectedResult;
    const { kept } = await client.attempts('try-2');
    expect(String(refused.reason)).toContain(`${kept?.keep} was kept, by "${kept?.by}".`);
    const winner = tries.find(({ run }) => run === kept?.keep) as Life;
    await until(async () => {
      if (winner.sidecar.status === 'running') await winner.move({ is: 'go' });
      return winner.sidecar.status === 'done';
    });
    expect((await Promise.all(tries.map(end))).map(({ is }) => is).sort()).toEqual(['compensated', 'done']);
    await parent.sidecar.close();
    await store.close();
  }
});

test('FK9: a chooser that dies has made the choice: an attempt that is taken up looks for it, and the first one tells the others', async () => {
  const { store, parent, tries } = await attempts(['none', 'compensable', 'irreversible'], { count: 3 });
  for (const life of tries) await life.move({ is: 'go' });
  const [first, second, third] = tries as unknown as [Life, Life, Life];
  await third.sidecar.close();
  let left = 1;
  const post = (run: string, body: string) => {
    if (left === 0) throw new Error('the chooser is gone');
    left -= 1;
    return store.post(run, body);
  };
  const chooser = workClient({ ...wrapJournals(store, () => ({})), post });
  await expect(chooser.keep('try-2', { by: 'ann' })).rejects.toThrow('the chooser is gone');
  expect((await end(first)).is).toBe('compensated');
  // It has told the others before it ended.
  expect((await store.posts('try-2')).length).toBe(1);
  await until(() => second.sidecar.status === 'running' && second.rows().some(({ entry }) => entry.do === 'kept'));
  await third.open('resume').catch(() => {});
  expect((await end(third)).is).toBe('compensated');
  await second.move({ is: 'go' });
  await second.move({ is: 'go' });
  expect((await end(second)).is).toBe('done');
  await parent.end();
});

test('FK9: an attempt that is over or being ended is not kept, and the first attempt stays until the others are over', async () => {
  const { client, parent, tries } = await attempts(['none', 'compensable', 'compensable'], { count: 2 });
  const [first, second] = tries;
  await first.sidecar.cancel({ by: 'ann', undo: true });
  await end(first);
  await expect(client.keep('try-1', { by: 'bob' })).rejects.toThrow('try-1 cannot be kept: it is compensated.');
  expect(await client.delete('try-1')).toBe('the choice of its group is in its inbox, and try-2 is not over');
  await client.keep('try-2', { by: 'bob' });
  for (let moves = 0; moves < 3; moves += 1) await second.move({ is: 'go' });
  expect((await end(second)).is).toBe('done');
  expect(await client.delete('try-1')).toBeNull();
  await expect(client.keep('parent', { by: 'bob' })).rejects.toMatchObject({ code: 'keep_refused' });
  await expect(client.keep('nobody', { by: 'bob' })).rejects.toMatchObject({ code: 'run_unknown' });
  await parent.end();
});

test('FK7: attempts are made once, under terms that hold, or not at all', async () => {
  const { store, client, parent, tries } = await attempts(['none', 'compensable', 'compensable'], { count: 2 });
  const wish = { as: 'try', attempts: 2, by: 'ann' };
  expect((await client.forkAttempts('parent', wish)).runs).toEqual(['try-1', 'try-2']);
  const head = (await store.run('try-1'))?.head;
  await expect(client.forkAttempts('parent', { ...wish, attempts: 3 })).rejects.toMatchObject({ code: 'run_exists' });
  expect([(await store.run('try-1'))?.head, await store.run('try-3')]).toEqual([head, null]);
  for (const bad of [
    { attempts: 1 },
    { attempts: 2, score: 'event.' },
    { attempts: 2, deadline: 5 },
    { attempts: 2, score: '"a"' },
  ])
    await expect(client.forkAttempts('parent', { as: 'bad', by: 'ann', ...bad })).rejects.toThrow(TypeError);
  // A fork of an attempt waits for no choice.
  await client.fork('try-1', { as: 'free', by: 'ann' });
  await expect(client.keep('free', { by: 'ann' })).rejects.toMatchObject({ code: 'keep_refused' });
  await Promise.all([parent.end(), ...tries.map((life) => life.end())]);
});

test('FK10: an attempt in line for a key that another one has does not hold up the choice, nor is it chosen', async () => {
  const { client, parent, tries, actsOf } = await attempts(['none', 'compensable', 'compensable'], {
    count: 2,
    keys: [null, 'seat:1', 'seat:2'],
    score: 'double(memory.second)',
  });
  const [first, second] = tries;
  for (let moves = 0; moves < 3; moves += 1) await first.move({ is: 'go' });
  await second.move({ is: 'go' });
  expect((await Promise.all(tries.map(end))).map(({ is }) => is)).toEqual(['done', 'compensated']);
  expect((await client.attempts('try-1')).kept).toMatchObject({ keep: 'try-1', by: null });
  expect(actsOf('try-2')).toEqual([]);
  await parent.end();
});

test('FK10: until the deadline the score waits for an attempt that is under way, and then it chooses among those that wait', async () => {
  const { client, parent, tries } = await attempts(['none', 'compensable', 'compensable'], {
    count: 2,
    score: 'double(memory.second)',
    deadline: 1_500,
  });
  const [first, second] = tries;
  for (let moves = 0; moves < 3; moves += 1) await second.move({ is: 'go' });
  expect(first.sidecar.status).toBe('running');
  expect((await end(second)).is).toBe('done');
  expect((await client.attempts('try-1')).kept).toMatchObject({ keep: 'try-2', by: null });
  expect((await end(first)).is).toBe('compensated');
  await parent.end();
});

test('FK8: what a restore takes back waits no more where it stood', async () => {
  const { client, parent, tries } = await attempts(['none', 'compensable', 'irreversible'], { count: 2 });
  const [first] = tries;
  for (let moves = 0; moves < 2; moves += 1) await first.move({ is: 'go' });
  const standing = async () => (await client.attempts('try-1')).attempts[0];
  expect(await standing()).toMatchObject({ is: 'waits', tried: { at: 'act', tool: 'act-third' } });
  await first.move({ is: 'fail', unit: 'second' });
  await first.sidecar.durable();
  expect(await standing()).toMatchObject({ is: 'trying', tried: null });
  await Promise.all([parent.end(), ...tries.map((life) => life.end())]);
});

test('FK7 to FK11: drawn groups leave nothing of the attempts that were not kept, and nothing of the parent is changed', async () => {
  for (let seed = 1; seed <= 6; seed += 1)
    expect((await playAttempts(drawnAttempts(seed))).wrong, `npm run prove soak-attempts -- --only ${seed}`).toEqual(
      [],
    );
});
