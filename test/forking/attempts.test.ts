/** Attempts of a run: several forks of one row, of which one is kept (semantics.md FK7 to FK11). */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { until } from '../poll.ts';
import { Life } from './trial.ts';
import { type ActClass, World } from './world.ts';

/** A parent that has made its first act, and attempts of it. */
async function attempts(
  classes: readonly ActClass[],
  { count = 3, ...terms }: { readonly count?: number; readonly score?: string; readonly deadline?: number } = {},
) {
  const [world, store] = [new World(), memoryStore()];
  const client = workClient(store);
  const lives = (run: string) => new Life(run, world, store, { classes, says: 'approved' });
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
  const actsOf = (run: string) => world.acts.filter(({ by }) => by === run).map(({ tool, undoneBy }) => [tool, undoneBy]);
  return { world, store, client, parent, tries: tries as [Life, Life, ...Life[]], actsOf };
}

const end = async (life: Life) => {
  await until(() => ['done', 'compensated'].includes(life.sidecar.status), () => `the end of ${life.run}: ${life.sidecar.status}`);
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
