/** C1 and C1a: control is a versioned key, and a step is one atom. */
import { describe, expect, test } from 'vitest';
import { assign, raise } from 'xstate';
import { calm, until } from '../poll.ts';
import { calls, configOf, type Given, held, machineOf, run, World } from './little.ts';

/** parallel{n0 ‖ n1}; z */
function joined(z: (nth: number) => unknown, next = 'z') {
  const world = new World();
  const machine = machineOf(
    { n0: world.tool('n0'), n1: world.tool('n1'), z: world.tool('z', ({ nth }) => z(nth)) },
    {
      initial: 'both',
      states: {
        both: {
          type: 'parallel',
          states: {
            p: { initial: 'n0', states: { n0: calls('n0', 'k0', 'over'), over: { type: 'final' } } },
            q: { initial: 'n1', states: { n1: calls('n1', 'k1', 'over'), over: { type: 'final' } } },
          },
          onDone: next,
        },
        rest: {},
        z: calls('z', 'kz', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { n0: 'writes: [k0], effect: none', n1: 'writes: [k1], effect: irreversible', z: 'writes: [kz], effect: none' },
    {
      N0: { states: ['both.p.n0'], at: 'both.p.n0 -> both.p.over', writes: ['k0'] },
      N1: { states: ['both.q.n1'], at: 'both.q.n1 -> both.q.over', writes: ['k1'] },
      Z: { states: ['z'], at: 'z -> end', writes: ['kz'] },
    },
  );
  return { world, machine, config };
}

describe('C1: control is a versioned key of each region', () => {
  test('work of a region that was joined is undone with the join and done again, and the region beside it stands', async () => {
    const { world, machine, config } = joined((nth) => (nth === 0 ? held().promise : `z${nth}`));
    const it = await run(machine, config);
    await until(() => world.count('z') === 1);
    await it.wrong('N0', 'k0');
    expect((await it.ending()).status).toBe('done');
    expect(it.context()).toEqual({ k0: 'n01', k1: 'n10', kz: 'z1' });
    expect([world.count('n0'), world.count('n1'), world.count('z')]).toEqual([2, 1, 2]);
    await it.sidecar.close();
  });

  test('so it is where the join has read nothing, and control alone says what it rests on', async () => {
    const { world, machine, config } = joined(() => 'z', 'rest');
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect([it.context(), world.count('n1')]).toEqual([{ k0: 'n01', k1: 'n10' }, 1]);
    await it.sidecar.close();
  });

  test('what comes after a join is not undone where only its own work is wrong', async () => {
    const { world, machine, config } = joined((nth) => {
      if (nth === 0) throw new Error('not now');
      return `z${nth}`;
    });
    const it = await run(machine, config);
    expect((await it.ending()).status).toBe('done');
    expect([world.count('n0'), world.count('n1'), world.count('z')]).toEqual([1, 1, 2]);
    expect(it.undone()).toEqual(['Z']);
    await it.sidecar.close();
  });

  test('control after a restore is the projection of the control writes that are retained', async () => {
    const { world, machine, config } = joined((nth) => (nth === 0 ? held().promise : `z${nth}`));
    const replay = held<string>();
    const again = machine.provide({
      actors: { n0: world.tool('n0', ({ nth }) => (nth === 0 ? 'n00' : replay.promise)) } as never,
    });
    const it = await run(again as never, config);
    await until(() => world.count('z') === 1);
    await it.wrong('N0', 'k0');
    await it.at({ both: { p: 'n0', q: 'over' } });
    expect(it.context()).toEqual({ k1: 'n10' });
    replay.resolve('anew');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });
});

/** invoke{c0; c1}, whose output is what c0 wrote; tell */
function invoking() {
  const world = new World();
  const inner = machineOf(
    { c0: world.tool('c0'), c1: world.tool('c1') },
    {
      id: 'inner',
      initial: 'c0',
      states: { c0: calls('c0', 'x', 'c1'), c1: calls('c1', 'y', 'over'), over: { type: 'final' } },
      output: ({ context }: Given<unknown>) => context.x,
    },
  );
  const got = assign({ got: ({ event }: { event: { output: unknown } }) => event.output } as never);
  const machine = machineOf(
    { inner, tell: world.tool('tell', ({ nth }) => (nth === 0 ? held().promise : 'told')) },
    {
      initial: 'asking',
      states: {
        asking: { invoke: { src: 'inner', id: 'in', onDone: { target: 'tell', actions: got } } },
        tell: calls('tell', 'told', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { c0: 'writes: [x], effect: none', c1: 'writes: [y], effect: irreversible', tell: 'writes: [told], effect: none' },
    {
      C0: { states: ['inner/c0'], at: 'inner/c0 -> inner/c1', writes: ['x'] },
      C1: { states: ['inner/c1'], at: 'inner/c1 -> inner/over', writes: ['y'] },
      TELL: { states: ['tell'], at: 'tell -> end', writes: ['told'] },
    },
  );
  return { world, machine, config };
}

describe('C1: the end of a child machine reads and writes the control of all that is in it', () => {
  test('work in it that is found wrong later is done again in it, and the machine around it follows', async () => {
    const { world, machine, config } = invoking();
    const it = await run(machine, config);
    await until(() => world.count('tell') === 1);
    await it.wrong('C0', 'x');
    expect((await it.ending()).status).toBe('done');
    expect(it.context()).toEqual({ got: 'c01', told: 'told' });
    expect([world.count('c0'), world.count('c1'), world.count('tell')]).toEqual([2, 1, 2]);
    await it.sidecar.close();
  });
});

/** parallel{a0; wait X ‖ b0; raise X}; nothing of b0's data depends on a0. */
function raising(a: (nth: number) => unknown, b: (nth: number) => unknown) {
  const world = new World();
  const machine = machineOf(
    { a0: world.tool('a0', ({ nth }) => a(nth)), b0: world.tool('b0', ({ nth }) => b(nth)) },
    {
      type: 'parallel',
      states: {
        p: {
          initial: 'a0',
          states: { a0: calls('a0', 'a', 'waiting'), waiting: { on: { X: 'heard' } }, heard: {} },
        },
        q: { initial: 'b0', states: { b0: calls('b0', 'b', 'raised', [], [raise({ type: 'X' })]), raised: {} } },
      },
    },
  );
  const config = configOf(
    { a0: 'writes: [a], effect: none', b0: 'writes: [b], effect: reversible, undo: un' },
    {
      A: { states: ['p.a0'], at: 'p.a0 -> p.waiting', writes: ['a'], rollback: 'joint: [B]' },
      B: { states: ['q.b0'], at: 'q.b0 -> q.raised', writes: ['b'] },
    },
  );
  return { world, machine, config };
}

describe('C1a: a step is one atom, and a raised event stands or falls with the step that raised it', () => {
  test('where the step that heard a raised event is undone, so is the one that raised it', async () => {
    const [replayed, first] = [held<string>(), held<string>()];
    const { world, machine, config } = raising(
      (nth) => `a${nth}`,
      (nth) => (nth === 0 ? first.promise : replayed.promise),
    );
    const it = await run(machine, config, { undo: world.undo });
    await it.at({ p: 'waiting', q: 'b0' });
    first.resolve('b0');
    await it.at({ p: 'heard', q: 'raised' });
    await it.wrong('A', 'a');
    await it.at({ p: 'waiting', q: 'b0' });
    await until(() => world.count('b0') === 2);
    expect(world.undone).toEqual([world.keys('b0')[0]]);
    replayed.resolve('b1');
    await it.at({ p: 'heard', q: 'raised' });
    expect(it.context()).toEqual({ a: 'a1', b: 'b1' });
    await it.sidecar.close();
  });

  test('and the event is not kept for later: the replay may come too late for it, as in every run of its own', async () => {
    const [first, replayed] = [held<string>(), held<string>()];
    const { world, machine, config } = raising(
      (nth) => (nth === 0 ? 'a0' : replayed.promise),
      (nth) => (nth === 0 ? first.promise : 'b1'),
    );
    const it = await run(machine, config, { undo: world.undo });
    await it.at({ p: 'waiting', q: 'b0' });
    first.resolve('b0');
    await it.at({ p: 'heard', q: 'raised' });
    await it.wrong('A', 'a');
    await it.at({ p: 'a0', q: 'raised' });
    replayed.resolve('a1');
    await it.at({ p: 'waiting', q: 'raised' });
    await calm();
    expect(it.value()).toEqual({ p: 'waiting', q: 'raised' });
    expect([world.count('a0'), world.count('b0'), world.undone.length]).toEqual([2, 2, 1]);
    await it.sidecar.close();
  });
});
