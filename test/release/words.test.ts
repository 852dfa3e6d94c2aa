/** What a config and a person say of claims (semantics.md ER6 to ER9): keys that are announced, places that lapse, keys that are freed, and promises. */
import { afterAll, describe, expect, test } from 'vitest';
import { fromPromise, setup } from 'xstate';
import { lintConfig } from '../../src/boundaries/lint/lint.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { postgresStore } from '../../src/journal/postgres/store.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { machineShape } from '../../src/xstate/shape.ts';
import { callOf } from '../journal/claims-contract.ts';
import { freshPath } from '../journal/files.ts';
import { calm, until } from '../poll.ts';
import { startServer } from '../postgres-server.ts';
import { drawn } from './draw.ts';
import { endOf, judge } from './judge.ts';
import { Life, play } from './trial.ts';
import { type Act, type Claiming, World } from './world.ts';

const server = await startServer();
const schemas: string[] = [];

/** A schema of its own: runs have the same names in each. */
function newSchema(): string {
  schemas.push(`words ${process.pid} ${schemas.length}`);
  return schemas.at(-1) as string;
}

/** What is held once it is what is expected, or, where that does not come to be, what is held after a while: a release follows its run. */
async function heldOnce(held: () => Promise<string[]>, expected: readonly string[]): Promise<string[]> {
  for (let turn = 0; turn < 100 && (await held()).join() !== expected.join(); turn += 1) await calm();
  return held();
}

afterAll(async () => {
  if (server?.own === false)
    for (const schema of schemas) await server.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
  await server?.stop();
});

const change = (key: string): Act => ({ is: 'change', key });
const promising = (key: string): Act => ({ is: 'change', key, promises: true });

async function begun(runs: readonly (readonly Act[])[], claiming: Claiming, store: JournalStore = memoryStore()) {
  const world = new World();
  const lives = runs.map((acts, run) => new Life(`run-${'abc'[run]}`, { world, store }, acts, claiming));
  for (const life of lives) await life.open('attach');
  const life = (run: number) => lives[run] as Life;
  const go = async (run: number, times = 1) => {
    for (let time = 0; time < times; time += 1) await life(run).move({ run, is: 'go' });
  };
  const held = async () =>
    (await store.claims.list()).held.map(
      ({ run, key, released, passed }) => `${run} ${key}${released ? ' released' : ''}${passed ? ` ${passed}` : ''}`,
    );
  const close = async () => {
    for (const each of lives) if (!each.isGone) await each.sidecar.close();
  };
  return { world, store, life, go, held, close };
}

describe('ER6: a run that announces claims all keys of its config in one act', () => {
  const crossed = [
    [change('x'), change('y')],
    [change('y'), change('x')],
  ];

  test('two runs that want the same keys in the other order wait, and none is refused', async () => {
    const { life, go, close } = await begun(crossed, { release: 'whole', lineUp: 'announce' });
    await go(0);
    await go(1);
    expect([await life(0).isWaiting(), await life(1).isWaiting()]).toEqual([false, true]);
    await go(0, 2);
    await life(1).rest();
    await go(1, 2);
    expect([life(0).sidecar.status, life(1).sidecar.status]).toEqual(['done', 'done']);
    expect([...life(0).findings, ...life(1).findings].filter((text) => !text.startsWith('waits_for_run'))).toEqual([]);
    await close();
  });

  test('a run that claims with each call is refused in the same circle', async () => {
    const { life, go, close } = await begun(crossed, { release: 'whole' });
    await go(0);
    await go(1);
    await go(0);
    await go(1);
    expect(life(1).sidecar.status).not.toBe('done');
    expect(life(1).why.length).toBeGreaterThan(0);
    await close();
  });

  test('what is announced is released early, and a run that is taken up has it again', async () => {
    const { life, go, held, close } = await begun([[change('x'), change('y')]], { lineUp: 'announce' });
    await go(0);
    expect(await heldOnce(held, ['run-a at:x released', 'run-a at:y'])).toEqual(['run-a at:x released', 'run-a at:y']);
    await life(0).move({ run: 0, is: 'reopen' });
    expect(await heldOnce(held, ['run-a at:x released', 'run-a at:y'])).toEqual(['run-a at:x released', 'run-a at:y']);
    await go(0);
    expect(await heldOnce(held, ['run-a at:x released', 'run-a at:y released'])).toEqual([
      'run-a at:x released',
      'run-a at:y released',
    ]);
    await close();
  });
});

test('ER7: a call that stands in line for as long as the config allows is refused, and leaves the line', async () => {
  const claiming = { release: 'whole', ttl: '40ms' } as const;
  const { life, go, store, world, close } = await begun([[change('x')], [change('x')]], claiming);
  await go(0);
  void life(1).sidecar.actor.send({ type: 'go' });
  await until(() => life(1).sidecar.status === 'parked');
  expect((await store.claims.list()).waiting).toEqual([]);
  expect(world.done.map(({ run }) => run)).toEqual(['run-a']);
  await close();
});

test('ER9: a promised key is released though a state to come may touch it, and a touch of it is refused with the boundary', async () => {
  const { life, go, held, world, close } = await begun([[promising('x'), change('y'), change('x')], [change('x')]], {
    release: 'whole',
    lineUp: 'announce',
  });
  await go(0);
  expect(await heldOnce(held, ['run-a at:x released', 'run-a at:y'])).toEqual(['run-a at:x released', 'run-a at:y']);
  await go(1);
  await go(0, 2);
  expect(life(0).sidecar.status).toBe('parked');
  expect(life(0).findings).toContainEqual(
    expect.stringMatching(/^late_touch: at:x: the boundary o0 of u0.* has promised that at:x is not touched any more$/),
  );
  expect(world.done.map(({ run, key }) => `${run} ${key}`)).toEqual(['run-a x', 'run-b x', 'run-a y']);
  await close();
});

test('ER9: a promise counts also where no other run was given the key, and for the next process', async () => {
  const { life, go, close } = await begun([[promising('x'), change('y'), change('x')]], { release: 'whole' });
  await go(0);
  await life(0).move({ run: 0, is: 'reopen' });
  await go(0, 2);
  expect(life(0).sidecar.status).toBe('parked');
  expect(life(0).findings.some((text) => text.startsWith('late_touch: '))).toBe(true);
  await close();
});

test('ER9: check tells of a promise that a state behind the boundary breaks, and of one about the context', () => {
  const page = (release: string, touched: string) => `belay: 1
agent: meets
tools:
  reserve: { reads: [], writes: ['stock:{args.sku}'], effect: compensable, undo: undone }
  count: { reads: ['${touched}'], writes: [], effect: none }
skeletons:
  R:
    entity: '"it"'
    states: [reserving]
    entry: [reserving]
    inputs: []
    outputs: [got]
    exit: [{ id: reserved, at: reserving -> resting, when: 'true', release: ['${release}'] }]
    rollback: { anchors: [reserved] }
`;
  const machine = setup({
    actors: { reserve: fromPromise(async () => 1), count: fromPromise(async () => 1) },
  }).createMachine({
    id: 'meets',
    initial: 'reserving',
    states: {
      reserving: { invoke: { src: 'reserve', onDone: 'resting' } },
      resting: { on: { go: 'counting' } },
      counting: { invoke: { src: 'count', onDone: 'resting' } },
    },
  });
  const found = (text: string) => {
    const { config, document, findings } = loadConfig(text, { file: 'meets.yaml' });
    const linted = config === null ? [] : lintConfig(config, document, machineShape(machine as never));
    return [...findings, ...linted]
      .filter(({ code }) => code === 'release_touched_later' || code === 'bad_key')
      .map(({ line, code, severity }) => `${line} ${severity} ${code}`);
  };
  expect(found(page('stock:7', 'stock:7'))).toEqual(['13 warning release_touched_later']);
  expect(found(page('stock:{entity}', 'stock:7'))).toEqual(['13 note release_touched_later']);
  expect(found(page('stock:7', 'seat:7'))).toEqual([]);
  expect(found(page('got', 'seat:7'))).toEqual(['13 error bad_key']);
});

test('ER9: a restore to before the boundary takes the promise back with it', async () => {
  const { life, go, held, world, close } = await begun([[promising('x'), change('y')]], { release: 'whole' });
  await go(0, 2);
  await life(0).move({ run: 0, is: 'fail', act: 0 });
  expect([life(0).sidecar.status, world.wrong]).toEqual(['running', null]);
  expect(world.done.filter(({ isUndone }) => !isUndone).map(({ key }) => key)).toEqual(['x']);
  await go(0);
  expect(await heldOnce(held, ['run-a at:x released', 'run-a at:y'])).toEqual(['run-a at:x released', 'run-a at:y']);
  await go(0);
  expect([life(0).sidecar.status, life(0).findings]).toEqual(['done', []]);
  await close();
});

test('ER6 to ER9: drawn runs that die, lose replies, are freed and promise end so that some order of whole runs explains the world', {
  timeout: 300_000,
}, async () => {
  const ends = new Set<string>();
  for (let seed = 1; seed <= 150; seed += 1) {
    const course = await play(drawn(seed, seed % 6 === 0 ? 3 : 2, true));
    expect(judge(course), `npm run prove release -- --wide --only ${seed}`).toBe(null);
    ends.add(endOf(course));
  }
  expect(ends.size).toBeGreaterThan(4);
});

describe.each(['memory', 'SQLite', 'PostgreSQL'] as const)('ER8: what a person frees in %s', (kind) => {
  const isThere = kind !== 'PostgreSQL' || server !== null;
  const newStore = () => {
    if (kind === 'memory') return memoryStore();
    return kind === 'SQLite'
      ? sqliteStore(freshPath())
      : postgresStore({ address: server?.address() ?? '', schema: newSchema() });
  };

  test.skipIf(!isThere)('stays noted with its next owner, and the others are had again', async () => {
    const store = newStore();
    const journals = [await store.open('n-a', 'create'), await store.open('n-b', 'create')];
    const { claims } = store;
    await claims.ask([callOf('n-a', 'x:1', 'x:2')]);
    await claims.letGo('n-a', ['x:1']);
    await claims.ask([callOf('n-b', 'x:1')]);
    await journals[0]?.close();
    const head = (await store.run('n-a'))?.head ?? 0;
    expect([...((await claims.free('n-a', head, 'ann', 'it hangs')) ?? [])].sort()).toEqual(['x:1', 'x:2']);
    expect([...(await claims.freed('n-a'))].sort()).toEqual(['x:1', 'x:2']);
    const { held, freed } = await claims.list();
    expect(held.map(({ run, key }) => `${run} ${key}`)).toEqual(['n-b x:1']);
    expect(freed).toMatchObject([{ run: 'n-a', by: 'ann', why: 'it hangs' }]);
    expect(await claims.free('n-a', head, 'ann')).toEqual([]);
    const again = await store.open('n-a', 'resume');
    expect(await claims.takeBack('n-a')).toEqual([{ key: 'x:1', run: 'n-b', epoch: expect.any(Number) }]);
    expect(await claims.freed('n-a')).toEqual(['x:1']);
    expect((await claims.ask([callOf('n-b', 'x:2')])).map(({ is }) => is)).toEqual(['waits']);
    await claims.release('n-a');
    expect(await claims.freed('n-a')).toEqual([]);
    await again.close();
    await journals[1]?.close();
    await store.close();
  });

  test.skipIf(!isThere)('is not touched by the run under the other one, and the other keys are', async () => {
    const store = newStore();
    const acts = [[change('x'), change('y'), change('x')], [change('x')]];
    const { life, go, held, world, close } = await begun(acts, { release: 'whole' }, store);
    await go(0, 2);
    await life(0).move({ run: 0, is: 'free' });
    await go(1, 2);
    expect(life(1).sidecar.status).toBe('done');
    await life(0).open('resume');
    expect(life(0).findings).toContainEqual(
      expect.stringMatching(/^released: at:x was released, and the run run-b has been given it since \(grant \d+\)/),
    );
    expect(await heldOnce(held, ['run-a at:y'])).toEqual(['run-a at:y']);
    await go(0, 2);
    await until(() => life(0).sidecar.status === 'parked');
    expect(world.done.map(({ run, key }) => `${run} ${key}`)).toEqual(['run-a x', 'run-a y', 'run-b x']);
    await life(0).move({ run: 0, is: 'abort' });
    expect(world.done.map(({ isUndone }) => isUndone)).toEqual([false, true, false]);
    expect([world.wrong, life(0).sidecar.status]).toEqual([null, 'compensated']);
    await close();
    await store.close();
  });

  test.skipIf(!isThere)('is had again where no other run was given it, and the run goes on', async () => {
    const store = newStore();
    const { life, go, held, close } = await begun([[change('x'), change('x')]], { release: 'whole' }, store);
    await go(0);
    await life(0).move({ run: 0, is: 'free' });
    expect(await heldOnce(held, [])).toEqual([]);
    await life(0).open('resume');
    await calm(2);
    expect(await heldOnce(held, ['run-a at:x'])).toEqual(['run-a at:x']);
    await go(0, 2);
    expect([life(0).sidecar.status, life(0).findings]).toEqual(['done', []]);
    await close();
    await store.close();
  });
});
