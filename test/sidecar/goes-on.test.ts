/** The ending of a run that stood still and went on: those who ask from then on wait for the next one. */
import { expect, test } from 'vitest';
import { calls, configOf, machineOf, run, World } from '../semantics/little.ts';

test('a run that was parked, and whose question a restore has answered, is said to be done in the end', async () => {
  const world = new World();
  let isBroken = true;
  const look = world.tool('look');
  const rate = world.tool('rate', ({ nth }) => {
    if (isBroken) throw new Error('no rates today');
    return `rate${nth}`;
  });
  const machine = machineOf(
    { look, rate },
    {
      initial: 'look',
      states: {
        look: calls('look', 'looked', 'rate'),
        rate: calls('rate', 'rated', 'end', ['looked']),
        end: { type: 'final' },
      },
    },
  );
  const config = configOf(
    { look: 'writes: [looked], effect: none', rate: 'reads: [looked], writes: [rated], effect: none' },
    {
      LOOK: { states: ['look'], at: 'look -> rate', writes: ['looked'] },
      RATE: { states: ['rate'], at: 'rate -> end', writes: ['rated'] },
    },
  );
  const it = await run(machine, config);
  expect((await it.ending()).status).toBe('parked');
  isBroken = false;
  await it.wrong('LOOK', 'looked');
  expect(await it.ending()).toMatchObject({ status: 'done' });
  expect([it.sidecar.status, it.context().looked]).toEqual(['done', 'look1']);
  await it.sidecar.close();
});
