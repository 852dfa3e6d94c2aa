/** C13: an answer holds at the head at which it was given; whatever happens before it is journaled, it is given again. */
import { expect, test } from 'vitest';
import { until } from '../poll.ts';
import { calls, configOf, machineOf, run, World } from './little.ts';

/** look; rest, until an event comes; use what was seen; stop. */
function watched(world: World) {
  return machineOf(
    { look: world.tool('look'), use: world.tool('use') },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'rest'),
        rest: { on: { GO: 'use' } },
        use: calls('use', 'used', 'stop', ['looked']),
        stop: { type: 'final' },
      },
    },
  );
}

const config = configOf(
  {
    look: 'writes: [looked], effect: reversible, undo: un',
    use: 'reads: [looked], writes: [used], effect: reversible, undo: back',
  },
  {
    LOOK: { states: ['look'], at: 'look -> rest', writes: ['looked'] },
    USE: { states: ['use'], at: 'use -> stop', reads: ['looked'], writes: ['used'] },
  },
);

/** Lets so many microtasks pass. */
async function microtasks(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) await null;
}

test.each(Array.from({ length: 12 }, (_, count) => count + 1))(
  'an event that comes %i microtasks after the world was asked about an undo is not lost, and nothing rests on what is undone',
  async (count) => {
    const world = new World();
    let asked = false;
    const moved = () => {
      if (!asked) void microtasks(count).then(() => it.send('GO'));
      asked = true;
      return null;
    };
    const it = await run(watched(world), config, {
      undo: { un: { undo: world.undo.un, moved }, back: () => {} },
    } as never);
    await it.at('rest');
    await it.wrong('LOOK', 'looked');
    await until(() => asked);
    if (it.value() === 'rest') it.send('GO');
    const { status } = await it.ending();
    expect({ status, state: it.value(), context: it.context() }).toEqual({
      status: 'done',
      state: 'stop',
      context: { looked: 'look1', used: it.context().used },
    });
    const used = world.acts.filter(({ tool }) => tool === 'use').at(-1);
    expect(used?.input).toEqual({ looked: 'look1' });
    expect(world.undone).toHaveLength(1);
    await it.sidecar.close();
  },
);
