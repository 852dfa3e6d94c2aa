/** C5 to C9 in graphs: what was set aside is taken over, done again under its own keys, or taken back at the end. */
import { describe, expect, test } from 'vitest';
import { graphOf, type LittleNode, line, once, type World } from './little.ts';

describe('C5: a claim makes the record anew, now', () => {
  test('so that what a node done again writes does not overwrite what a later one wrote', async () => {
    const fix: LittleNode = {
      tool: 'effect: idempotent',
      writes: ['look_is'],
      does: async (_, world) => ({ fix_is: await world.tool('fix')({}), look_is: 'by fix' }),
    };
    const it = await graphOf({ look: {}, fix, tell: {} }, line('look', 'fix', 'tell'), {
      held: ['tell'],
      answers: { look: once },
      more: 'keys: { blind: [look_is] }',
    });
    await it.world.at('tell');
    await it.run.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'it' } });
    expect(await it.ends()).toEqual({ look_is: 'by fix', fix_is: 'fix0', tell_is: 'tell0' });
    expect([it.world.count('look'), it.world.count('fix')]).toEqual([2, 1]);
  });
});

describe('C5a: after a claim control stands behind the record', () => {
  test('its node does not run again, and the call of the node behind it leaves once it is claimed', async () => {
    const it = await graphOf(
      { look: {}, pay: { tool: 'effect: irreversible' }, tell: { reads: ['pay_is'] } },
      line('look', 'pay', 'tell'),
      {
        held: ['tell'],
        answers: { look: once },
      },
    );
    await it.world.at('tell');
    await it.wrong('look');
    await it.ends();
    expect(it.world.ran).toEqual(['look', 'pay', 'tell', 'look', 'tell']);
    expect(it.world.acts.at(-1)).toMatchObject({ tool: 'tell', input: { pay_is: 'pay0' } });
  });
});

/** look; r = look modulo 2; a node that reads r. */
const rounded = (second: number, note: LittleNode, answers = {}) =>
  graphOf(
    {
      look: {},
      round: { isUnit: false, does: ({ look_is }) => ({ round_is: (look_is as number) % 2 }) },
      note,
      tell: {},
    },
    line('look', 'round', 'note', 'tell'),
    { held: ['tell'], answers: { look: (nth) => (nth === 0 ? 1 : second), ...answers } },
  );

describe('C6: a record is claimed where what it read has an equal value now', () => {
  test.each([
    ['the same is not done again', 3, 1],
    ['something else is', 2, 2],
  ])('a node that reads %s', async (_, second, notes) => {
    const it = await rounded(second, { reads: ['round_is'] });
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({
      look_is: second,
      round_is: second % 2,
      note_is: `note${notes - 1}`,
      tell_is: 'tell0',
    });
    expect(it.world.count('note')).toBe(notes);
  });
});

describe('C7: work that would read something else is done again under its own identity and keys', () => {
  test('a call with equal arguments is answered, and only the other one is made', async () => {
    const it = await rounded(2, {
      tool: 'effect: irreversible',
      does: async ({ round_is }, world) => ({
        note_is: [await world.tool('note')({ order: 7 }), await world.tool('log')({ round_is })],
      }),
    });
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 2, round_is: 0, note_is: ['note0', 'log1'], tell_is: 'tell0' });
    expect(it.world.acts.filter(({ tool }) => tool === 'log').map(({ input }) => input)).toEqual([
      { round_is: 1 },
      { round_is: 0 },
    ]);
  });
});

/** Goes left while the look is wrong, and right once it is not. */
const forked = (left: LittleNode, right: LittleNode) =>
  graphOf(
    { look: { rollback: 'joint: [LEFT]' }, left, right, tell: {} },
    (graph) =>
      graph
        .addEdge('__start__', 'look')
        .addConditionalEdges('look', ({ look_is }) => (look_is === 'bad' ? 'left' : 'right'), ['left', 'right'])
        .addEdge('left', 'tell')
        .addEdge('right', 'tell'),
    { held: ['tell'], answers: { look: once } },
  );

describe('C8: no new act of a tool about an entity while a kept one is taken over by nothing', () => {
  test('the other branch pays, too: the run is parked before a second payment', async () => {
    const pays = async (_: unknown, world: World) => ({ left_is: await world.tool('left')({}) });
    const it = await forked({ tool: 'effect: irreversible' }, { does: pays, writes: ['left_is'] });
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({ code: 'run_parked', message: expect.stringMatching(/unclaimed_effect/) });
    expect(it.world.count('left')).toBe(1);
  });
});

describe('C9: what no replay has taken over is looked for before the run ends', () => {
  test('a booking of the branch that is left is undone at the end', async () => {
    const it = await forked({ tool: 'effect: reversible, undo: un' }, {});
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toEqual({ look_is: 'good', right_is: 'right0', tell_is: 'tell0' });
    expect(it.world.undone).toEqual(it.world.keys('left'));
  });

  test('a payment of it parks the run, and is named', async () => {
    const it = await forked({ tool: 'effect: irreversible' }, {});
    await it.world.at('tell');
    await it.wrong('look');
    expect(await it.ends()).toMatchObject({ code: 'run_parked', message: expect.stringMatching(/unclaimed_effect/) });
    expect([it.world.count('left'), it.world.count('right')]).toEqual([1, 1]);
  });
});
