/** C5a: control goes on behind a record that is claimed. */
import { describe, expect, test } from 'vitest';
import { raise } from 'xstate';
import { calm, until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

describe('C5a: control goes on behind the record', () => {
  test('the state behind it calls its tool, and its entry actions do not run again', async () => {
    const world = new World();
    let entries = 0;
    const tell = {
      ...calls('tell', 'told', 'rest', ['paid']),
      entry: () => {
        entries += 1;
      },
    };
    const machine = machineOf(
      { look: world.tool('look'), pay: world.tool('pay'), tell: world.tool('tell') },
      {
        initial: 'look',
        states: { look: calls('look', 'looked', 'pay'), pay: calls('pay', 'paid', 'tell'), tell, rest: {} },
      },
    );
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        pay: 'writes: [paid], effect: irreversible',
        tell: 'reads: [paid], writes: [told], effect: none',
      },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> tell', writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('tell') === 2);
    await it.at('rest');
    expect([world.count('pay'), entries]).toEqual([1, 1]);
    expect(world.acts.at(-1)).toMatchObject({ tool: 'tell', input: { paid: 'pay0' } });
    await it.sidecar.close();
  });

  test('the delay of the state behind it is armed', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), pay: world.tool('pay') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'cooling'),
          cooling: { after: { 60: 'cooled' } },
          cooled: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'writes: [paid], effect: irreversible' },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> cooling', writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    await it.at('cooled');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.at('cooling');
    await it.at('cooled');
    expect(world.count('pay')).toBe(1);
    await it.sidecar.close();
  });

  test('an event that its last step raised reaches who has not heard it any more', async () => {
    const world = new World();
    const replay = held();
    const machine = machineOf(
      { n0: world.tool('n0', ({ nth }) => (nth === 0 ? 'n00' : replay.promise)), b0: world.tool('b0') },
      {
        type: 'parallel',
        states: {
          p: { initial: 'waiting', states: { waiting: { on: { X: 'heard' } }, heard: {} } },
          q: {
            initial: 'n0',
            states: {
              n0: calls('n0', 'k0', 'b0'),
              b0: calls('b0', 'b', 'raised', [], [raise({ type: 'X' })]),
              raised: {},
            },
          },
        },
      },
    );
    const config = configOf(
      { n0: 'writes: [k0], effect: none', b0: 'writes: [b], effect: irreversible' },
      {
        N: { states: ['q.n0'], at: 'q.n0 -> q.b0', writes: ['k0'] },
        B: { states: ['q.b0'], at: 'q.b0 -> q.raised', writes: ['b'] },
      },
    );
    const it = await run(machine, config);
    await it.at({ p: 'heard', q: 'raised' });
    await it.wrong('N', 'k0');
    expect(it.aside()).toEqual(['B']);
    await it.at({ p: 'waiting', q: 'n0' });
    replay.resolve('n01');
    await it.at({ p: 'heard', q: 'raised' });
    expect([world.count('n0'), world.count('b0')]).toEqual([2, 1]);
    await it.sidecar.close();
  });

  test('an event that its last step sent with a delay comes again', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), pay: world.tool('pay') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'cooling', [], [raise({ type: 'COOL' } as never, { delay: 60 } as never)]),
          cooling: { on: { COOL: 'cooled' } },
          cooled: {},
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'writes: [paid], effect: irreversible' },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'] },
        PAY: { states: ['pay'], at: 'pay -> cooling', writes: ['paid'] },
      },
    );
    const it = await run(machine, config);
    await it.at('cooled');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.at('cooling');
    await it.at('cooled');
    expect(world.count('pay')).toBe(1);
    await it.sidecar.close();
  });

  test('the call of the claimed state does not leave either where it is entered while a plan is being finished', async () => {
    const world = new World();
    const [second, undoing] = [held(), held()];
    const machine = machineOf(
      {
        look: world.tool('look', ({ nth }) => (nth === 1 ? second.promise : `look${nth}`)),
        note: world.tool('note'),
        b: world.tool('b'),
      },
      {
        type: 'parallel',
        states: {
          p: {
            initial: 'look',
            states: { look: calls('look', 'looked', 'note'), note: calls('note', 'noted', 'rest'), rest: {} },
          },
          q: { initial: 'b', states: { b: calls('b', 'kb', 'over'), over: {} } },
        },
      },
    );
    const config = configOf(
      {
        look: 'writes: [looked], effect: none',
        note: 'writes: [noted], effect: none',
        b: 'writes: [kb], effect: reversible, undo: slow',
      },
      {
        LOOK: { states: ['p.look'], at: 'p.look -> p.note', writes: ['looked'] },
        NOTE: { states: ['p.note'], at: 'p.note -> p.rest', writes: ['noted'] },
        B: { states: ['q.b'], at: 'q.b -> q.over', writes: ['kb'] },
      },
    );
    const it = await run(machine, config, { undo: { slow: () => undoing.promise as Promise<void> } });
    await it.at({ p: 'rest', q: 'over' });
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    const other = it.wrong('B', 'kb');
    await calm();
    second.resolve('look1');
    await calm();
    undoing.resolve(undefined);
    await other;
    await it.at({ p: 'rest', q: 'over' });
    expect([it.context(), world.count('note')]).toEqual([{ looked: 'look1', noted: 'note0', kb: 'b1' }, 1]);
    await it.sidecar.close();
  });

  test('the call of the claimed state itself does not leave before that is decided', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), note: world.tool('note') },
      {
        initial: 'look',
        states: { look: calls('look', 'looked', 'note'), note: calls('note', 'noted', 'rest'), rest: {} },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', note: 'writes: [noted], effect: none' },
      {
        LOOK: { states: ['look'], at: 'look -> note', writes: ['looked'] },
        NOTE: { states: ['note'], at: 'note -> rest', writes: ['noted'] },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => world.count('look') === 2);
    await it.at('rest');
    // Nothing else would keep a call of class none from being made twice.
    expect(world.count('note')).toBe(1);
    await it.sidecar.close();
  });
});
