/** C5 and C5a across processes: a kill at every append of a recovery, with records in two regions that the replay comes to at once. */
import { expect, test } from 'vitest';
import { raise } from 'xstate';
import { calm, until } from '../poll.ts';
import { context, Dying, value } from './dying.ts';
import { calls, configOf, machineOf, World } from './little.ts';

/** look; both { a; raise DONE, and hear it ‖ b; wait for DONE }; rest. */
function twoRegions() {
  const world = new World();
  const machine = machineOf(
    { look: world.tool('look'), a: world.tool('a'), b: world.tool('b') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'both'),
        both: {
          type: 'parallel',
          states: {
            one: {
              initial: 'a',
              states: {
                a: calls('a', 'ka', 'telling'),
                telling: { entry: raise({ type: 'DONE' }), on: { DONE: 'over' } },
                over: { type: 'final' },
              },
            },
            two: {
              initial: 'b',
              states: { b: calls('b', 'kb', 'over'), over: { type: 'final' } },
            },
          },
          onDone: 'rest',
        },
        rest: { on: { close: 'end' } },
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    {
      look: 'writes: [looked], effect: none',
      a: 'writes: [ka], effect: irreversible, reconcile: find',
      b: 'writes: [kb], effect: irreversible, reconcile: find',
    },
    {
      LOOK: { states: ['look'], at: 'look -> both', writes: ['looked'] },
      A: { states: ['both.one.a'], at: 'both.one.a -> both.one.telling', writes: ['ka'] },
      B: { states: ['both.two.b'], at: 'both.two.b -> both.two.over', writes: ['kb'] },
    },
  );
  return { world, machine, config };
}

/** Has the look found wrong in a run that has done both, and kills its process at an append of the recovery. @returns whether it came to that. */
async function killedAt(append: number): Promise<boolean> {
  const { world, machine, config } = twoRegions();
  const dying = new Dying(machine, config);
  const first = await dying.attached();
  first.actor.start();
  await until(() => value(first) === 'rest');
  dying.store.kill({ append: dying.store.appends + append, when: 'after' });
  void first.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'LOOK', entity: 'it' }, key: 'looked' });
  await until(() => dying.isDead || (world.count('look') === 2 && value(first) === 'rest'));
  await calm();
  const next = await dying.resumed(first);
  await until(
    () => value(next) === 'rest',
    () => `rest after a kill at append ${append}, but it is at ${JSON.stringify(value(next))} and ${next.status}`,
  );
  await calm();
  expect([append, world.count('a'), world.count('b')]).toEqual([append, 1, 1]);
  expect(context(next)).toEqual({ looked: world.count('look') === 1 ? 'look0' : 'look1', ka: 'a0', kb: 'b0' });
  await next.close();
  return dying.isDead;
}

test('a process that dies anywhere in a recovery leaves to the next one claims that each build on the one before', async () => {
  let append = 1;
  while (await killedAt(append)) append += 1;
  expect(append).toBeGreaterThan(5);
});
