/** EX1 to EX3: exits that a reviewed policy has restored, by hand; every little machine is in test/enumeration/exits.test.ts. */
import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { isRestore } from '../../src/model/decision.ts';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from './dying.ts';
import { calls, configOf, machineOf, run, type Unit, World } from './little.ts';

const RESTORABLE = 'exits: restorable, tries: 1';

/** look, a unit; then a note of no unit, and a rest. `pay` may follow as a unit of its own. */
function notes({
  rollback,
  hasPay = false,
  look = 'effect: irreversible',
}: {
  rollback: string;
  hasPay?: boolean;
  look?: string;
}) {
  const world = new World();
  const states = {
    look: calls('look', 'looked', 'note'),
    note: calls('note', 'noted', hasPay ? 'pay' : 'rest'),
    ...(hasPay && { pay: calls('pay', 'paid', 'rest') }),
    rest: { on: { close: 'end' } },
    end: { type: 'final' },
  };
  const tools = { look: world.tool('look'), note: world.tool('note'), pay: world.tool('pay') };
  const pay: Unit = { states: ['pay'], at: 'pay -> rest', writes: ['paid'] };
  const config = configOf(
    {
      look: `writes: [looked], ${look}`,
      note: 'reads: [looked], writes: [noted], effect: none',
      ...(hasPay && { pay: 'writes: [paid], effect: none' }),
    },
    { LOOK: { states: ['look'], at: 'look -> note', writes: ['looked'], rollback }, ...(hasPay && { PAY: pay }) },
  );
  return { world, config, machine: machineOf(tools, { initial: 'look', states }) };
}

describe('EX1: an exit is restored where the policy of its skeleton says so', () => {
  test('what no unit did behind it is done again, and what the unit did stands', async () => {
    const { world, machine, config } = notes({ rollback: RESTORABLE });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK');
    await it.at('rest');
    expect([it.verdicts(), world.count('look'), world.count('note')]).toEqual([['restore'], 1, 2]);
    expect(it.context()).toEqual({ looked: 'look0', noted: 'note1' });
    it.send('close');
    expect((await it.ending()).status).toBe('done');
    await it.sidecar.close();
  });

  test('without the policy it is refused, and the irreversible look parks the run', async () => {
    const { world, machine, config } = notes({ rollback: 'tries: 1' });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK');
    const [refusal] = it.reports.at(-1)?.decision.refusals ?? [];
    expect(refusal).toMatchObject({ code: 'exit_not_restorable', candidate: { kind: 'exit' } });
    expect(refusal).not.toHaveProperty('why');
    expect([(await it.ending()).status, world.count('note')]).toEqual(['parked', 1]);
    await it.sidecar.close();
  });

  test('a key goes back to before its write, whatever the policy says', async () => {
    const { world, machine, config } = notes({ rollback: RESTORABLE, look: 'effect: none' });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([world.count('look'), it.context().looked]).toEqual([2, 'look1']);
    await it.sidecar.close();
  });

  test('its tries are those of any boundary: then the work itself is done again', async () => {
    const { world, machine, config } = notes({ rollback: RESTORABLE, look: 'effect: none' });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK');
    await it.at('rest');
    expect(world.count('look')).toBe(1);
    await it.wrong('LOOK');
    await it.at('rest');
    const { decision } = it.reports.at(-1) as (typeof it.reports)[number];
    expect(decision.refusals).toMatchObject([{ code: 'recovery_budget_spent', of: 'boundary' }]);
    expect([isRestore(decision) && decision.line.moves[0]?.keep, world.count('look')]).toMatchObject([
      { kind: 'entry' },
      2,
    ]);
    await it.sidecar.close();
  });
});

describe('EX2: nobody is behind it', () => {
  test('a unit that came after it is named, and the work goes back further', async () => {
    const { world, machine, config } = notes({ rollback: RESTORABLE, hasPay: true, look: 'effect: none' });
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK');
    await it.at('rest');
    expect(it.reports.at(-1)?.decision.refusals).toMatchObject([
      { code: 'exit_not_restorable', why: 'behind', behind: { skeleton: 'PAY' } },
    ]);
    // The payment rests on nothing of it: it is set aside, and taken over.
    expect([world.count('look'), world.count('note'), world.count('pay')]).toEqual([2, 2, 1]);
    await it.sidecar.close();
  });
});

describe('EX3: an exit is a position of what failed alone', () => {
  test('the line of another unit passes the exit of work that read what is wrong', async () => {
    const world = new World();
    const machine = machineOf(
      { look: world.tool('look'), pay: world.tool('pay') },
      {
        initial: 'look',
        states: {
          look: calls('look', 'looked', 'pay'),
          pay: calls('pay', 'paid', 'rest', ['looked']),
          rest: { on: { close: 'end' } },
          end: { type: 'final' },
        },
      },
    );
    const config = configOf(
      { look: 'writes: [looked], effect: none', pay: 'reads: [looked], writes: [paid], effect: none' },
      {
        LOOK: { states: ['look'], at: 'look -> pay', writes: ['looked'], rollback: 'joint: [PAY]' },
        PAY: { states: ['pay'], at: 'pay -> rest', writes: ['paid'], reads: ['looked'], rollback: RESTORABLE },
      },
    );
    const it = await run(machine, config);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await it.at('rest');
    expect([it.verdicts(), world.count('look'), world.count('pay')]).toEqual([['restore_joint'], 2, 2]);
    await it.sidecar.close();
  });
});

/** one { look; note; rest } beside two { book; rest, which counts each TICK }. */
function besideBooking() {
  const world = new World();
  const count = assign({ ticks: ({ context: { ticks = 0 } }: { context: { ticks?: number } }) => ticks + 1 } as never);
  const machine = machineOf(
    { look: world.tool('look'), note: world.tool('note'), book: world.tool('book') },
    {
      type: 'parallel',
      states: {
        one: {
          initial: 'look',
          states: { look: calls('look', 'looked', 'note'), note: calls('note', 'noted', 'rest'), rest: {} },
        },
        two: {
          initial: 'book',
          states: { book: calls('book', 'booked', 'rest'), rest: { on: { TICK: { actions: count } } } },
        },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: irreversible, reconcile: find',
      note: 'reads: [looked], writes: [noted], effect: none',
      book: 'writes: [booked], effect: irreversible, reconcile: find',
    },
    {
      LOOK: { states: ['one.look'], at: 'one.look -> one.note', writes: ['looked'], rollback: RESTORABLE },
      BOOK: { states: ['two.book'], at: 'two.book -> two.rest', writes: ['booked'] },
    },
    'events: { TICK: { reads: [] } }',
  );
  return { world, machine, config };
}

const AT_REST = JSON.stringify({ one: 'rest', two: 'rest' });

/** Has the look found wrong while a message comes, and kills the process at an append of that. @returns whether it came to that. */
async function killedAt(append: number): Promise<boolean> {
  const { world, machine, config } = besideBooking();
  const dying = new Dying(machine, config);
  const first = await dying.attached();
  first.actor.start();
  const isAtRest = (sidecar: typeof first) => JSON.stringify(value(sidecar)) === AT_REST;
  await until(() => isAtRest(first));
  const tick = (sidecar: typeof first) => sidecar.send({ type: 'TICK' }, { id: 'tick', by: 'ann' });
  dying.store.kill({ append: dying.store.appends + append, when: 'after' });
  void first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'it' } }).catch(() => {});
  void tick(first).catch(() => {});
  await until(() => dying.isDead || (world.count('note') === 2 && isAtRest(first) && ticksOf(first) === 1));
  await calm();
  const next = await dying.resumed(first);
  // The sender of a message that nobody has acknowledged sends it again: twice is once.
  await tick(next);
  await until(() => isAtRest(next) && ticksOf(next) === 1);
  await calm();
  const noted = world.count('note') === 1 ? 'note0' : 'note1';
  expect([append, world.count('look'), world.count('book'), next.status]).toEqual([append, 1, 1, 'running']);
  expect(context(next)).toEqual({ looked: 'look0', noted, booked: 'book0', ticks: 1 });
  await next.close();
  return dying.isDead;
}

function ticksOf(sidecar: Parameters<typeof context>[0]): number | undefined {
  return (context(sidecar) as { ticks?: number }).ticks;
}

test('EX1: a death anywhere, a message meanwhile and a region beside it leave the finished work as it was', async () => {
  let append = 1;
  while (await killedAt(append)) append += 1;
  expect(append).toBeGreaterThan(4);
});
