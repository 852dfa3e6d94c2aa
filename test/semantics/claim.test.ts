/** C5 and C6: where a replay comes to work that was set aside, it claims the record, if that work would read the same now. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, type Given, machineOf, run, World } from './little.ts';

describe('C5: a claim makes the record anew, now', () => {
  /** n0 writes k0; n1 writes k1, k0 */
  function overwriting(more: string, rollback = '') {
    const world = new World();
    const over = assign({ k0: () => 'by n1' } as never);
    const machine = machineOf(
      { n0: world.tool('n0'), n1: world.tool('n1') },
      { initial: 'n0', states: { n0: calls('n0', 'k0', 'n1'), n1: calls('n1', 'k1', 'rest', [], [over]), rest: {} } },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', n1: 'writes: [k0, k1], effect: idempotent' },
      {
        N0: { states: ['n0'], at: 'n0 -> n1', writes: ['k0'], rollback },
        N1: { states: ['n1'], at: 'n1 -> rest', writes: ['k1', 'k0'] },
      },
      more,
    );
    return { world, machine, config };
  }

  test('so that the replay of earlier work does not overwrite what later work wrote', async () => {
    const { world, machine, config } = overwriting('keys: { blind: [k0] }');
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect(it.aside()).toEqual(['N1']);
    expect([it.context(), world.count('n1')]).toEqual([{ k0: 'by n1', k1: 'n10' }, 1]);
    await it.sidecar.close();
  });

  test('a write that is no blind one is a read: then it is undone and done again', async () => {
    const { world, machine, config } = overwriting('', 'joint: [N1]');
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect([it.aside(), it.undone().sort()]).toEqual([[], ['N0', 'N1']]);
    expect(it.context().k0).toBe('by n1');
    await it.sidecar.close();
  });

  test('a record is made again as often as it takes: nothing of it is lost, and what comes behind it is called again', async () => {
    const world = new World();
    const names = ['look', 'pay', 'tell'] as const;
    const machine = machineOf(Object.fromEntries(names.map((name) => [name, world.tool(name)])), {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'tell'),
        tell: calls('tell', 'told', 'rest', ['paid']),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    });
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'writes: [paid], effect: reversible, undo: un',
        tell: 'reads: [paid], writes: [told], effect: none',
      },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> tell', writes: ['paid'] },
      },
    );
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    for (const nth of [1, 2, 3]) {
      await it.wrong('LOOK', 'looked');
      await until(() => world.count('look') === nth + 1 && world.count('tell') === nth + 1);
      await it.at('rest');
    }
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    expect([it.context(), world.count('pay'), world.undone]).toEqual([
      { looked: 'look3', paid: 'pay0', told: 'tell3' },
      1,
      [],
    ]);
    await it.sidecar.close();
  });

  test('a later complaint about work that was claimed goes back to that work alone', async () => {
    const { world, machine, config } = overwriting('keys: { blind: [k0] }');
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    await it.wrong('N1', 'k1');
    await until(() => world.count('n1') === 2);
    await it.at('rest');
    expect([it.undone(1), world.count('n0')]).toEqual([['N1'], 2]);
    expect(it.context()).toEqual({ k0: 'by n1', k1: 'n11' });
    await it.sidecar.close();
  });
});

describe('C5: of several occurrences in one place the earliest is claimed first', () => {
  test('each pass of a loop takes its own payment over, and none is made again', async () => {
    const world = new World();
    const machine = machineOf(
      { n0: world.tool('n0'), pay: world.tool('pay') },
      {
        context: { pass: 0 },
        initial: 'n0',
        states: {
          n0: calls('n0', 'k0', 'pay'),
          pay: calls('pay', 'paid', 'next', ['pass']),
          next: {
            entry: assign({ pass: ({ context }: Given) => (context.pass as number) + 1 } as never),
            always: [{ guard: ({ context }: Given) => (context.pass as number) < 3, target: 'pay' }, 'rest'],
          },
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', pay: 'reads: [pass], writes: [paid], effect: irreversible' },
      {
        N0: { states: ['n0'], at: 'n0 -> pay', writes: ['k0'] },
        P: { states: ['pay'], at: 'pay -> next', reads: ['pass'], writes: ['paid', 'pass'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    expect(it.aside()).toEqual(['P', 'P', 'P']);
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect([it.context(), world.count('pay')]).toEqual([{ pass: 3, k0: 'n01', paid: 'pay2' }, 3]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });
});

describe('C6: a record is claimed as it is where everything that it read has an equal value now', () => {
  /** n0; r = k0 modulo 2; n1 reads r */
  async function reading(answers: readonly number[], replay: Promise<unknown> = Promise.resolve()) {
    const world = new World();
    const machine = machineOf(
      {
        n0: world.tool('n0', async ({ nth }) => {
          if (nth > 0) await replay;
          return answers[nth];
        }),
        n1: world.tool('n1', ({ nth, input }) => `n1${nth} of ${input.r}`),
      },
      {
        initial: 'n0',
        states: {
          n0: calls('n0', 'k0', 'rounding'),
          rounding: {
            always: {
              target: 'n1',
              actions: assign({ r: ({ context }: Given) => (context.k0 as number) % 2 } as never),
            },
          },
          n1: calls('n1', 'k1', 'rest', ['r']),
          rest: {},
        },
      },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', n1: 'reads: [r], writes: [k1], effect: none' },
      {
        N0: { states: ['n0'], at: 'n0 -> rounding', writes: ['k0'] },
        N1: { states: ['n1'], at: 'n1 -> rest', reads: ['r'], writes: ['k1'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    expect(it.aside()).toEqual(['N1']);
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    const context = it.context();
    await it.sidecar.close();
    return { world, context };
  }

  test('another version of the same value is the same', async () => {
    const { world, context } = await reading([1, 3]);
    expect([context, world.count('n1')]).toEqual([{ k0: 3, r: 1, k1: 'n10 of 1' }, 1]);
  });

  test('another value is not, and the work is done again', async () => {
    const { world, context } = await reading([1, 2]);
    expect([context, world.count('n1')]).toEqual([{ k0: 2, r: 0, k1: 'n11 of 0' }, 2]);
  });
});
