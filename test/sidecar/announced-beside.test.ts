/** SP2 to SP4 where they meet regions, messages, a pause, a complaint and the death of a process. */
import { afterEach, expect, test } from 'vitest';
import { setup } from 'xstate';
import { NotApplied } from '../../src/effects/signals.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Commit } from '../../src/sidecar/report.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import type { AnyStateMachine } from '../../src/xstate/actor.ts';
import { attach, resume, type Sidecar, tool } from '../../src/xstate/index.ts';
import { calm, until } from '../poll.ts';
import { loaded } from './loaded.ts';

const unit = (name: string) => `  ${name.toUpperCase()}:
    entity: '"${name}"'
    states: [${name}.working]
    entry: [${name}.working]
    outputs: ['shop:${name}']
    exit: [{ id: ${name}-done, at: ${name}.working -> ${name}.rests, when: 'true', message: '"worked on ${name}"' }]
    rollback: { anchors: [${name}-done], resume: ${name}.working, joint: [${name.toUpperCase()}] }
`;
const CONFIG = loaded(`belay: 1
agent: beside
tools:
  a: { reads: [], writes: ['shop:a'], effect: reversible, undo: un, reconcile: find }
  b: { reads: [], writes: ['shop:b'], effect: reversible, undo: un, reconcile: find }
skeletons:
${unit('a')}${unit('b')}`);

/** The calls that stand, by key, and how often each tool was called. */
class Shop {
  readonly made = new Map<string, string>();
  calls = 0;
}

function machineOf(shop: Shop) {
  const acts = (name: string) =>
    tool(async ({ key }) => {
      shop.calls += 1;
      shop.made.set(key as string, name);
      return name;
    });
  const region = (name: string, begins: string) => ({
    initial: begins,
    states: {
      waiting: { on: { GO: 'working' } },
      working: { invoke: { src: name, onDone: 'rests' } },
      rests: { on: { END: 'over' } },
      over: { type: 'final' },
    },
  });
  return setup({ actors: { a: acts('a'), b: acts('b') } }).createMachine({
    id: 'beside',
    type: 'parallel',
    states: { a: region('a', 'working'), b: region('b', 'waiting') },
  } as never) as unknown as AnyStateMachine;
}

const open: Sidecar<AnyStateMachine>[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close().catch(() => {});
});

async function up(journal: JournalStore, shop: Shop, told: Commit[], holds: () => Promise<void> | void = () => {}) {
  const sidecar = await resume(machineOf(shop), {
    run: 'r',
    journal,
    config: CONFIG,
    undo: { un: async ({ key }) => void shop.made.delete(key) },
    reconcilers: {
      find: ({ key }) => (shop.made.has(key) ? { is: 'applied', output: shop.made.get(key) } : { is: 'not_applied' }),
    },
    onCommit: async (commit) => {
      await holds();
      told.push(commit);
    },
  });
  open.push(sidecar);
  sidecar.actor.start();
  const value = () => (sidecar.actor.getSnapshot() as { value: Record<string, string> }).value;
  const at = (a: string, b: string) => until(() => value().a === a && value().b === b);
  return { sidecar, at, send: (type: string) => sidecar.actor.send({ type }), value };
}

const messages = (told: readonly Commit[]) =>
  [...new Map(told.map(({ id, message }) => [id, message])).values()].toSorted();

test('of two regions, one by a message, killed at each append: each commit is told, under one id', async () => {
  let deaths = 0;
  for (let at = 1; ; at += 1) {
    const [store, shop, told] = [memoryStore(), new Shop(), [] as Commit[]];
    let appends = 0;
    const dying = wrapJournals(store, (journal) => ({
      append: (rows, note) => {
        appends += 1;
        if (appends >= at) throw new Error('killed');
        return journal.append(rows, note);
      },
    }));
    const first = await up(dying, shop, told).catch(() => null);
    const go = async (life: Awaited<ReturnType<typeof up>>, isOver: () => boolean) => {
      const { value, send } = life;
      while (!isOver()) {
        if (value().b === 'waiting') send('GO');
        if (value().a === 'rests' && value().b === 'rests') {
          send('END');
          return;
        }
        await calm(2);
      }
    };
    if (first !== null) {
      await go(first, () => appends >= at);
      await calm(10);
      await first.sidecar.close().catch(() => {});
    }
    const second = await up(store, shop, told);
    await go(second, () => second.sidecar.status === 'done');
    const ending = await second.sidecar.finished();
    expect([at, ending.status, messages(told)]).toEqual([at, 'done', ['worked on a', 'worked on b']]);
    expect([at, 'unannounced' in ending ? ending.unannounced : []]).toEqual([at, []]);
    if (appends < at) break;
    deaths += 1;
    await second.sidecar.close();
  }
  expect(deaths).toBeGreaterThan(6);
});

test('a complaint about one region while its commit is being told: the work done again is another commit, and the region beside stays told once', async () => {
  const [store, shop, told] = [memoryStore(), new Shop(), [] as Commit[]];
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { sidecar, at, send } = await up(store, shop, told, () => held);
  await at('rests', 'waiting');
  send('GO');
  await at('rests', 'rests');
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'B', entity: 'b', ordinal: 0 } });
  await until(() => shop.calls === 3);
  await at('rests', 'rests');
  letGo();
  await until(() => messages(told).length === 2);
  send('END');
  expect((await sidecar.finished()).status).toBe('done');
  // The first commit of b was taken back before the program could be told of it.
  expect([told.map(({ message }) => message), [...shop.made.values()]]).toEqual([
    ['worked on a', 'worked on b'],
    ['a', 'b'],
  ]);
});

test('in a pause nothing is told; what was committed before is told once the run goes on', async () => {
  const [store, shop, told] = [memoryStore(), new Shop(), [] as Commit[]];
  let isThrowing = true;
  const { sidecar, at, send } = await up(store, shop, told, () => {
    if (isThrowing) throw new Error('not now');
  });
  await at('rests', 'waiting');
  await sidecar.pause({ by: 'ada', why: 'look' });
  isThrowing = false;
  await calm(60);
  expect(told).toEqual([]);
  await sidecar.unpause({ by: 'ada' });
  await until(() => told.length === 1);
  send('GO');
  await at('rests', 'rests');
  send('END');
  await sidecar.finished();
  expect(messages(told)).toEqual(['worked on a', 'worked on b']);
});

test('of a unit that was found wrong before its commit, the commit shows what was done again, and not what was taken back or has failed', async () => {
  const [shop, told] = [new Shop(), [] as Commit[]];
  const pay = tool(async ({ key }) => {
    shop.calls += 1;
    if (shop.calls % 2 === 1) throw new NotApplied('busy');
    shop.made.set(key as string, 'a');
  });
  const machine = setup({ actors: { a: pay } }).createMachine({
    id: 'checked',
    initial: 'working',
    states: {
      working: { invoke: { src: 'a', onDone: 'checking', onError: 'again' } },
      again: { invoke: { src: 'a', onDone: 'checking' } },
      checking: { on: { OK: 'over' } },
      over: { type: 'final' },
    },
  } as never) as unknown as AnyStateMachine;
  const config = loaded(`belay: 1
agent: checked
tools:
  a: { reads: [], writes: ['shop:a'], effect: reversible, undo: un, reconcile: find }
skeletons:
  A:
    entity: '"a"'
    states: [working, again, checking]
    entry: [working]
    exit: [{ id: checked, at: checking -> over, when: 'true', message: '"checked"' }]
    rollback: { anchors: [checked], resume: working }
`);
  const sidecar = await attach(machine, {
    run: 'r',
    journal: memoryStore(),
    config,
    undo: { un: async ({ key }) => void shop.made.delete(key) },
    reconcilers: { find: ({ key }) => (shop.made.has(key) ? { is: 'applied', output: 'a' } : { is: 'not_applied' }) },
    onCommit: async (commit) => void told.push(commit),
  });
  open.push(sidecar);
  sidecar.actor.start();
  const checking = () => (sidecar.actor.getSnapshot() as { value: string }).value === 'checking';
  await until(checking);
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'A', entity: 'a', ordinal: 0 } });
  await until(() => shop.calls === 4 && checking());
  await until(() => sidecar.status === 'running');
  sidecar.actor.send({ type: 'OK' });
  expect((await sidecar.finished()).status).toBe('done');
  expect(told.map(({ calls }) => calls.map(({ key }) => key))).toEqual([[...shop.made.keys()]]);
});
