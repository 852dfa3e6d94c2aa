/** C7: work whose record does not fit is done again under its own identity and keys. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { until } from '../poll.ts';
import { calls, configOf, type Given, machineOf, run, World } from './little.ts';

/** n0; r = k0 modulo 2; pay; note reads r. Both calls are one unit. */
function twoCalls(
  answers: readonly number[],
  pay: { readonly effect: string; readonly reads: string[] },
  rollback = '',
) {
  const world = new World();
  const machine = machineOf(
    { n0: world.tool('n0', ({ nth }) => answers[nth]), pay: world.tool('pay'), note: world.tool('note') },
    {
      context: { order: 7 },
      initial: 'n0',
      states: {
        n0: calls('n0', 'k0', 'rounding'),
        rounding: {
          always: {
            target: 'pay',
            actions: assign({ r: ({ context }: Given) => (context.k0 as number) % 2 } as never),
          },
        },
        pay: calls('pay', 'paid', 'note', pay.reads),
        note: calls('note', 'noted', 'rest', ['r']),
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      n0: 'writes: [k0], effect: none',
      pay: `reads: ${JSON.stringify(pay.reads)}, writes: [paid], ${pay.effect}`,
      note: 'reads: [r], writes: [noted], effect: none',
    },
    {
      N0: { states: ['n0'], at: 'n0 -> rounding', writes: ['k0'], rollback },
      N1: { states: ['pay', 'note'], at: 'note -> rest', reads: ['order', 'r'], writes: ['noted', 'paid'] },
    },
  );
  return { world, machine, config };
}

async function redone({ world, machine, config }: ReturnType<typeof twoCalls>) {
  const it = await run(machine, config, { undo: world.undo });
  await it.at('rest');
  await it.wrong('N0', 'k0');
  expect(it.aside()).toEqual(['N1']);
  return it;
}

describe('C7: work that would read something else is done again under its own identity and keys', () => {
  test('a call with equal arguments is answered from the ledger, and only the other one is made', async () => {
    const little = twoCalls([1, 2], { effect: 'effect: irreversible', reads: ['order'] });
    const it = await redone(little);
    await until(() => little.world.count('note') === 2);
    await it.at('rest');
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    expect(little.world.count('pay')).toBe(1);
    expect(it.context()).toEqual({ order: 7, k0: 2, r: 0, paid: 'pay0', noted: 'note1' });
    await it.sidecar.close();
  });

  test('a reversible call with other arguments is undone, and made under the next generation of its key', async () => {
    const little = twoCalls([1, 2], { effect: 'effect: reversible, undo: un', reads: ['r'] }, 'joint: [N1]');
    const it = await redone(little);
    await until(() => little.world.count('note') === 2);
    await it.at('rest');
    const [first, second] = little.world.keys('pay');
    expect(little.world.undone).toEqual([first]);
    expect(second).toBe(`${first}~1`);
    expect(little.world.acts.filter(({ tool }) => tool === 'pay').map(({ input }) => input)).toEqual([
      { r: 1 },
      { r: 0 },
    ]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });

  test('without a policy that lets its promise be crossed it is not undone: the run is parked', async () => {
    const little = twoCalls([1, 2], { effect: 'effect: reversible, undo: un', reads: ['r'] });
    const it = await redone(little);
    expect((await it.ending()).status).toBe('parked');
    expect([little.world.count('pay'), little.world.undone, it.codes()]).toEqual([1, [], ['effect_diverged']]);
    await it.sidecar.close();
  });

  test('an irreversible call with other arguments parks the run, and nothing leaves', async () => {
    const little = twoCalls([1, 2], { effect: 'effect: irreversible', reads: ['r'] }, 'joint: [N1]');
    const it = await redone(little);
    expect((await it.ending()).status).toBe('parked');
    expect([little.world.count('pay'), it.codes()]).toEqual([1, ['effect_diverged']]);
    await it.sidecar.close();
  });
});

describe('C7: so is work that is entered at another state', () => {
  test('n0; if (k0) { parallel{s ‖ n2} } else { s }: the payment of the one is the payment of the other', async () => {
    const world = new World();
    const over = { type: 'final' };
    const machine = machineOf(
      { n0: world.tool('n0', ({ nth }) => nth === 0), pay: world.tool('pay'), n2: world.tool('n2') },
      {
        initial: 'n0',
        states: {
          n0: calls('n0', 'k0', 'choice'),
          choice: { always: [{ guard: ({ context }: Given<boolean>) => context.k0, target: 'both' }, 'alone'] },
          both: {
            type: 'parallel',
            states: {
              p: { initial: 's', states: { s: calls('pay', 'paid', 'over'), over } },
              q: { initial: 'n2', states: { n2: calls('n2', 'k2', 'over'), over } },
            },
            onDone: 'rest',
          },
          alone: calls('pay', 'paid', 'rest'),
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      {
        n0: 'writes: [k0], effect: none',
        n2: 'writes: [k2], effect: none',
        pay: 'writes: [paid], effect: irreversible',
      },
      {
        N0: { states: ['n0'], at: 'n0 -> choice', writes: ['k0'] },
        N2: { states: ['both.q.n2'], at: 'both.q.n2 -> both.q.over', writes: ['k2'] },
        S: {
          states: ['alone', 'both.p.s'],
          entry: ['alone', 'both.p.s'],
          at: ['alone -> rest', 'both.p.s -> both.p.over'],
          writes: ['paid'],
        },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('N0', 'k0');
    expect(it.aside().sort()).toEqual(['N2', 'S']);
    await until(() => it.context().k0 === false && it.value() === 'rest');
    expect([it.context(), world.count('pay')]).toEqual([{ k0: false, paid: 'pay0' }, 1]);
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });
});
