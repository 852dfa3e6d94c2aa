/** C8 and C9: what must not be done beside what stands, and what is left over at the end. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, type Given, held, machineOf, run, World } from './little.ts';

/** n0; if (k0) { pay in one unit } else { pay in another }; both are about the same entity. */
function twoPayers() {
  const world = new World();
  const machine = machineOf(
    { n0: world.tool('n0', ({ nth }) => nth === 0), pay: world.tool('pay') },
    {
      initial: 'n0',
      states: {
        n0: calls('n0', 'k0', 'choice'),
        choice: { always: [{ guard: ({ context }: { context: { k0: boolean } }) => context.k0, target: 's' }, 't'] },
        s: calls('pay', 'paid', 'rest'),
        t: calls('pay', 'sent', 'rest'),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { n0: 'writes: [k0], effect: none', pay: 'writes: [paid, sent], effect: irreversible' },
    {
      N0: { states: ['n0'], at: 'n0 -> choice', writes: ['k0'] },
      S: { states: ['s'], at: 's -> rest', writes: ['paid'] },
      T: { states: ['t'], at: 't -> rest', writes: ['sent'] },
    },
  );
  return { world, machine, config };
}

/** n0; if (k0) the child machine `one` else the child machine `two`: the same unit, in two places. */
function twoChildren() {
  const world = new World();
  const inner = machineOf(
    { see: world.tool('see'), pay: world.tool('pay') },
    {
      id: 'inner',
      initial: 'seeing',
      states: {
        seeing: calls('see', 'seen', 'paying'),
        paying: calls('pay', 'paid', 'over'),
        over: { type: 'final' },
      },
    },
  );
  const invoking = (id: string) => ({ invoke: { src: 'inner', id, onDone: 'rest' } });
  const machine = machineOf(
    { n0: world.tool('n0', ({ nth }) => nth === 0), inner },
    {
      initial: 'n0',
      states: {
        n0: calls('n0', 'k0', 'choice'),
        choice: {
          always: [{ guard: ({ context }: { context: { k0: boolean } }) => context.k0, target: 'one' }, 'two'],
        },
        one: invoking('first'),
        two: invoking('second'),
        rest: {},
      },
    },
  );
  const config = configOf(
    {
      n0: 'writes: [k0], effect: none',
      see: 'writes: [seen], effect: none',
      inner: 'reads: [], writes: [], effect: none',
      pay: 'writes: [paid], effect: irreversible',
    },
    {
      N0: { states: ['n0'], at: 'n0 -> choice', writes: ['k0'] },
      S: { states: ['inner/seeing', 'inner/paying'], at: 'inner/paying -> inner/over', writes: ['paid', 'seen'] },
    },
  );
  return { world, machine, config };
}

describe('C8: nothing is done anew while an effect of the same kind stands unclaimed', () => {
  test('another unit does not call the same tool about the same entity: the run is parked before the act', async () => {
    const { world, machine, config } = twoPayers();
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    expect(it.aside()).toEqual(['S']);
    expect((await it.ending()).status).toBe('parked');
    expect([world.count('pay'), it.codes()]).toEqual([1, ['unclaimed_effect']]);
    await it.sidecar.close();
  });

  test('and goes on once a person has undone what stood', async () => {
    const { world, machine, config } = twoPayers();
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await it.ending();
    await it.sidecar.settle(world.keys('pay')[0] as string, 'compensated');
    await it.at('rest');
    expect(it.context()).toEqual({ k0: false, sent: 'pay1' });
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });

  test('no new occurrence of the same unit is begun in another place', async () => {
    const { world, machine, config } = twoChildren();
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    expect(it.aside()).toEqual(['S']);
    expect((await it.ending()).status).toBe('parked');
    expect([world.count('pay'), it.codes()]).toEqual([1, ['unclaimed_effect']]);
    // It has only begun: the answer of its first call, of class none, is not heard.
    const { second } = it.actor.getSnapshot().children as unknown as Record<string, { getSnapshot(): object }>;
    expect(second?.getSnapshot()).toMatchObject({ value: 'seeing' });
    await it.sidecar.close();
  });
});

/** n0; if (k0) { n1 }; end. The replay takes the other branch. */
function leftOver(effect: string, rollback = '') {
  const world = new World();
  const machine = machineOf(
    {
      n0: world.tool('n0', ({ nth }) => nth === 0),
      n1: world.tool('n1'),
      z: world.tool('z', ({ nth }) => (nth === 0 ? held().promise : 'z')),
    },
    {
      initial: 'n0',
      states: {
        n0: calls('n0', 'k0', 'choice'),
        choice: { always: [{ guard: ({ context }: { context: { k0: boolean } }) => context.k0, target: 'n1' }, 'z'] },
        n1: calls('n1', 'k1', 'z'),
        z: calls('z', 'kz', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { n0: 'writes: [k0], effect: none', n1: `writes: [k1], ${effect}`, z: 'writes: [kz], effect: none' },
    {
      N0: { states: ['n0'], at: 'n0 -> choice', writes: ['k0'], rollback },
      N1: { states: ['n1'], at: 'n1 -> z', writes: ['k1'] },
    },
  );
  return { world, machine, config };
}

async function ended({ world, machine, config }: ReturnType<typeof leftOver>) {
  const it = await run(machine, config, { undo: world.undo });
  await until(() => world.count('z') === 1);
  await it.wrong('N0', 'k0');
  expect(it.aside()).toEqual(['N1']);
  return { it, ending: await it.ending() };
}

describe('C9: nothing is left over at the end', () => {
  test('a reversible effect that no replay has claimed is undone before the run ends', async () => {
    const little = leftOver('effect: reversible, undo: un', 'joint: [N1]');
    const { it, ending } = await ended(little);
    expect([ending.status, it.context()]).toEqual(['done', { k0: false, kz: 'z' }]);
    expect([little.world.count('n1'), little.world.undone]).toEqual([1, little.world.keys('n1')]);
    await it.sidecar.close();
  });

  test.each(['effect: irreversible', 'effect: idempotent', 'effect: reversible, undo: un'])(
    'one that may not be undone parks the run, which names it (%s)',
    async (effect) => {
      const little = leftOver(effect);
      const { it, ending } = await ended(little);
      expect([ending.status, it.codes(), little.world.undone]).toEqual(['parked', ['unclaimed_effect'], []]);
      expect(it.reports.at(-1)?.decision.refusals).toMatchObject([
        { effect: { id: little.world.keys('n1')[0], tool: 'n1' } },
      ]);
      expect(it.actor.getSnapshot().status).toBe('active');
      await it.sidecar.close();
    },
  );

  test('and the run ends once a person has undone it', async () => {
    const little = leftOver('effect: irreversible');
    const { it } = await ended(little);
    await it.sidecar.settle(little.world.keys('n1')[0] as string, 'compensated');
    expect((await it.ending()).status).toBe('done');
    expect(it.actor.getSnapshot().status).toBe('done');
    await it.sidecar.close();
  });

  test('a record without effects is dropped', async () => {
    const { it, ending } = await ended(leftOver('effect: none'));
    expect([ending.status, it.context()]).toEqual(['done', { k0: false, kz: 'z' }]);
    await it.sidecar.close();
  });
});

/** Two regions: one looks, and waits for a flag; the other, once all in it have found, sets that flag. Both are left for `rest`. */
function twoRegions() {
  const world = new World();
  const finding = {
    initial: 'find',
    states: { find: calls('find', 'found', 'over'), over: { type: 'final' } },
  };
  const machine = machineOf(
    { look: world.tool('look'), find: world.tool('find') },
    {
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          states: {
            a: {
              initial: 'look',
              states: {
                look: calls('look', 'looked', 'wait'),
                wait: { always: { guard: ({ context }: Given) => context.flag === 1, target: '#m.rest' } },
              },
            },
            b: {
              initial: 'all',
              states: {
                all: {
                  type: 'parallel',
                  states: { one: finding, two: { initial: 'end', states: { end: { type: 'final' } } } },
                  onDone: 'flag',
                },
                flag: { always: { target: 'end', actions: assign({ flag: 1 } as never) } },
                end: {},
              },
            },
          },
        },
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', find: 'writes: [found], effect: none' },
    {
      LOOK: { states: ['both.a.look'], at: 'both.a.look -> both.a.wait', writes: ['looked'] },
      FIND: { states: ['both.b.all.one.find'], at: 'both.b.all.one.find -> both.b.all.one.over', writes: ['found'] },
    },
  );
  return { world, machine, config };
}

test('what a restore has completed is not heard once the next restore takes it back: the flag is set after the work (C9)', async () => {
  const { world, machine, config } = twoRegions();
  const it = await run(machine, config);
  await it.at('rest');
  await Promise.all([it.wrong('LOOK'), it.wrong('FIND')]);
  await until(() => world.count('find') === 2);
  await it.at('rest');
  expect([it.verdicts(), it.context()]).toEqual([['restore', 'restore'], { flag: 1, looked: 'look1', found: 'find1' }]);
  await it.sidecar.close();
});
