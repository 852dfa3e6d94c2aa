/** Early release of claims (semantics.md ER1 to ER5): a run gives up a key that it can touch no more, and what another run was given stays as it is. */
import { afterAll, describe, expect, test } from 'vitest';
import { entriesOf } from '../../src/journal/entries.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { workClient } from '../../src/workers/client.ts';
import { callOf } from '../journal/claims-contract.ts';
import { freshPath } from '../journal/files.ts';
import { startServer } from '../postgres-server.ts';
import { drawn } from './draw.ts';
import { endOf, judge } from './judge.ts';
import { Life, play } from './trial.ts';
import { type Act, World } from './world.ts';

const server = await startServer();
const schema = `releases ${process.pid}`;

afterAll(async () => {
  if (server?.own === false) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

const change = (key: string): Act => ({ is: 'change', key });
const look = (key: string): Act => ({ is: 'look', key });

/** Runs by their acts, in one store and one world. */
async function begun(runs: readonly (readonly Act[])[], store: JournalStore = memoryStore()) {
  const world = new World();
  const lives = runs.map((acts, run) => new Life(`run-${'abc'[run]}`, { world, store }, acts));
  for (const life of lives) await life.open('attach');
  const go = async (run: number, times = 1) => {
    for (let time = 0; time < times; time += 1) await lives[run]?.move({ run, is: 'go' });
  };
  const held = async () =>
    (await store.claims.list()).held.map(({ run, key, released, passed }) =>
      [run, key, ...(released ? ['released'] : []), ...(passed ? [`passed to ${passed}`] : [])].join(' '),
    );
  const close = async () => {
    for (const { sidecar } of lives) await sidecar.close();
  };
  return { world, store, lives, go, held, close };
}

async function kinds(store: JournalStore, run: string): Promise<string[]> {
  return [...entriesOf(await gathered(store.read(run)))].map(({ entry }) => entry.do);
}

test('ER1: a key is released at the boundary behind its last touch, and the next run goes on at once', async () => {
  const { lives, go, held, store, close } = await begun([[change('x'), change('y')], [change('x')]]);
  await go(0);
  await go(1);
  expect(await lives[1]?.isWaiting()).toBe(true);
  await go(0);
  expect(await lives[1]?.isWaiting()).toBe(false);
  await lives[1]?.rest();
  expect(await held()).toEqual(['run-a at:x released passed to run-b', 'run-a at:y released', 'run-b at:x released']);
  expect(await kinds(store, 'run-a')).toContain('released');
  await close();
});

test('ER1: a key whose unit has certified no boundary behind its touch is kept', async () => {
  const { go, held, close } = await begun([[{ ...change('x'), certifies: false }, change('y')], [change('x')]]);
  await go(0, 2);
  expect(await held()).toEqual(['run-a at:x', 'run-a at:y released']);
  await close();
});

test('ER1: without the word of the config a run keeps its keys to its end', async () => {
  const whole = await play({
    runs: [[change('x'), change('y')], [change('x')]],
    moves: [],
    claiming: { release: 'whole' },
  });
  expect([whole.released, judge(whole)]).toEqual([0, null]);
});

test('ER2: nothing is released before the run has each other key that it may still touch', async () => {
  const { go, held, close } = await begun([[change('x'), change('y')]]);
  await go(0);
  expect(await held()).toEqual(['run-a at:x']);
  await close();
});

test('ER2: a key that a state to come may touch is kept', async () => {
  const { go, held, close } = await begun([[change('x'), change('y'), look('x')]]);
  await go(0, 2);
  expect(await held()).toEqual(['run-a at:x', 'run-a at:y released']);
  await close();
});

test('ER2, ER3: a run whose key another one was given does not repeat a look under it, and claims nothing new', async () => {
  const { lives, go, world, close } = await begun([[look('x'), change('y')], [change('x')]]);
  await go(0, 2);
  await go(1);
  await lives[0]?.move({ run: 0, is: 'fail', act: 0 });
  expect(world.wrong).toBe(null);
  expect(lives[0]?.findings).toContainEqual(
    expect.stringMatching(/^released: at:x was released, and the run run-b has been given it since \(grant \d+\)/),
  );
  expect(lives[0]?.sidecar.status).toBe('parked');
  await close();
});

test('ER3: an act on a key that another run was given is not undone under it', async () => {
  const { lives, go, world, close } = await begun([[change('x'), change('y')], [change('x')]]);
  await go(0, 2);
  await go(1);
  await lives[0]?.move({ run: 0, is: 'fail', act: 0 });
  expect([world.wrong, lives[0]?.sidecar.status, lives[0]?.why]).toEqual([null, 'parked', ['compensation_missing']]);
  expect(world.done.map(({ isUndone }) => isUndone)).toEqual([false, false, false]);
  await close();
});

test('ER3: an abort lets stand what another run was given, and names it', async () => {
  const { lives, go, world, close } = await begun([[change('x'), change('y')], [change('x')]]);
  await go(0, 2);
  await go(1);
  await lives[0]?.move({ run: 0, is: 'abort' });
  expect([world.wrong, lives[0]?.sidecar.status]).toEqual([null, 'compensated']);
  expect(world.done.map(({ key, isUndone }) => `${key} ${isUndone}`)).toEqual(['x false', 'y true', 'x false']);
  await close();
});

test('ER3: a complaint takes back what no other run was given, and the work is done again', async () => {
  const { lives, go, held, world, close } = await begun([[change('x'), change('y')], [change('x')]]);
  await go(0, 2);
  await lives[0]?.move({ run: 0, is: 'fail', act: 1 });
  expect([world.wrong, lives[0]?.sidecar.status]).toEqual([null, 'running']);
  // A busy machine releases a little later.
  await expect.poll(held).toEqual(['run-a at:x released', 'run-a at:y released']);
  expect(world.done.map(({ isUndone }) => isUndone)).toEqual([false, true, false]);
  await close();
});

test('ER4: a run that is taken up claims nothing that it has released, and tells the store once more', async () => {
  const { lives, go, held, store, close } = await begun([[change('x'), change('y')], [change('x')]]);
  await go(0, 2);
  await go(1);
  await lives[0]?.move({ run: 0, is: 'reopen' });
  expect((await store.claims.list()).waiting).toEqual([]);
  expect((await held()).slice(0, 2)).toEqual(['run-a at:x released passed to run-b', 'run-a at:y released']);
  // The store did not hear of it before the process died.
  await store.claims.takeBack('run-a');
  expect((await held())[1]).toBe('run-a at:y');
  await lives[0]?.move({ run: 0, is: 'reopen' });
  expect((await held())[1]).toBe('run-a at:y released');
  await close();
});

test('ER5: no fork is made behind a release, and one is before it', async () => {
  const { go, store, close } = await begun([[change('x'), change('y')]]);
  await go(0, 2);
  await expect(workClient(store).fork('run-a', { as: 'other', by: 'ann' })).rejects.toThrow(
    /the run has released keys there\. The nearest row before it at which it can is \d+/,
  );
  await close();
});

test('ER1 to ER4: drawn runs that meet end so that some order of whole runs explains the world', {
  timeout: 300_000,
}, async () => {
  const ends: Record<string, number> = {};
  let released = 0;
  for (let seed = 1; seed <= 120; seed += 1) {
    const course = await play(drawn(seed, seed % 6 === 0 ? 3 : 2));
    expect(judge(course), `npm run prove release -- --only ${seed}`).toBe(null);
    ends[endOf(course)] = (ends[endOf(course)] ?? 0) + 1;
    released += course.released;
  }
  expect(released).toBeGreaterThan(100);
  expect(Object.keys(ends).length).toBeGreaterThan(2);
});

/** The rounds that eight runs need, in each of which every run that does not wait does one act: one on a shared key and fifteen after it. */
async function rounds(release: 'whole' | 'final'): Promise<number> {
  const [world, store] = [new World(), memoryStore()];
  const own = (run: number) => Array.from({ length: 15 }, () => change(`own-${run}`));
  const lives = Array.from(
    { length: 8 },
    (_, run) => new Life(`run-${run}`, { world, store }, [change('x'), ...own(run)], { release }),
  );
  for (const life of lives) await life.open('attach');
  let count = 0;
  for (; lives.some(({ sidecar }) => sidecar.status !== 'done'); count += 1)
    for (const [run, life] of lives.entries()) await life.move({ run, is: 'go' });
  return count;
}

test('ER1: eight runs with one act on a shared key and fifteen after it end in a fraction of the rounds', {
  timeout: 300_000,
}, async () => {
  const [whole, final] = [await rounds('whole'), await rounds('final')];
  console.info(`eight runs: ${final} rounds with early release, ${whole} without`);
  expect(final).toBeLessThanOrEqual(26);
  expect(whole).toBeGreaterThan(100);
});

describe.each(['memory', 'SQLite', 'PostgreSQL'] as const)('the claims of %s', (kind) => {
  const isThere = kind !== 'PostgreSQL' || server !== null;
  const newStore = () => {
    if (kind === 'memory') return memoryStore();
    return kind === 'SQLite' ? sqliteStore(freshPath()) : postgresStore({ address: server?.address() ?? '', schema });
  };

  test.skipIf(!isThere)(
    'ER3: a released key is granted, remembers the first grant, and is taken back where there was none',
    async () => {
      const store = newStore();
      const name = (run: string) => `${kind}-${run}`;
      const journals = [];
      for (const run of ['a', 'b', 'c']) journals.push(await store.open(name(run), 'create'));
      const { claims } = store;
      const asks = async (run: string, ...keys: string[]) =>
        (await claims.ask([callOf(name(run), ...keys)])).map(({ is }) => is);
      expect(await asks('a', 'x:1', 'x:2', 'y:1?')).toEqual(['held']);
      await claims.letGo(name('a'), ['x:1', 'x:2', 'y:1']);
      // Who shares what was shared was given nothing of it.
      expect(await asks('b', 'x:1/sub', 'y:1?')).toEqual(['held']);
      const [passed, ...others] = await claims.takeBack(name('a'));
      expect([passed, others]).toEqual([{ key: 'x:1', run: name('b'), epoch: expect.any(Number) }, []]);
      expect(await asks('c', 'x:2')).toEqual(['waits']);
      await claims.release(name('b'));
      await claims.letGo(name('a'), ['x:2']);
      expect(await claims.takeBack(name('a'))).toEqual([passed]);
      const { held } = await claims.list();
      expect(
        held.filter(({ run }) => run === name('a')).map(({ key, released, passed: to }) => [key, released, to]),
      ).toEqual([
        ['x:1', true, name('b')],
        ['x:2', undefined, undefined],
        ['y:1', undefined, undefined],
      ]);
      for (const journal of journals) await journal.close();
      await store.close();
    },
  );

  test.skipIf(!isThere)('ER2: nothing is released while a call of the run stands in line', async () => {
    const store = newStore();
    const name = (run: string) => `${kind}-line-${run}`;
    const journals = [await store.open(name('a'), 'create'), await store.open(name('b'), 'create')];
    const { claims } = store;
    await claims.ask([callOf(name('a'), 'z:1'), callOf(name('b'), 'z:2'), callOf(name('a'), 'z:2')]);
    await claims.letGo(name('a'), ['z:1']);
    const { held } = await claims.list();
    expect(held.find(({ run }) => run === name('a'))).not.toHaveProperty('released');
    for (const journal of journals) await journal.close();
    await store.close();
  });

  test.skipIf(!isThere)('ER1 to ER4: runs that meet end as they do in memory', async () => {
    for (const seed of [2, 5, 9, 14, 21, 33]) {
      const store = newStore();
      const course = await play(drawn(seed), store, `${kind}-${seed}-`);
      expect([judge(course), endOf(course)], `--only ${seed}`).toEqual([null, endOf(await play(drawn(seed)))]);
      await store.close();
    }
  });
});
