/** C2: what lies beyond the cut is undone or set aside. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, type Given, held, machineOf, run, World } from './little.ts';

/** look; pay; tell */
function shop(
  pay: { readonly effect: string; readonly reads?: string[] },
  tell: (nth: number) => unknown,
  rollback = '',
) {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), pay: world.tool('pay'), tell: world.tool('tell', ({ nth }) => tell(nth)) },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'pay'),
        pay: calls('pay', 'paid', 'tell', pay.reads),
        tell: calls('tell', 'told', 'end'),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      pay: `reads: ${JSON.stringify(pay.reads ?? [])}, writes: [paid], ${pay.effect}`,
      tell: 'writes: [told], effect: none',
    },
    {
      LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback },
      PAY: { states: ['pay'], at: 'pay -> tell', writes: ['paid'], reads: pay.reads ?? [] },
      TELL: { states: ['tell'], at: 'tell -> end', writes: ['told'] },
    },
  );
  return { world, machine, config };
}

const slow = (nth: number) => (nth === 0 ? held().promise : `tell${nth}`);

describe('C2: what lies beyond the cut is undone or set aside', () => {
  test('a payment that rests on nothing undone is neither undone nor made again', async () => {
    const { world, machine, config } = shop({ effect: 'effect: irreversible' }, slow);
    const it = await run(machine, config);
    await until(() => world.count('tell') === 1);
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('done');
    expect([world.count('look'), world.count('pay'), world.count('tell')]).toEqual([2, 1, 2]);
    expect(it.context()).toEqual({ looked: 'look1', paid: 'pay0', told: 'tell1' });
    expect([it.aside(), it.undone().sort()]).toEqual([['PAY'], ['LOOK', 'TELL']]);
    await it.sidecar.close();
  });

  test('one that read what is undone is undone with it, where class and policy allow', async () => {
    const { world, machine, config } = shop(
      { effect: 'effect: reversible, undo: un', reads: ['looked'] },
      slow,
      'joint: [PAY]',
    );
    const it = await run(machine, config, { undo: world.undo });
    await until(() => world.count('tell') === 1);
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('done');
    expect([world.count('pay'), world.undone, it.aside()]).toEqual([2, [world.keys('pay')[0]], []]);
    expect(world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input)).toEqual([
      { looked: 'look0' },
      { looked: 'look1' },
    ]);
    await it.sidecar.close();
  });

  test('and stops the decision where its class forbids that', async () => {
    const { world, machine, config } = shop(
      { effect: 'effect: irreversible', reads: ['looked'] },
      slow,
      'joint: [PAY]',
    );
    const it = await run(machine, config);
    await until(() => world.count('tell') === 1);
    await it.wrong('LOOK', 'looked');
    expect((await it.ending()).status).toBe('parked');
    expect([it.verdicts(), it.codes(), world.count('pay')]).toEqual([['escalate'], ['irreversible_effect_policy'], 1]);
    await it.sidecar.close();
  });

  test('setting aside crosses no promise: the verdict has no level for it', async () => {
    const { world, machine, config } = shop({ effect: 'effect: irreversible' }, () => 'told');
    const it = await run(
      machine.provide({ actors: { tell: world.tool('tell', () => held().promise) } as never }) as never,
      config,
    );
    await until(() => world.count('tell') === 1);
    await it.wrong('LOOK', 'looked');
    expect(it.verdicts()).toEqual(['restore']);
    await it.sidecar.close();
  });

  test('the work that was found wrong is never set aside itself', async () => {
    const { world, machine, config } = shop({ effect: 'effect: reversible, undo: un' }, slow);
    const it = await run(machine, config, { undo: world.undo });
    await until(() => world.count('tell') === 1);
    await it.wrong('PAY', 'paid');
    expect((await it.ending()).status).toBe('done');
    expect([it.aside(), world.count('look'), world.count('pay'), world.undone.length]).toEqual([[], 1, 2, 1]);
    await it.sidecar.close();
  });
});

describe('C2: an instance takes those of its child machine with it', () => {
  /**
   * n0; ask, which invokes a machine{c0; c1}; rest. `inner` is what the config says of that machine; with `loose`, what it says of the
   * tool of c1, which is then in no unit.
   */
  function around(inner: Record<string, string>, loose: string | null = null) {
    const world = new World();
    const child = machineOf(
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
      { n0: world.tool('n0'), inner: child },
      {
        initial: 'n0',
        states: {
          n0: calls('n0', 'k0', 'ask'),
          ask: { invoke: { src: 'inner', id: 'in', onDone: { target: 'rest', actions: got } } },
          rest: {},
        },
      },
    );
    const config = configOf(
      {
        n0: 'writes: [k0], effect: none',
        c0: 'writes: [x], effect: idempotent',
        c1: loose ?? 'writes: [y], effect: irreversible',
        ...inner,
      },
      {
        N0: { states: ['n0'], at: 'n0 -> ask', writes: ['k0'] },
        ASK: { states: ['ask'], at: 'ask -> rest', writes: ['got'] },
        C0: { states: ['inner/c0'], at: 'inner/c0 -> inner/c1', writes: ['x'] },
        ...(loose === null && { C1: { states: ['inner/c1'], at: 'inner/c1 -> inner/over', writes: ['y'] } }),
      },
    );
    return { world, machine, config };
  }

  test('all of it is set aside and claimed as one', async () => {
    const { world, machine, config } = around({ inner: 'reads: [], writes: [], effect: none' });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    const told = it.reports[0]?.decision.aside?.map(({ instance, within }) => [instance.skeleton, within?.skeleton]);
    expect(told).toEqual([
      ['ASK', undefined],
      ['C0', 'ASK'],
      ['C1', 'ASK'],
    ]);
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect([it.context(), world.count('c0'), world.count('c1')]).toEqual([{ k0: 'n01', got: 'c00' }, 1, 1]);
    await it.sidecar.close();
  });

  test('and what that machine does outside of any unit stands with it', async () => {
    const { world, machine, config } = around(
      { inner: 'reads: [], writes: [], effect: none' },
      'writes: [y], effect: reversible, undo: un',
    );
    const it = await run(machine, config, { undo: world.undo });
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await until(() => world.count('n0') === 2);
    await it.at('rest');
    expect([it.aside(), world.count('c1'), world.undone]).toEqual([['ASK', 'C0'], 1, []]);
    await it.sidecar.close();
  });

  test('a machine of which the config says nothing has read what its owner declares, and its work is set aside', async () => {
    const { world, machine, config } = around({});
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    await it.at('rest');
    expect([it.sidecar.status, it.codes(), world.count('c1')]).toEqual(['running', [], 1]);
    await it.sidecar.close();
  });
});
