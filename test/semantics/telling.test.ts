/** C1a, C2 and C5a between machines, and for events that come later: what was told is told again where its telling is done again, and only then. */
import { describe, expect, test } from 'vitest';
import { raise, sendParent, sendTo, spawnChild } from 'xstate';
import { memoryStore } from '../../src/index.ts';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';

describe('C5a: a claim tells the parent of a machine again', () => {
  test('the payment of a child that told of it is neither made again nor forgotten', async () => {
    const world = new World();
    const child = machineOf(
      { pay: world.tool('pay') },
      {
        id: 'child',
        initial: 'pay',
        states: { pay: calls('pay', 'paid', 'over'), over: { entry: sendParent({ type: 'PAID' }) } },
      },
    );
    const machine = machineOf(
      { look: world.tool('look'), child },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'asking'),
          asking: { invoke: { id: 'c', src: 'child' }, on: { PAID: 'rest' } },
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'writes: [paid], effect: irreversible' },
      {
        LOOK: { states: ['look'], at: 'look -> asking', writes: ['looked'] },
        PAY: { states: ['child/pay'], at: 'child/pay -> child/over', writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.at('rest');
    expect(world.count('pay')).toBe(1);
    await it.sidecar.close();
  });
});

describe('C5a: a claim arms a delayed event for the machine that it starts', () => {
  test('and not for the one that the work had started', async () => {
    const world = new World();
    const echo = machineOf({}, { id: 'echo', on: { ASK: { actions: sendParent({ type: 'ANSWER' }) } } });
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note'), echo },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'note'),
          note: calls('note', 'noted', 'asking'),
          asking: {
            invoke: { id: 'e', src: 'echo' },
            entry: sendTo('e', { type: 'ASK' }, { delay: 20 }),
            on: { ANSWER: 'rest' },
          },
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', note: 'writes: [noted], effect: irreversible', echo: 'effect: none' },
      {
        LOOK: { states: ['look'], at: 'look -> note', writes: ['looked'], rollback: 'joint: [NOTE]' },
        NOTE: { states: ['note'], at: 'note -> asking', writes: ['noted'] },
      },
    );
    const it = await run(machine, config);
    await it.at('asking');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.at('rest');
    expect(world.count('note')).toBe(1);
    await it.sidecar.close();
  });
});

describe('C2: work that told a machine beside it is undone, and not set aside', () => {
  test('the machine forgets it, and is told when the work is done again', async () => {
    const world = new World();
    const told: string[] = [];
    const keeper = machineOf(
      {},
      {
        id: 'keeper',
        initial: 'empty',
        states: { empty: { on: { KEEP: 'full' } }, full: { entry: () => void told.push('full') } },
      },
    );
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note'), keeper },
      {
        initial: 'look',
        entry: spawnChild('keeper' as never, { id: 'k' } as never),
        states: {
          look: calls('look', 'looked', 'note'),
          note: calls('note', 'noted', 'rest', [], [sendTo('k', { type: 'KEEP' })]),
          rest: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', note: 'writes: [noted], effect: none' },
      {
        LOOK: { states: ['look'], at: 'look -> note', writes: ['looked'], rollback: 'joint: [NOTE]' },
        NOTE: { states: ['note'], at: 'note -> rest', writes: ['noted'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    expect(told).toEqual(['full']);
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('note') === 2);
    await it.at('rest');
    expect(told).toEqual(['full', 'full']);
    await it.sidecar.close();
  });
});

describe('C1a: a delayed event stands or falls with the step that scheduled it', () => {
  test('the region that heard it goes back, and hears it again', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note') },
      {
        type: 'parallel',
        states: {
          one: {
            initial: 'look',
            states: {
              look: calls('look', 'looked', 'done', [], [raise({ type: 'LATER' } as never, { delay: 20 } as never)]),
              done: {},
            },
          },
          two: {
            initial: 'waiting',
            states: { waiting: { on: { LATER: 'note' } }, note: calls('note', 'noted', 'done'), done: {} },
          },
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', note: 'writes: [noted], effect: none' },
      {
        LOOK: { states: ['one.look'], at: 'one.look -> one.done', writes: ['looked'] },
        NOTE: { states: ['two.note'], at: 'two.note -> two.done', writes: ['noted'] },
      },
    );
    const it = await run(machine, config);
    await it.at({ one: 'done', two: 'done' });
    await it.wrong('LOOK');
    await until(() => world.count('look') === 2);
    expect(it.value()).toMatchObject({ two: 'waiting' });
    await it.at({ one: 'done', two: 'done' });
    await it.sidecar.close();
  });
});

describe('C1a: what the first step of a run raised and sent is handed on again where a restore took it back', () => {
  const units = { WORK: { states: ['begin', 'look'], at: 'look -> rest', writes: ['looked'] } };
  const echo = (delay?: number) =>
    machineOf({}, { id: 'echo', on: { ASK: { actions: sendParent({ type: 'ANSWER' }, { delay } as never) } } });
  const ask = sendTo('e', { type: 'ASK' });

  test.each([
    ['a machine that answers at once', { invoke: { id: 'e', src: 'echo' }, entry: ask }, undefined],
    ['a machine that answers later', { invoke: { id: 'e', src: 'echo' }, entry: ask }, 5],
    ['itself', { entry: raise({ type: 'ANSWER' } as never) }, undefined],
    ['itself, later', { entry: raise({ type: 'ANSWER' } as never, { delay: 5 } as never) }, undefined],
  ])('to %s', async (_, first, delay) => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), echo: echo(delay) },
      {
        initial: 'begin',
        states: { begin: { ...first, on: { ANSWER: 'look' } }, look: calls('look', 'looked', 'rest'), rest: {} },
      },
    );
    const config = configOf({ look: 'writes: [looked], effect: none', echo: 'effect: none' }, units);
    const it = await run(machine, config);
    for (const looks of [1, 2, 3]) {
      await until(() => world.count('look') === looks);
      await it.at('rest');
      if (looks < 3) await it.wrong('WORK');
    }
    await it.sidecar.close();
  });

  test('by the one step of the first macrostep that sent it, and once', async () => {
    const world = new World();
    const counted = machineOf(
      { note: world.tool('note') },
      {
        id: 'counted',
        initial: 'idle',
        states: { idle: { on: { ASK: 'note' } }, note: calls('note', 'noted', 'idle') },
      },
    );
    const machine = machineOf(
      { look: world.tool('look'), echo: counted },
      {
        initial: 'begin',
        invoke: { id: 'e', src: 'echo' },
        states: { begin: { always: 'look' }, look: { ...calls('look', 'looked', 'rest'), entry: ask }, rest: {} },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', note: 'writes: [noted], effect: none', echo: 'effect: none' },
      units,
    );
    const it = await run(machine, config);
    await it.at('rest');
    await until(() => world.count('note') === 1);
    await it.wrong('WORK');
    await until(() => world.count('note') === 2 && world.count('look') === 2);
    await it.at('rest');
    expect(world.count('note')).toBe(2);
    await it.sidecar.close();
  });

  test('also by the next process, where the one that restored has ended before', async () => {
    const world = new World();
    const machine = () =>
      machineOf(
        { look: world.tool('look'), echo: echo(5) },
        {
          initial: 'begin',
          states: {
            begin: { invoke: { id: 'e', src: 'echo' }, entry: ask, on: { ANSWER: 'look' } },
            look: calls('look', 'looked', 'rest'),
            rest: {},
          },
        },
      );
    const config = configOf({ look: 'writes: [looked], effect: none', echo: 'effect: none' }, units);
    const journal = memoryStore();
    const it = await run(machine(), config, { journal });
    await it.at('rest');
    await it.wrong('WORK');
    await it.sidecar.close();
    const next = await resume(machine(), { run: 'r', config, journal } as never);
    next.actor.start();
    await until(() => world.count('look') === 2);
    await next.close();
  });
});
