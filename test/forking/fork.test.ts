/** Forks of a run: one past, two futures (semantics.md FK1 to FK6). Small scenarios by hand, and drawn ones that the world judges. */
import { afterAll, expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { freshPath } from '../journal/files.ts';
import { until } from '../poll.ts';
import { startServer } from '../postgres-server.ts';
import { drawn } from './draw.ts';
import { judge } from './judge.ts';
import { Life, play } from './trial.ts';
import { type ActClass, World } from './world.ts';

const server = await startServer();
const schema = `forks ${process.pid}`;

afterAll(async () => {
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

/** A parent that has made its first two acts, and forks of it. */
async function pair(classes: readonly ActClass[], says: 'approved' | 'denied' = 'approved', gated = false) {
  const [world, store] = [new World(), memoryStore()];
  const lives = (run: string) => new Life(run, world, store, { classes, says, gated });
  const parent = lives('parent');
  await parent.open('attach');
  await parent.move({ is: 'go' });
  await parent.move({ is: 'go' });
  const fork = async (as: string) => {
    await workClient(store).fork('parent', { as, by: 'ann' });
    const life = lives(as);
    await life.open('resume');
    return life;
  };
  return { world, store, parent, fork };
}

const THREE = ['compensable', 'compensable', 'compensable'] as const;

test('FK1: a fork goes on from the past of its parent, which learns nothing of it', async () => {
  const { world, store, parent, fork } = await pair(THREE);
  const before = await store.run('parent');
  const child = await fork('child');
  await child.move({ is: 'go' });
  await child.move({ is: 'go' });
  expect(await child.end()).toMatchObject({ is: 'done', context: { first: 1, second: 2, third: 3 } });
  expect(await store.run('parent')).toEqual(before);
  expect(world.acts.map(({ by }) => by)).toEqual(['parent', 'parent', 'child']);
  await parent.end();
});

test('FK1: where a call is held or under way no fork is made, and the nearest row before it is named', async () => {
  const { store, parent, fork } = await pair(['irreversible', 'irreversible', 'irreversible']);
  const child = await fork('child');
  const client = workClient(store);
  const intent = child.rows().find(({ entry }) => entry.do === 'intent')?.row.seq as number;
  const refused = client.fork('parent', { as: 'other', by: 'ann', at: intent });
  await expect(refused).rejects.toMatchObject({ code: 'fork_refused' });
  await expect(refused).rejects.toThrow(
    /cannot be forked at row \d+: .* The nearest row before it at which it can is \d+\./,
  );
  await expect(client.fork('parent', { as: 'child', by: 'ann' })).rejects.toMatchObject({ code: 'run_exists' });
  await expect(client.fork('nobody', { as: 'other', by: 'ann' })).rejects.toMatchObject({ code: 'run_unknown' });
  await expect(client.fork('parent', { as: 'other', by: ' ' })).rejects.toThrow(TypeError);
  await expect(client.fork('parent', { as: 'other', by: 'ann', at: 9_999 })).rejects.toMatchObject({
    code: 'fork_refused',
  });
  await Promise.all([parent.end(), child.end()]);
});

test('FK2: a fork undoes nothing of the common past: a complaint about it parks, and an abort undoes its own acts alone', async () => {
  const { world, parent, fork } = await pair(THREE);
  const [complaining, aborted] = [await fork('complaining'), await fork('aborted')];
  await complaining.move({ is: 'fail', unit: 'second' });
  expect(complaining.sidecar.status).toBe('parked');
  await aborted.move({ is: 'go' });
  await aborted.sidecar.cancel({ by: 'ann', undo: true });
  expect(await aborted.sidecar.finished()).toMatchObject({ status: 'compensated', stands: [] });
  expect(world.acts.map(({ tool, undoneBy }) => [tool, undoneBy])).toEqual([
    ['act-first', null],
    ['act-second', null],
    ['act-third', 'aborted'],
  ]);
  await Promise.all([parent.end(), complaining.end()]);
});

test('FK3: a call of the common past keeps its key, and the same call behind the fork has another one in each run', async () => {
  const { world, parent, fork } = await pair(THREE);
  const [one, two] = [await fork('one'), await fork('two')];
  for (const life of [one, two, parent]) await life.move({ is: 'go' });
  const keys = world.acts.filter(({ tool }) => tool === 'act-third').map(({ key }) => key);
  expect(new Set(keys).size).toBe(3);
  for (const life of [one, two])
    expect(
      life
        .rows()
        .flatMap(({ entry }) => (entry.do === 'intent' ? [entry.key] : []))
        .slice(0, 2),
    ).toEqual(world.acts.slice(0, 2).map(({ key }) => key));
  await Promise.all([one.end(), two.end(), parent.end()]);
});

test.each(['approved', 'denied'] as const)(
  'FK4: what the parent has done behind the fork is a question with its key, and %s is an answer',
  async (says) => {
    const { world, parent, fork } = await pair(THREE, says);
    const child = await fork('child');
    await parent.move({ is: 'go' });
    const theirs = world.acts.find(({ tool }) => tool === 'act-third')?.key;
    await child.move({ is: 'go' });
    expect([...child.asked.values()]).toEqual([theirs]);
    expect(world.acts.filter(({ tool }) => tool === 'act-third').length).toBe(says === 'approved' ? 2 : 1);
    await Promise.all([parent.end(), child.end()]);
  },
);

test('FK4: an approval that was asked for before the parent acted is asked for again behind that act', async () => {
  const { world, parent, fork } = await pair(THREE, 'approved', true);
  const child = await fork('child');
  child.meanwhile = () => parent.move({ is: 'go' });
  await child.move({ is: 'go' });
  const theirs = world.acts.find(({ tool, by }) => tool === 'act-third' && by === 'parent')?.key;
  expect([...child.asked.values()]).toEqual([theirs]);
  expect(child.rows().filter(({ entry }) => entry.do === 'gate' && entry.kin !== undefined).length).toBe(1);
  await Promise.all([parent.end(), child.end()]);
});

test('FK1: a message of the common past is not received anew, and the next one of each run is its own', async () => {
  const { store, parent, fork } = await pair(['none', 'none', 'compensable']);
  const client = workClient(store);
  await client.send('parent', { type: 'nothing' });
  await until(() => parent.rows().some(({ entry }) => entry.do === 'message'));
  await parent.sidecar.durable();
  const child = await fork('child');
  const messages = () => child.rows().flatMap(({ entry }) => (entry.do === 'message' ? [entry.post] : []));
  expect(messages()).toEqual([1]);
  expect(await client.send('child', { type: 'go' })).toBe(2);
  await until(() => messages().length === 2);
  await child.rest();
  expect([messages(), child.sidecar.actor.getSnapshot().value]).toEqual([[1, 2], 'thirdOver']);
  expect((await store.posts('parent')).length).toBe(1);
  await Promise.all([parent.end(), child.end()]);
});

test('FK5: what the parent undoes of the common past is gone for its fork, which does it again as its own', async () => {
  const { world, parent, fork } = await pair(THREE);
  const child = await fork('child');
  await parent.move({ is: 'fail', unit: 'second' });
  expect(world.acts.find(({ tool }) => tool === 'act-second')?.undoneBy).toBe('parent');
  for (let moves = 0; moves < 3; moves += 1) await child.move({ is: 'go' });
  const { is, context } = await child.end();
  const own = world.acts.find(({ tool, by }) => tool === 'act-second' && by === 'child');
  expect([is, context.second, own?.undoneBy]).toEqual(['done', own?.number, null]);
  await parent.end();
});

test('FK1 to FK6: drawn runs and forks end so that the world has each act of the common past once, and the parent is as without a fork', async () => {
  const ends: Record<string, number> = {};
  for (let seed = 1; seed <= 60; seed += 1) {
    const scenario = drawn(seed);
    const course = await play(scenario);
    expect(judge(course, await play(scenario, false)), `npm run prove soak-forks -- --only ${seed}`).toBeNull();
    ends[course.child.is] = (ends[course.child.is] ?? 0) + 1;
  }
  console.log(`forks, by how they ended: ${JSON.stringify(ends)}`);
  expect(ends.done).toBeGreaterThan(20);
});

test('FK6: three forks of a run that holds a key wait neither for it nor for each other, in each store', async () => {
  for (const store of [
    memoryStore(),
    sqliteStore(freshPath()),
    ...(server === null ? [] : [postgresStore({ address: server.address(), schema })]),
  ]) {
    const world = new World();
    const lives = (run: string, keys: readonly (string | null)[]) =>
      new Life(run, world, store, { classes: THREE, says: 'approved', keys });
    const parent = lives('parent', ['calendar:ada', 'calendar:ada', 'seat:1']);
    await parent.open('attach');
    await parent.move({ is: 'go' });
    const attempts: Life[] = [];
    for (const [index, seat] of ['seat:2', 'seat:2', 'seat:3'].entries()) {
      await workClient(store).fork('parent', { as: `attempt-${index}`, by: 'ann' });
      const attempt = lives(`attempt-${index}`, ['calendar:ada', 'calendar:ada', seat]);
      await attempt.open('resume');
      attempts.push(attempt);
    }
    const [one, two, three] = attempts as [Life, Life, Life];
    for (const each of attempts) await each.move({ is: 'go' });
    expect(attempts.map(({ waited }) => waited)).toEqual([[], [], []]);
    expect(world.acts.map(({ by }) => by)).toEqual(['parent', 'attempt-0', 'attempt-1', 'attempt-2']);
    // What a fork takes behind the past is its own, and kin are no strangers' way to the key.
    for (const each of attempts) await each.move({ is: 'go' });
    expect(attempts.map(({ waited }) => waited)).toEqual([[], ['waits: seat:2 is held by the run attempt-0'], []]);
    const stranger = lives('stranger', ['calendar:ada', null, null]);
    await stranger.open('attach');
    await stranger.move({ is: 'go' });
    expect(stranger.waited).toHaveLength(1);
    await one.move({ is: 'go' });
    await until(async () => !(await two.isWaiting()));
    await two.move({ is: 'go' });
    await three.move({ is: 'go' });
    expect(await Promise.all([one.end(), two.end(), three.end()])).toMatchObject([
      { is: 'done' },
      { is: expect.stringMatching(/done|thirdOver/) },
      { is: 'done' },
    ]);
    expect(await stranger.isWaiting()).toBe(true);
    await Promise.all([parent.sidecar.close(), stranger.sidecar.close()]);
    await store.close();
  }
});

test('FK6: what the parent takes behind the fork is its own, and a fork that is taken up anew shares what it shared', async () => {
  const [world, store] = [new World(), memoryStore()];
  const lives = (run: string) =>
    new Life(run, world, store, { classes: ['none', 'compensable', 'compensable'], says: 'approved', keys: KEYS });
  const KEYS = ['calendar:ada', 'seat:1', 'seat:2'];
  const parent = lives('parent');
  await parent.open('attach');
  await parent.move({ is: 'go' });
  await workClient(store).fork('parent', { as: 'child', by: 'ann' });
  const child = lives('child');
  await child.open('resume');
  await child.move({ is: 'reopen' });
  await parent.move({ is: 'go' });
  await child.move({ is: 'go' });
  expect(child.waited).toEqual(['waits: seat:1 is held by the run parent']);
  await workClient(store).fork('parent', { as: 'second', by: 'ann' });
  const second = lives('second');
  await second.open('resume');
  expect(second.waited).toEqual([]);
  const { held } = await store.claims.list();
  expect(held.map(({ run, key, from }) => [run, key, from])).toEqual([
    ['parent', 'calendar:ada', undefined],
    ['child', 'calendar:ada', 'parent'],
    ['parent', 'seat:1', undefined],
    ['second', 'calendar:ada', 'parent'],
    ['second', 'seat:1', 'parent'],
  ]);
  await Promise.all([parent.sidecar.close(), child.sidecar.close(), second.sidecar.close()]);
});
