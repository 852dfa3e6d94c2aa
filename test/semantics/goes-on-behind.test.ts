/** C2: work is set aside only as a piece of its own: what it has entered inside of its region is over with it. */
import { describe, expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, held, machineOf, run, World } from './little.ts';

/** look; then one unit over two places, before a parallel state and in its first region, beside work that it has entered. */
function machineWith(beside: object) {
  const world = new World();
  const slow = held();
  const machine = machineOf(
    {
      look: world.tool('look'),
      book: world.tool('book'),
      mail: world.tool('mail'),
      wait: world.tool('wait', async ({ nth }) => (nth === 0 ? slow.promise : `wait${nth}`)),
    },
    {
      initial: 'looking',
      states: {
        looking: calls('look', 'seen', 'booking'),
        booking: calls('book', 'booked', 'both'),
        both: {
          type: 'parallel',
          states: {
            a: { initial: 'mailing', states: { mailing: calls('mail', 'mailed', 'over'), over: { type: 'final' } } },
            b: beside,
          },
          onDone: 'end',
        },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [seen], effect: none',
      book: 'writes: [booked], effect: none',
      mail: 'writes: [mailed], effect: none',
      wait: 'writes: [waited], effect: none',
    },
    {
      Look: { states: ['looking'], at: 'looking -> booking', writes: ['seen'], rollback: 'joint: [Trip]' },
      Trip: {
        states: ['booking', 'both.a.mailing'],
        entry: ['booking'],
        at: ['booking -> both', 'both.a.mailing -> both.a.over'],
        writes: ['booked', 'mailed'],
      },
      ...('initial' in beside && (beside as { initial: string }).initial === 'waiting'
        ? { Wait: { states: ['both.b.waiting'], at: 'both.b.waiting -> both.b.over', writes: ['waited'] } }
        : {}),
    },
    'events: { GO: { reads: [] } }',
  );
  return { world, machine, config };
}

const over = { type: 'final' };
const BESIDE: [string, object][] = [
  [
    'a unit whose call is under way',
    { initial: 'waiting', states: { waiting: calls('wait', 'waited', 'over'), over } },
  ],
  ['a call in no unit', { initial: 'calling', states: { calling: calls('wait', 'waited', 'over'), over } }],
  ['a delay', { initial: 'resting', states: { resting: { after: { 60: 'over' } }, over } }],
];

describe('C2: a piece of its own', () => {
  test.each(BESIDE)('a unit that has entered %s is done again, and the run comes to its end', async (_, beside) => {
    const { world, machine, config } = machineWith(beside);
    const it = await run(machine, config, { undo: world.undo });
    await until(() => world.count('mail') === 1);
    await until(() => JSON.stringify(it.value()).includes('"a":"over"'));
    await it.wrong('Look', 'seen');
    expect(await it.ending()).toMatchObject({ status: 'done' });
    expect(world.count('look')).toBe(2);
    await it.sidecar.close();
  });
});
