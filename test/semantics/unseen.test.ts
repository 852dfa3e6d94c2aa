/** C3 and C4: what is set aside is not seen, and who has read it does not stand. */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

describe('C3: what is set aside is invisible', () => {
  /** n0; if (k0) { n1 writes k1 } */
  function branch(answers: readonly boolean[], second: Promise<unknown>) {
    const world = new World();
    const machine = machineOf(
      { n0: world.tool('n0', ({ nth }) => (nth === 0 ? answers[0] : second)), n1: world.tool('n1') },
      {
        initial: 'n0',
        states: {
          n0: calls('n0', 'k0', 'choice'),
          choice: {
            always: [{ guard: ({ context }: { context: { k0: boolean } }) => context.k0, target: 'n1' }, 'rest'],
          },
          n1: calls('n1', 'k1', 'rest'),
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', n1: 'writes: [k1], effect: none' },
      {
        N0: { states: ['n0'], at: 'n0 -> choice', writes: ['k0'] },
        N1: { states: ['n1'], at: 'n1 -> rest', writes: ['k1'] },
      },
    );
    return { world, machine, config };
  }

  test('what it wrote is not in the context, neither while the replay is under way nor on another branch', async () => {
    const second = held<boolean>();
    const { world, machine, config } = branch([true], second.promise);
    const it = await run(machine, config);
    await it.at('rest');
    expect(it.context()).toEqual({ k0: true, k1: 'n10' });
    await it.wrong('N0', 'k0');
    expect(it.aside()).toEqual(['N1']);
    await it.at('n0');
    expect(it.context()).toEqual({});
    second.resolve(false);
    await it.at('rest');
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    expect([it.context(), world.count('n1')]).toEqual([{ k0: false }, 1]);
    await it.sidecar.close();
  });

  test('and it is there again once the replay has claimed it', async () => {
    const { world, machine, config } = branch([true], Promise.resolve(true));
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await it.at('rest');
    expect([it.context(), world.count('n1')]).toEqual([{ k0: true, k1: 'n10' }, 1]);
    await it.sidecar.close();
  });
});

describe('C4: who has read what is set aside goes back, or is set aside, too', () => {
  /** parallel{n0; n1 writes k1 ‖ wait for k1; m reads k1; rest} */
  function across(m: (nth: number) => unknown, second: Promise<unknown>) {
    const world = new World();
    const machine = machineOf(
      {
        n0: world.tool('n0', ({ nth }) => (nth === 0 ? 'a' : second)),
        n1: world.tool('n1'),
        m: world.tool('m', ({ nth }) => m(nth)),
      },
      {
        type: 'parallel',
        states: {
          p: { initial: 'n0', states: { n0: calls('n0', 'k0', 'n1'), n1: calls('n1', 'k1', 'over'), over: {} } },
          q: {
            initial: 'waiting',
            states: {
              waiting: {
                always: {
                  guard: ({ context }: { context: { k1?: unknown } }) => context.k1 !== undefined,
                  target: 'm',
                },
              },
              m: calls('m', 'km', 'over', ['k1']),
              over: {},
            },
          },
        },
      },
    );
    const config = configOf(
      {
        n0: 'writes: [k0], effect: none',
        n1: 'writes: [k1], effect: irreversible',
        m: 'reads: [k1], writes: [km], effect: idempotent',
      },
      {
        N0: { states: ['p.n0'], at: 'p.n0 -> p.n1', writes: ['k0'] },
        N1: { states: ['p.n1'], at: 'p.n1 -> p.over', writes: ['k1'] },
        M: { states: ['q.m'], at: 'q.m -> q.over', reads: ['k1'], writes: ['km'] },
      },
    );
    return { world, machine, config };
  }

  test('a reader that has finished is set aside with it, and both are claimed', async () => {
    const second = held();
    const { world, machine, config } = across((nth) => `m${nth}`, second.promise);
    const it = await run(machine, config);
    await it.at({ p: 'over', q: 'over' });
    await it.wrong('N0', 'k0');
    expect(it.aside().sort()).toEqual(['M', 'N1']);
    await it.at({ p: 'n0', q: 'waiting' });
    expect(it.context()).toEqual({});
    second.resolve('b');
    await it.at({ p: 'over', q: 'over' });
    expect(it.context()).toEqual({ k0: 'b', k1: 'n10', km: 'm0' });
    expect([world.count('n1'), world.count('m')]).toEqual([1, 1]);
    await it.sidecar.close();
  });

  test('a reader that began before the value was there goes back as well', async () => {
    const world = new World();
    const [second, begun, last] = [held(), held(), held()];
    const machine = machineOf(
      {
        n0: world.tool('n0', ({ nth }) => (nth === 0 ? 'a' : second.promise)),
        n1: world.tool('n1'),
        m0: world.tool('m0', ({ nth }) => (nth === 0 ? begun.promise : 'm0')),
        m1: world.tool('m1', ({ input }) => `saw ${String(input.k1)}`),
        m2: world.tool('m2', ({ nth }) => (nth === 0 ? last.promise : 'm2')),
      },
      {
        type: 'parallel',
        states: {
          p: { initial: 'n0', states: { n0: calls('n0', 'k0', 'n1'), n1: calls('n1', 'k1', 'over'), over: {} } },
          q: {
            initial: 'm0',
            states: {
              m0: calls('m0', 'km0', 'm1'),
              m1: calls('m1', 'km1', 'm2', ['k1']),
              m2: calls('m2', 'km2', 'over', ['km1']),
              over: {},
            },
          },
        },
      },
    );
    const none = 'effect: none';
    const config = configOf(
      {
        n0: `writes: [k0], ${none}`,
        n1: 'writes: [k1], effect: irreversible',
        m0: `reads: [], writes: [km0], ${none}`,
        m1: `reads: [k1], writes: [km1], ${none}`,
        m2: `reads: [km1], writes: [km2], ${none}`,
      },
      {
        N0: { states: ['p.n0'], at: 'p.n0 -> p.n1', writes: ['k0'] },
        N1: { states: ['p.n1'], at: 'p.n1 -> p.over', writes: ['k1'] },
        M: { states: ['q.m0', 'q.m1', 'q.m2'], at: 'q.m2 -> q.over', writes: ['km0', 'km1', 'km2'] },
      },
    );
    const it = await run(machine, config);
    await it.at({ p: 'over', q: 'm0' });
    begun.resolve('m0');
    await it.at({ p: 'over', q: 'm2' });
    await it.wrong('N0', 'k0');
    expect([it.aside(), it.undone().includes('M'), it.context()]).toEqual([['N1'], true, {}]);
    second.resolve('b');
    last.resolve('m2');
    await it.at({ p: 'over', q: 'over' });
    expect(world.count('n1')).toBe(1);
    await it.sidecar.close();
  });

  test('a reader that is under way goes back, and reads the value again once it is there', async () => {
    const second = held();
    const { world, machine, config } = across((nth) => (nth === 0 ? held().promise : `m${nth}`), second.promise);
    const it = await run(machine, config);
    await until(() => world.count('m') === 1);
    await it.wrong('N0', 'k0');
    expect([it.aside(), it.undone().includes('M')]).toEqual([['N1'], true]);
    await it.at({ p: 'n0', q: 'waiting' });
    second.resolve('b');
    await it.at({ p: 'over', q: 'over' });
    expect(it.context()).toEqual({ k0: 'b', k1: 'n10', km: 'm1' });
    expect([world.count('n1'), new Set(world.keys('m')).size]).toEqual([1, 1]);
    await it.sidecar.close();
  });
});
